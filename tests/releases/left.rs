//! What the check finds left over in real releases: what is known to be there, and nothing else.

use kernelize::check::{check, left};
use kernelize::finding::Severity;
use kernelize::kernel::target::Target;
use kernelize::memo::Memo;
use kernelize::pipeline::Input;
use kernelize::rules::load;
use kernelize::text::Files;

use crate::imported::Imported;

const CODES: [&str; 15] = [
    left::HARDWIRED,
    left::HEADER,
    left::NAME,
    left::LIBC,
    left::FLOATING,
    left::DIVISION,
    left::INTRINSICS,
    left::BUILTIN,
    left::KERNEL_MACRO,
    left::PRAGMA,
    left::GLOBAL,
    left::VARIABLE_ARRAY,
    left::TRAILING_ARRAY,
    left::RECURSION,
    left::ONLY_IN_ASSERT,
];

/// True of the releases: a table that is indexed past its one element (until 1.5.6), the debug level's
/// variable without a prefix (until 1.5.6), a variable that an assertion alone reads (until 1.4.10),
/// and one that has the name of a kernel macro, which compiles as long as its header stays away.
fn known(release: &str) -> Vec<String> {
    let lines: &[&str] = match release {
        "1.4.9" => &[
            "error global-without-prefix lib/common/debug.c `g_debuglevel`",
            "error only-in-assert lib/compress/zstd_compress_superblock.c `litLengthSum`",
        ],
        "1.5.2" | "1.5.5" => &[
            "error global-without-prefix lib/common/debug.c `g_debuglevel`",
            "error trailing-array lib/common/fse_decompress.c `dtable`",
            "warning kernel-macro-name lib/compress/zstd_double_fast.c `current`",
        ],
        _ => &["warning kernel-macro-name lib/compress/zstd_double_fast.c `current`"],
    };
    lines.iter().map(|line| (*line).to_owned()).collect()
}

fn found(release: &str, files: &Files, profile: &str) -> Vec<String> {
    let numbers: Vec<u32> = release.split('.').map(|n| n.parse().unwrap()).collect();
    let version =
        kernelize::rules::Version { major: numbers[0], minor: numbers[1], patch: numbers[2] };
    let ruleset = load(None).unwrap();
    let target = Target::of_version(&ruleset.library, None);
    let input = Input { version, exact: true, files, target: &target };
    let profile = ruleset.profile(profile).unwrap();
    let checked = check(input, &ruleset, profile, &Memo::default()).unwrap();
    let mut lines = Vec::new();
    for finding in checked.findings.sorted().iter().filter(|f| CODES.contains(&f.code)) {
        let severity = if finding.severity == Severity::Error { "error" } else { "warning" };
        let name = finding.message.split('`').nth(1).unwrap_or_default();
        let path = &finding.labels[0].source.name;
        lines.push(format!("{severity} {} {path} `{name}`", finding.code));
    }
    lines
}

#[test]
fn releases_have_left_over_what_is_known_and_no_more() {
    for release in ["1.4.9", "1.5.2", "1.5.5", "1.5.6", "1.5.7"] {
        let files = Imported::files(release);
        for profile in ["strict", "official"] {
            assert_eq!(found(release, &files, profile), known(release), "{release} {profile}");
        }
    }
}

/// Faults put into a release, each found where it is.
#[test]
fn faults_put_into_a_release_are_found() {
    let plant = [
        ("compress/zstd_fast.c", "static double ZSTD_half(void) { return 0.5; }\n", left::FLOATING),
        (
            "common/entropy_common.c",
            "static U64 FSE_share(U64 whole, U32 parts) { return whole / parts; }\n",
            left::DIVISION,
        ),
        (
            "compress/zstd_ldm.c",
            "static size_t ZSTD_deep(size_t n) { return n ? ZSTD_deep(n - 1) : 0; }\n",
            left::RECURSION,
        ),
        ("decompress/zstd_ddict.c", "int countOfDicts = 0;\n", left::GLOBAL),
        (
            "compress/hist.c",
            "static void HIST_room(unsigned n) { BYTE room[n]; (void)room; }\n",
            left::VARIABLE_ARRAY,
        ),
        (
            "compress/zstd_opt.c",
            "static int ZSTD_first(int x) { return __builtin_ffs(x); }\n",
            left::BUILTIN,
        ),
    ];
    let release = "1.5.6";
    let mut files = Imported::files(release);
    let mut wanted = Vec::new();
    for (path, text, code) in plant {
        let path = kernelize::text::TreePath::new(path).unwrap();
        let mut bytes = files[&path].to_vec();
        bytes.extend_from_slice(text.as_bytes());
        files.insert(path.clone(), bytes.into());
        wanted.push((code, format!("lib/{path}")));
    }
    let lines = found(release, &files, "strict");
    for (code, path) in wanted {
        let start = format!("error {code} {path} ");
        assert!(lines.iter().any(|line| line.starts_with(&start)), "{start}: {lines:#?}");
    }
}
