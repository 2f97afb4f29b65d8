//! Packages: a stand-in for cargo in most tests, the real one in one.

use std::fs;

use kernelize::upstream::Origin;

use crate::support::{Ask, Repo, has, paths, said};

/// The real one, by the default way: the URL is unknown to every name server.
#[test]
fn without_a_repository_the_packages_are_used() {
    let mut ask = Ask::new();
    let release = ask.open(None, None).unwrap();
    assert_eq!((release.name.as_str(), release.version.to_string()), ("v1.5.7", "1.5.7".into()));
    assert!(paths(&release).contains(&"common/mem.h"));
    let notes = release.notes.join("\n");
    has(
        &notes,
        &["https://git.invalid/zstd.git can't be cloned", "the packages of the ruleset were used"],
    );
    let Origin::Package { package, version, checksum } = &release.origin else {
        panic!("{:?}", release.origin);
    };
    assert_eq!((package.as_str(), version.as_str()), ("zstd-sys", "2.0.16+zstd.1.5.7"));
    assert_eq!(checksum.len(), 64);
    // From now on no network is needed.
    ask.offline = true;
    ask.tools.cargo = "/nowhere/cargo".into();
    for release in [None, Some("1.5.7"), Some("v1.5.7")] {
        assert_eq!(ask.open(Some("packages"), release).unwrap().name, "v1.5.7");
    }
    assert_eq!(ask.open(None, None).unwrap().name, "v1.5.7");
}

#[test]
fn a_release_that_no_package_holds_is_answered_with_the_nearest() {
    let ask = Ask::new();
    has(
        &said(ask.open(Some("packages"), Some("1.5.8")).unwrap_err()),
        &["`1.5.8`", "`1.5.7` or `1.5.6`"],
    );
    has(
        &said(ask.open(Some("packages"), Some("dev")).unwrap_err()),
        &["`dev`", "from 1.5.6 to 1.5.7"],
    );
    // Both ways are named where both were tried.
    has(&said(ask.open(None, Some("dev")).unwrap_err()), &["can't be cloned", "no package holds"]);
}

#[test]
fn the_url_comes_first() {
    let (repo, mut ask) = (Repo::with_releases(), Ask::new());
    ask.library.url = format!("file://{}", repo.path().display());
    assert_eq!(ask.open(None, None).unwrap().name, "v1.5.10");
    has(&said(ask.open(None, Some("v1.5.7")).unwrap_err()), &["no revision `v1.5.7`"]);
}

#[cfg(unix)]
mod stand_in {
    use std::os::unix::fs::PermissionsExt;
    use std::path::{Path, PathBuf};

    use sha2::{Digest, Sha256};

    use super::*;
    use crate::support::{header, lay};

    /// A cargo that vendors the folder `package` beside it.
    fn with_cargo(version: &str) -> Ask {
        let mut ask = Ask::new();
        let at = ask.cache.path().join("cargo");
        let name = format!("zstd-sys-{version}");
        lay(
            &at.join(&name),
            &[
                (
                    "Cargo.toml",
                    &format!("[package]\nname = \"zstd-sys\"\nversion = \"{version}\"\n"),
                ),
                ("zstd/lib/zstd.h", &header("1.5.6")),
                ("zstd/lib/common/a.c", "int a;\n"),
            ],
        );
        let digest = |path: &str| -> String {
            let data = fs::read(at.join(&name).join(path)).unwrap();
            Sha256::digest(data).iter().map(|byte| format!("{byte:02x}")).collect()
        };
        let files = ["zstd/lib/zstd.h", "zstd/lib/common/a.c"];
        let files: Vec<_> = files.iter().map(|f| format!("{f:?}:{:?}", digest(f))).collect();
        let sums = format!("{{\"files\":{{{}}},\"package\":\"abc\"}}", files.join(","));
        lay(&at.join(&name), &[(".cargo-checksum.json", &sums)]);
        let script = format!(
            "#!/bin/sh\necho \"$*\" >> {0}/calls\ncp Cargo.toml {0}/seen\nmkdir vendor\ncp -r {0}/{name} vendor/\n",
            at.display()
        );
        lay(&at, &[("cargo", &script)]);
        fs::set_permissions(at.join("cargo"), fs::Permissions::from_mode(0o755)).unwrap();
        ask.tools.cargo = at.join("cargo").into();
        ask
    }

    fn kept(ask: &Ask) -> PathBuf {
        ask.cache.path().join("packages/zstd-sys-2.0.13")
    }

    fn calls(ask: &Ask) -> String {
        fs::read_to_string(ask.cache.path().join("cargo/calls")).unwrap_or_default()
    }

    #[test]
    fn a_package_is_brought_once() {
        let ask = with_cargo("2.0.13+zstd.1.5.6");
        for source in ["cargo:zstd-sys@2.0.13", "cargo:zstd-sys@2.0.13+zstd.1.5.6"] {
            let release = ask.open(Some(source), None).unwrap();
            assert_eq!(paths(&release), ["common/a.c", "zstd.h"]);
            let origin = Origin::Package {
                package: "zstd-sys".into(),
                version: "2.0.13+zstd.1.5.6".into(),
                checksum: "abc".into(),
            };
            assert_eq!(release.origin, origin);
        }
        assert_eq!(ask.open(Some("packages"), Some("v1.5.6")).unwrap().name, "v1.5.6");
        assert_eq!(calls(&ask).lines().count(), 1);
        let seen = fs::read_to_string(ask.cache.path().join("cargo/seen")).unwrap();
        has(
            &seen,
            &["zstd-sys = { version = \"=2.0.13\", default-features = false }", "[workspace]"],
        );
        let error = ask.open(Some("cargo:zstd-sys@2.0.13+other"), None).unwrap_err();
        has(&said(error), &["is 2.0.13+zstd.1.5.6, not 2.0.13+other"]);
        let error = ask.open(Some("cargo:zstd-sys@2.0.13"), Some("1.5.7")).unwrap_err();
        has(&said(error), &["is 1.5.6, not `1.5.7`"]);
    }

    #[test]
    fn offline_is_passed_on_and_older_packages_serve() {
        let mut ask = with_cargo("2.0.13+zstd.1.5.6");
        ask.offline = true;
        let release = ask.open(Some("packages"), None).unwrap();
        assert_eq!(release.name, "v1.5.6");
        has(&release.notes.join("\n"), &["the newest release that is here"]);
        assert!(calls(&ask).lines().all(|line| line.contains("--offline")));
        ask.library.packages.truncate(0);
        has(
            &said(ask.open(Some("packages"), None).unwrap_err()),
            &["no release of zstd comes as a package"],
        );
    }

    #[test]
    fn a_changed_package_is_refused() {
        let ask = with_cargo("2.0.13+zstd.1.5.6");
        let open = || ask.open(Some("cargo:zstd-sys@2.0.13"), None);
        open().unwrap();
        let change = |path: &str, with: Option<&str>| -> String {
            let path = kept(&ask).join(path);
            let before = fs::read(&path).ok();
            match with {
                Some(text) => fs::write(&path, text).unwrap(),
                None => fs::remove_file(&path).unwrap(),
            }
            let text = said(open().unwrap_err());
            match before {
                Some(data) => fs::write(&path, data).unwrap(),
                None => fs::remove_file(&path).unwrap(),
            }
            text
        };
        has(
            &change("zstd/lib/common/a.c", Some("int b;\n")),
            &["a.c isn't as cargo brought it", "remove "],
        );
        has(&change("zstd/lib/common/a.c", None), &["a.c is gone"]);
        has(&change("zstd/lib/new.c", Some("")), &["new.c isn't as cargo"]);
        has(&change(".cargo-checksum.json", Some("{")), &["is damaged"]);
        has(&change("Cargo.toml", None), &["is damaged"]);
        has(&change("zstd/lib/zstd.h", None), &["holds no zstd/lib/zstd.h"]);
        open().unwrap();
    }

    #[test]
    fn cargo_that_fails_is_quoted() {
        let ask = with_cargo("2.0.14");
        let open = |source: &str| said(ask.open(Some(source), None).unwrap_err());
        has(&open("cargo:zstd-sys@2.0.13"), &["can't bring zstd-sys 2.0.13", "isn't among"]);
        let script = Path::new(&ask.tools.cargo).to_owned();
        fs::write(&script, "#!/bin/sh\necho 'error: no such thing' >&2\nexit 101\n").unwrap();
        has(&open("cargo:zstd-sys@2.0.13"), &["can't bring zstd-sys 2.0.13: no such thing"]);
        assert!(!kept(&ask).exists());
    }
}
