//! Commits on a new branch.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;

use kernelize::finding::ErrorKind;
use kernelize::git::{Identity, NewCommit, Repository, differences};
use kernelize::text::Files;

use crate::support::{DATE, Repo, change, files, lines, mail, said};

fn base() -> Files {
    files(&[
        ("Makefile", b"VERSION = 6\n"),
        ("lib/zstd/a.c", &lines(0..20)),
        ("lib/zstd/deep/er/b.h", b"b\n"),
        ("lib/zstd.c", b"beside\n"),
        ("lib/zstd-x", b"beside\n"),
        ("lib/other.c", b"o\n"),
        ("becomes", b"a folder\n"),
        ("turns/into", b"a file\n"),
    ])
}

fn wanted() -> Files {
    let mut new = base();
    new.retain(|path, _| {
        !["lib/zstd/deep/er/b.h", "becomes", "turns/into"].contains(&path.as_str())
    });
    new.extend(files(&[
        ("lib/zstd/a.c", &lines(1..20)),
        ("lib/zstd/new/c.h", b"c\n"),
        ("becomes/one", b"a folder\n"),
        ("turns", b"a file\n"),
    ]));
    new
}

/// All that a repository holds, but objects, which may come.
fn state(repo: &Repo) -> BTreeMap<PathBuf, Vec<u8>> {
    let walk = walkdir::WalkDir::new(repo.path()).into_iter();
    let walk = walk.filter_entry(|entry| !entry.path().ends_with(".git/objects"));
    let files = walk.map(|entry| entry.unwrap()).filter(|entry| entry.file_type().is_file());
    files.map(|entry| (entry.path().to_owned(), fs::read(entry.path()).unwrap())).collect()
}

fn commit(repo: &Repo, branch: &str) -> kernelize::finding::Result<String> {
    let opened = Repository::find_in(repo.path()).unwrap().unwrap();
    let base = opened.find("HEAD").unwrap().unwrap().commit;
    let new = NewCommit {
        base: &base,
        changes: &differences(&self::base(), &wanted()),
        message: &mail("a subject", "A body.").message().unwrap(),
        author: &Identity::new("A U Thor", "author@example.org").unwrap(),
        date: DATE,
    };
    opened.commit_on_new_branch(branch, &new).map(|id| id.to_string())
}

#[test]
fn only_objects_and_the_branch_are_added() {
    let repo = Repo::new(&base());
    fs::write(repo.path().join("Makefile"), "changed, not committed\n").unwrap();
    fs::write(repo.path().join("untracked"), "x").unwrap();
    repo.git(&["add", "untracked"]);
    repo.git(&["update-index", "--chmod=+x", "lib/other.c"]);
    let (before, count) = (state(&repo), repo.git(&["count-objects"]));
    let id = commit(&repo, "topic/import").unwrap();
    let mut after = state(&repo);
    let git = repo.path().join(".git");
    assert!(after.remove(&git.join("refs/heads/topic/import")).is_some());
    assert!(after.remove(&git.join("logs/refs/heads/topic/import")).is_some());
    assert_eq!(after, before);
    assert_ne!(repo.git(&["count-objects"]), count);
    assert_eq!(repo.git(&["rev-parse", "topic/import"]), id);
    assert_eq!(repo.git(&["fsck", "--strict"]), "");
    assert_eq!(repo.git(&["log", "-1", "--format=%cn %ct %p", &id]), {
        let base = repo.git(&["rev-parse", "--short=12", "main"]);
        format!("A U Thor {DATE} {base}")
    });
}

#[test]
fn the_commit_is_the_one_that_git_am_makes() {
    let repo = Repo::new(&base());
    let id = commit(&repo, "ours").unwrap();
    assert_eq!(commit(&repo, "again").unwrap(), id);
    let patch = mail("a subject", "A body.").render(&change(&base(), &wanted()), None).unwrap();
    let output = repo.run(&["am", "-q", "--committer-date-is-author-date"], &patch);
    assert!(output.status.success(), "{}", said(&output));
    assert_eq!(repo.head(), wanted());
    assert_eq!(repo.git(&["rev-parse", "HEAD"]), id);
}

#[test]
fn modes_and_what_is_no_file_stay() {
    let repo = Repo::new(&base());
    repo.git(&["update-index", "--chmod=+x", "lib/zstd/a.c", "lib/other.c"]);
    repo.git(&["update-index", "--add", "--cacheinfo", &format!("160000,{},sub", "1".repeat(40))]);
    repo.git(&["commit", "-q", "-m", "modes"]);
    commit(&repo, "ours").unwrap();
    let changed = repo.git(&["diff", "--name-only", "--no-renames", "main", "ours"]);
    assert_eq!(
        changed.lines().collect::<Vec<_>>(),
        [
            "becomes",
            "becomes/one",
            "lib/zstd/a.c",
            "lib/zstd/deep/er/b.h",
            "lib/zstd/new/c.h",
            "turns",
            "turns/into",
        ]
    );
    assert!(repo.git(&["ls-tree", "ours", "lib/zstd/a.c"]).starts_with("100755"));
}

#[test]
fn branches_that_are_there_and_bad_names_are_refused() {
    let repo = Repo::new(&base());
    let before = state(&repo);
    for bad in ["main", "", "a b", "a..b", "/a", "a/", "-a", "a.lock", "HEAD", "a\nb", "@{", "../x"]
    {
        let error = commit(&repo, bad).unwrap_err();
        assert_eq!(error.kind, ErrorKind::Usage, "{bad}: {error}");
        let opened = Repository::find_in(repo.path()).unwrap().unwrap();
        assert!(opened.check_branch(bad).is_err(), "{bad}");
    }
    // A branch can't lie below another.
    assert!(commit(&repo, "main/below").unwrap_err().message.contains("main/below"));
    assert_eq!(state(&repo), before);
}

#[test]
fn what_stands_in_the_way_is_not_overwritten() {
    let refused = |base: Files, old: &Files, new: &Files| {
        let repo = Repo::new(&base);
        let opened = Repository::find_in(repo.path()).unwrap().unwrap();
        let new = NewCommit {
            base: &opened.find("HEAD").unwrap().unwrap().commit,
            changes: &differences(old, new),
            message: "x",
            author: &Identity::new("A", "a@b").unwrap(),
            date: DATE,
        };
        let error = opened.commit_on_new_branch("ours", &new).unwrap_err();
        assert!(!opened.has_reference("refs/heads/ours"));
        error.message
    };
    let none = Files::new();
    let said = refused(files(&[("lib/a", b"1")]), &none, &files(&[("lib", b"2")]));
    assert!(said.contains("what `lib` is"), "{said}");
    let said = refused(files(&[("x/lib", b"1")]), &none, &files(&[("x/lib/a/b", b"2")]));
    assert!(said.contains("what `x/lib` is"), "{said}");
    let old = files(&[("lib/a", b"1")]);
    let said = refused(files(&[("lib/a", b"1"), ("lib/b", b"1")]), &old, &files(&[("lib", b"2")]));
    assert!(said.contains("what `lib` is"), "{said}");
    let deep = files(&[(&format!("{}a", "a/".repeat(70)), b"1")]);
    assert!(refused(none.clone(), &none, &deep).contains("64 folders deep"));
}

#[test]
fn a_damaged_object_that_is_in_the_way_is_found() {
    let repo = Repo::new(&base());
    let id = commit(&repo, "ours").unwrap();
    repo.git(&["branch", "-q", "-D", "ours"]);
    let file = repo.path().join(format!(".git/objects/{}/{}", &id[..2], &id[2..]));
    let bytes = fs::read(&file).unwrap();
    fs::remove_file(&file).unwrap();
    fs::write(&file, &bytes[..bytes.len() / 2]).unwrap();
    let error = commit(&repo, "ours").unwrap_err();
    assert!(
        error.message.contains("the new commit") && error.message.contains("damaged"),
        "{error}"
    );
}

#[test]
fn the_author_of_a_repository_comes_before_the_users_own() {
    let repo = Repo::new(&base());
    let own = repo.path().join("own");
    fs::write(&own, "[user]\nname = Own\nemail = own@x\n").unwrap();
    let own = own.to_str().unwrap().to_owned();
    let variable = |name: &str| (name == "GIT_CONFIG_GLOBAL").then(|| own.clone());
    let ask = || {
        let opened = Repository::find_in(repo.path()).unwrap();
        Identity::of_user(opened.as_ref(), &variable).unwrap().to_string()
    };
    assert_eq!(ask(), "Own <own@x>");
    repo.git(&["config", "user.name", "Local"]);
    assert_eq!(ask(), "Local <own@x>");
}
