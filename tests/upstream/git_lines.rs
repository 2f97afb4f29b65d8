//! Which commits brought and took the lines of a range.

use std::collections::BTreeSet;

use kernelize::upstream::{Between, Location, Request, Silent, Tools, touched};

use crate::support::{Repo, header, lay, library};

/// Commits files and gives the commit's id.
fn commit(repo: &Repo, message: &str, files: &[(&str, &str)]) -> String {
    lay(repo.folder.path(), files);
    repo.git(&["add", "-A"]);
    repo.git(&["commit", "-q", "-m", message]);
    repo.git(&["rev-parse", "HEAD"])
}

fn between(repo: &Repo, from: &str, to: &str, path: &str) -> Between {
    let library = library();
    let request = Request {
        library: &library,
        source: Some(Location::Local(repo.folder.path().to_owned())),
        release: None,
        offline: true,
        cache: None,
        tools: Tools::default(),
    };
    touched(&request, (from, to), &BTreeSet::from([path.to_owned()]), &Silent).unwrap()
}

/// Titles of the commits behind lines.
fn titles(between: &Between, commits: &[Option<usize>]) -> Vec<String> {
    let title = |at: &Option<usize>| at.map(|at| between.commits[at].title.clone());
    commits.iter().map(|at| title(at).unwrap_or_default()).collect()
}

#[test]
fn each_line_of_a_range_has_its_commit() {
    let repo = Repo::empty();
    let version = header("1.5.7");
    let base = "a\nb\nc\nd\ne\nf\ng\nh\n";
    let from = commit(&repo, "base", &[("lib/zstd.h", &version), ("lib/a.c", base)]);
    // On a branch one line is another; on the line itself one goes and one comes.
    repo.git(&["checkout", "-q", "-b", "side"]);
    commit(&repo, "side", &[("lib/a.c", &base.replace("g\n", "G\n"))]);
    repo.git(&["checkout", "-q", "-"]);
    commit(&repo, "takes b", &[("lib/a.c", &base.replace("b\n", ""))]);
    commit(&repo, "brings x", &[("lib/a.c", &base.replace("b\n", "").replace("d\n", "d\nx\n"))]);
    commit(&repo, "elsewhere", &[("other", "1\n")]);
    repo.git(&["merge", "-q", "--no-ff", "-m", "Merge pull request #7 from x/side", "side"]);
    let merged = "a\nc\nd\nx\ne\nf\nG\nh\n";
    assert_eq!(std::fs::read_to_string(repo.folder.path().join("lib/a.c")).unwrap(), merged);
    // A line that came and is another one later is of the later commit.
    let to = commit(&repo, "x again", &[("lib/a.c", &merged.replace("x\n", "y\n"))]);
    let found = between(&repo, &from, &to, "a.c");
    let lines = &found.lines["a.c"];
    assert_eq!(titles(&found, &lines.came), ["", "", "", "x again", "", "", "side", ""]);
    assert_eq!(titles(&found, &lines.went), ["", "takes b", "", "", "", "", "side", ""]);
    let merges: Vec<&str> =
        found.commits.iter().filter(|one| one.is_merge).map(|one| one.title.as_str()).collect();
    assert_eq!(merges, ["Merge pull request #7 from x/side"]);
    let side = found.commits.iter().find(|one| one.title == "side").unwrap();
    assert_eq!((side.pull, &side.files[..]), (Some(7), &["a.c".to_owned()][..]));
}

#[test]
fn files_that_come_and_go_have_their_commits() {
    let repo = Repo::empty();
    let version = header("1.5.7");
    let from = commit(&repo, "base", &[("lib/zstd.h", &version), ("lib/a.c", "a\nb\n")]);
    std::fs::remove_file(repo.folder.path().join("lib/a.c")).unwrap();
    commit(&repo, "removes", &[]);
    let to = commit(&repo, "adds", &[("lib/b.c", "c\n")]);
    let found = between(&repo, &from, &to, "a.c");
    assert_eq!(titles(&found, &found.lines["a.c"].went), ["removes", "removes"]);
    assert!(found.lines["a.c"].came.is_empty());
    let found = between(&repo, &from, &to, "b.c");
    assert_eq!(titles(&found, &found.lines["b.c"].came), ["adds"]);
    // A range that starts beside the line it ends on.
    let found = between(&repo, &to, &from, "a.c");
    assert!(found.commits.is_empty() && found.lines.is_empty());
}
