//! URLs: copied into the cache, kept up to date, and what happens where that fails.

use std::fs;
use std::time::{Duration, Instant};

use kernelize::upstream::Origin;

use crate::support::{Ask, Repo, has, said};

fn url(repo: &Repo) -> String {
    format!("file://{}", repo.path().display())
}

#[test]
fn a_url_is_cloned_once_and_fetched_later() {
    let (repo, ask) = (Repo::with_releases(), Ask::new());
    let url = url(&repo);
    let first = ask.open(Some(&url), None).unwrap();
    assert_eq!(first.name, "v1.5.10");
    assert!(matches!(&first.origin, Origin::Git { source, .. } if *source == url));
    has(&first.notes[0], &["was cloned to"]);

    repo.commit("1.8.0");
    repo.git(&["tag", "v1.8.0"]);
    let second = ask.open(Some(&url), None).unwrap();
    assert_eq!(second.name, "v1.8.0");
    has(&second.notes[0], &["brought up to date"]);
    let tag = ask.open(Some(&url), Some("1.5.9")).unwrap();
    has(&tag.notes[0], &["without asking for news"]);
    for revision in ["dev", "origin/dev", "HEAD"] {
        assert_eq!(ask.open(Some(&url), Some(revision)).unwrap().name, "v1.8.0");
    }
    let copies = fs::read_dir(ask.cache.path().join("git")).unwrap();
    let names: Vec<_> = copies.map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(names.len(), 2, "a copy and its lock: {names:?}");
}

#[test]
fn offline_uses_the_copy_only() {
    let (repo, mut ask) = (Repo::with_releases(), Ask::new());
    let url = url(&repo);
    ask.offline = true;
    has(&said(ask.open(Some(&url), None).unwrap_err()), &["no copy of", "--offline"]);
    ask.offline = false;
    ask.open(Some(&url), None).unwrap();
    repo.commit("1.8.0");
    repo.git(&["tag", "v1.8.0"]);
    ask.offline = true;
    let release = ask.open(Some(&url), None).unwrap();
    assert_eq!(release.name, "v1.5.10");
    has(&release.notes[0], &["as it is (--offline)"]);
}

#[test]
fn a_copy_outlives_its_url() {
    let (repo, ask) = (Repo::with_releases(), Ask::new());
    let url = url(&repo);
    ask.open(Some(&url), None).unwrap();
    drop(repo);
    let release = ask.open(Some(&url), None).unwrap();
    assert_eq!(release.name, "v1.5.10");
    has(&release.notes[0], &["was used as it is: "]);
    has(&said(ask.open(Some(&url), Some("v1.8.0")).unwrap_err()), &["no revision `v1.8.0`"]);
}

#[test]
fn a_url_that_cannot_be_reached_says_why_and_leaves_nothing() {
    let ask = Ask::new();
    let error = ask.open(Some("https://me:secret@git.invalid/x"), None).unwrap_err();
    let text = said(error);
    has(&text, &["https://git.invalid/x can't be cloned: "]);
    assert!(!text.contains("secret"));
    has(
        &said(ask.open(Some("file:///nowhere"), None).unwrap_err()),
        &["file:///nowhere can't be cloned"],
    );
    let mut ask = ask;
    ask.tools.git = "/nowhere/git".into();
    has(
        &said(ask.open(Some("file:///x"), None).unwrap_err()),
        &["`/nowhere/git` is not installed"],
    );
    let left = fs::read_dir(ask.cache.path().join("git")).unwrap();
    assert!(left.map(|e| e.unwrap().path()).all(|path| path.extension().unwrap() == "lock"));
}

#[cfg(unix)]
#[test]
fn a_hanging_network_ends_soon() {
    use std::os::unix::fs::PermissionsExt;
    let mut ask = Ask::new();
    let script = ask.cache.path().join("slow-git");
    fs::write(&script, "#!/bin/sh\nexec sleep 100\n").unwrap();
    fs::set_permissions(&script, fs::Permissions::from_mode(0o755)).unwrap();
    ask.tools.git = script.into();
    ask.tools.patience = Duration::from_millis(300);
    let start = Instant::now();
    has(&said(ask.open(Some("https://h.invalid/x"), None).unwrap_err()), &["got no answer"]);
    assert!(start.elapsed() < Duration::from_secs(30));
}

#[test]
fn runs_side_by_side_share_one_copy() {
    let (repo, ask) = (Repo::with_releases(), Ask::new());
    let url = url(&repo);
    std::thread::scope(|scope| {
        for _ in 0..6 {
            scope.spawn(|| assert_eq!(ask.open(Some(&url), None).unwrap().name, "v1.5.10"));
        }
    });
}

#[test]
fn a_killed_run_is_cleaned_up_after() {
    let (repo, ask) = (Repo::with_releases(), Ask::new());
    ask.open(Some(&url(&repo)), None).unwrap();
    let folder = ask.cache.path().join("git");
    let copy = fs::read_dir(&folder).unwrap().map(|e| e.unwrap().path()).find(|p| p.is_dir());
    let copy = copy.unwrap();
    let left = folder.join(format!(".{}.new-1", copy.file_name().unwrap().to_str().unwrap()));
    fs::rename(&copy, &left).unwrap();
    assert_eq!(ask.open(Some(&url(&repo)), None).unwrap().name, "v1.5.10");
    assert!(!left.exists());
}
