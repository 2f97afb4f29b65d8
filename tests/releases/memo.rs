//! What a check keeps from one tree to the next changes nothing of what it says.

use std::fmt::Write as _;

use kernelize::check::{Checked, check};
use kernelize::kernel::target::Target;
use kernelize::memo::Memo;
use kernelize::pipeline::Input;
use kernelize::rules::{Profile, Ruleset, Version, load};
use kernelize::text::{Files, TreePath};

use crate::imported::Imported;

/// All that a check came to, in words.
fn shown(checked: &Checked) -> String {
    let mut out = String::new();
    for (path, file) in &checked.tree.files {
        let (bytes, fired) = (file.text.bytes(), file.text.fired());
        writeln!(out, "{path} {:?} {:?} {fired:?}", file.upstream, file.source).unwrap();
        writeln!(out, "{:?}", file.text.line_origins()).unwrap();
        out.push_str(&String::from_utf8_lossy(bytes));
    }
    let tree = &checked.tree;
    writeln!(out, "{:?} {:?} {:?}", tree.api, tree.modules, tree.matched).unwrap();
    writeln!(out, "{:?} {}", tree.conditions, tree.decided).unwrap();
    for finding in checked.findings.clone().sorted() {
        writeln!(out, "{finding:?}").unwrap();
        for label in &finding.labels {
            writeln!(out, "  {} {:?}", label.source.name, label.position()).unwrap();
        }
    }
    writeln!(out, "{:?}", tree.proof).unwrap();
    out
}

struct Series<'a> {
    ruleset: &'a Ruleset,
    memo: &'a Memo,
    files: Files,
}

impl Series<'_> {
    fn check(&self, profile: &Profile, memo: &Memo) -> Checked {
        let version = Version { major: 1, minor: 5, patch: 6 };
        let target = Target::of_version(&self.ruleset.library, None);
        let input = Input { version, exact: false, files: &self.files, target: &target };
        check(input, self.ruleset, profile, memo).unwrap()
    }

    /// Checks the files as they are, with the memo and without, and gives the codes of the findings.
    fn same(&self, what: &str, profile: &str) -> Vec<&'static str> {
        let profile = self.ruleset.profile(profile).unwrap();
        let kept = self.check(profile, self.memo);
        let cold = shown(&self.check(profile, &Memo::off()));
        let kept_shown = shown(&kept);
        let differ = kept_shown.lines().zip(cold.lines()).find(|(kept, cold)| kept != cold);
        assert!(kept_shown == cold, "{what}: {differ:?}");
        kept.findings.sorted().iter().map(|finding| finding.code).collect()
    }

    fn set(&mut self, path: &str, text: &str) {
        self.files.insert(TreePath::new(path).unwrap(), text.as_bytes().into());
    }

    fn edit(&mut self, path: &str, change: impl Fn(&str) -> String) {
        let path = TreePath::new(path).unwrap();
        let before = String::from_utf8(self.files[&path].to_vec()).unwrap();
        let after = change(&before);
        assert_ne!(before, after, "{path}");
        self.files.insert(path, after.into_bytes().into());
    }

    /// Changes a file, checks, and takes the change back.
    fn with(&mut self, path: &str, change: impl Fn(&str) -> String) -> Vec<&'static str> {
        let files = self.files.clone();
        self.edit(path, change);
        let codes = self.same(path, "strict");
        self.files = files;
        codes
    }
}

#[test]
fn what_is_kept_changes_nothing() {
    let ruleset = load(None).unwrap();
    let memo = Memo::default();
    let mut series = Series { ruleset: &ruleset, memo: &memo, files: Imported::files("1.5.6") };
    let plain = series.same("as it is", "strict");
    assert_eq!(series.same("again", "strict"), plain);

    let own = "compress/zstd_compress.c";
    assert_eq!(series.with(own, |text| text.replacen("return 0;", "return 1;", 1)), plain);
    let broken = series.with(own, |text| text.replacen("return 0;", "return 0", 1));
    assert!(broken.contains(&"syntax-error"), "{broken:?}");
    assert!(series.with(own, |text| format!("\n\n{text}")) == plain);
    let copies = |text: &str| format!("{text}\nvoid ZSTD_own(char* p) {{ memset(p, 0, 1); }}\n");
    let called = series.with("common/entropy_common.c", copies);
    assert!(called.contains(&"plain-call"), "{called:?}");

    // Macros of a header say how other files are read, and whether what they call is there.
    let spoilt = series.with("common/compiler.h", |text| {
        text.replace("define INLINE_KEYWORD inline", "define INLINE_KEYWORD 1 +")
    });
    assert!(spoilt.iter().filter(|code| **code == "syntax-error").count() > 1, "{spoilt:?}");
    series.with("common/zstd_deps.h", |text| text.replace("ZSTD_memset", "ZSTD_clear"));
    series.with("common/debug.h", |text| format!("/* 1\n 2 */\n{text}"));
    series.with("zstd.h", |text| text.replacen("size_t ZSTD_compress(", "int ZSTD_compress(", 1));
    series.with("zstd.h", |text| format!("/* a line */\n{text}"));

    // Files come and go.
    series.set("compress/extra.c", "int ZSTD_extra(void);\nint ZSTD_extra(void) { return 1; }\n");
    series.same("one more", "strict");
    series.files.remove(&TreePath::new("compress/extra.c").unwrap());
    let hist = series.files.remove(&TreePath::new("compress/hist.c").unwrap()).unwrap();
    let lacking = series.same("one less", "strict");
    assert!(lacking.len() > plain.len(), "{lacking:?}");
    series.files.insert(TreePath::new("compress/hist.c").unwrap(), hist);
    assert_eq!(series.same("back again", "strict"), plain);

    // Other rules.
    series.same("another profile", "official");
    let mut fewer = load(None).unwrap();
    fewer.masks.clear();
    fewer.includes.clear();
    fewer.digest = "fewer".into();
    let series = Series { ruleset: &fewer, memo: &memo, files: series.files };
    assert_ne!(series.same("fewer rules", "strict"), plain);
}
