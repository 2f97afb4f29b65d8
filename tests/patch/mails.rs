//! Heads, messages and letters, as git writes and reads them.

use std::fs;

use kernelize::git::Identity;
use kernelize::patch::{Mail, apply, file_name, parse};

use proptest::prelude::*;

use crate::support::{DATE, Repo, change, files, mail, same};

fn trees() -> (kernelize::text::Files, kernelize::text::Files) {
    (files(&[("a", b"1\n")]), files(&[("a", b"2\n"), ("b/c", b"3\n")]))
}

/// `mail` as git writes the same.
#[track_caller]
fn as_git(mail: &Mail) {
    let (old, new) = trees();
    let ours = mail.render(&change(&old, &new), None).unwrap();
    let repo = Repo::new(&old);
    repo.lay(&new);
    let author = format!("--author={}", mail.author);
    let date = format!("--date={DATE} +0000");
    let message = mail.message().unwrap();
    repo.git(&["commit", "-q", "--cleanup=verbatim", &author, &date, "-m", &message]);
    let options = ["format-patch", "--stdout", "--zero-commit", "--signature=tool 1", "-1"];
    same(&ours, &repo.run(&options, b"").stdout);

    let parsed = parse(&ours).unwrap();
    assert_eq!((&parsed.subject, parsed.number), (&mail.subject, None));
    assert_eq!(parsed.body, mail.body.trim_matches('\n'));
    assert_eq!(parsed.trailers, mail.trailers);
    let author = Identity::parse(&parsed.header("From").unwrap().replace('"', "")).unwrap();
    assert_eq!(author.mail, mail.author.mail);
    assert!(ours[parsed.diff..].starts_with(b"diff --git a/a b/a\n"));

    repo.git(&["reset", "-q", "--hard", "HEAD~1"]);
    let output = repo.run(&["am", "-q"], &ours);
    assert!(output.status.success(), "{}", crate::support::said(&output));
    assert_eq!(
        repo.git(&["log", "-1", "--format=%an <%ae> %at"]),
        format!("{} {DATE}", mail.author)
    );
    assert_eq!(repo.git(&["log", "-1", "--format=%B"]), message.trim_end());
}

#[test]
fn heads_are_written_and_read_as_by_git() {
    let subjects = [
        "zstd: import upstream 1.5.7",
        "a subject that is so long that it has to be folded, once and, since it does not end, twice or more often",
        "ein Betreff für größere Zeilen, die umgebrochen werden müssen, und zwar an Grenzen von Zeichen: 漢字漢字漢字漢字",
        "an =?encoded?= word",
        "aword".repeat(30).leak(),
    ];
    for subject in subjects {
        as_git(&mail(subject, ""));
        as_git(&mail(subject, "A body.\n\nWith a second part: ü.\n"));
    }
}

#[test]
fn authors_are_written_and_read_as_by_git() {
    let names = [
        "A U Thor",
        "A. U. Thor, Jr.",
        "Jürgen Groß",
        "A \"B\" C",
        "Someone With A Name That Is As Long As Git Lets Pass, Nearly",
        "Jürgen von und zu Müller-Lüdenscheidt-Größenwahn",
    ];
    for name in names {
        for address in ["a@example.org", "someone.with.a.very.long.address@mail.example.org"] {
            let mut mail = mail("a subject", "");
            mail.author = Identity::new(name, address).unwrap();
            as_git(&mail);
        }
    }
}

#[test]
fn trailers_stand_at_the_end() {
    let mut mail =
        mail("a subject", "body\n\nNote: not a trailer, as this line is long\nand has another.");
    mail.trailers = [("Upstream-commit", "abc"), ("Signed-off-by", "Ä <a@b>")]
        .map(|(key, value)| (key.to_owned(), value.to_owned()))
        .into();
    as_git(&mail);
    mail.body.clear();
    as_git(&mail);
}

#[test]
fn what_would_end_or_bend_a_message_is_refused() {
    for body in [
        "---",
        "a\n---\nb",
        "--- a/x",
        "diff -u",
        "From here on",
        ">From x",
        "x\nIndex: y",
        "From: me",
        "Subject: x",
        "date: x",
        "a\0b",
        "\x1b[m",
        "trailing ",
        "-- >8 --",
        "a\rb",
    ] {
        let error = mail("x", body).message().unwrap_err();
        assert!(error.message.contains("of the patch"), "{body:?}: {error}");
    }
    for body in
        ["----", "-- ", ">8 and 8<", "indented:\n  --- a", "a diff - b", "x\nFrom: me", "a\tb"]
    {
        let body = body.trim_end();
        as_git(&mail("x", body));
    }
    for subject in ["", "a\nb", " a", "a  b", "[x] a", "a\u{7f}"] {
        assert!(mail(subject, "").message().is_err(), "{subject:?}");
    }
    let mut bad = mail("x", "");
    bad.trailers = vec![("Signed-off-by".into(), "a\nb".into())];
    assert!(bad.message().is_err());
    bad.trailers = vec![("Signed off".into(), "a".into())];
    assert!(bad.message().is_err());
    let mut bad = mail("x", "");
    bad.date = -1;
    let (old, new) = trees();
    assert!(bad.render(&change(&old, &new), None).unwrap_err().message.contains("-1 seconds"));
    bad.date = DATE;
    for name in ["x\nBcc: y", "a@b", &"a".repeat(61)] {
        bad.author.name = name.into();
        assert!(bad.message().is_err(), "{name}");
    }
}

#[test]
fn a_series_is_numbered_and_has_a_letter() {
    let repo = Repo::new(&files(&[("a", b"0\n")]));
    let long =
        "a subject that is long enough to be broken in the list of the letter, which is narrow";
    let subjects: Vec<String> = (1..=11)
        .map(|n| if n == 4 { long.into() } else { format!("step no. {n}: [x], done...") })
        .collect();
    let trees: Vec<_> = (0..=11_u8).map(|n| files(&[("a", &[b'0' + n, b'\n'])])).collect();
    for (subject, tree) in subjects.iter().zip(&trees[1..]) {
        repo.lay(tree);
        repo.git(&["commit", "-q", "-m", subject]);
    }
    let written = repo.git(&[
        "format-patch",
        "--zero-commit",
        "--signature=tool 1",
        "--cover-letter",
        "-11",
        "-o",
        "out",
    ]);
    let theirs: Vec<Vec<u8>> =
        written.lines().map(|name| fs::read(repo.path().join(name)).unwrap()).collect();
    for (number, (subject, pair)) in subjects.iter().zip(trees.windows(2)).enumerate() {
        let change = change(&pair[0], &pair[1]);
        let ours = mail(subject, "").render(&change, Some((number + 1, 11))).unwrap();
        same(&ours, &theirs[number + 1]);
        assert_eq!(parse(&ours).unwrap().number, Some((number + 1, 11)));
        let name = written.lines().nth(number + 1).unwrap();
        assert_eq!(format!("out/{}", file_name(number + 1, subject)), name);
    }
    let subjects: Vec<&str> = subjects.iter().map(String::as_str).collect();
    let cover =
        mail("an ü", "The blurb: ü.\n").render_cover(&change(&trees[0], &trees[11]), &subjects);
    let theirs = String::from_utf8(theirs[0].clone()).unwrap();
    let theirs = theirs.replace("*** BLURB HERE ***", "The blurb: ü.");
    let mime = "=?UTF-8?q?an=20=C3=BC?=\nMIME-Version: 1.0\nContent-Type: text/plain; \
                charset=UTF-8\nContent-Transfer-Encoding: 8bit";
    same(&cover.unwrap(), theirs.replace("*** SUBJECT HERE ***", mime).as_bytes());
}

proptest! {
    #[test]
    fn no_damage_to_a_patch_ends_in_anything_but_an_error_or_another_tree(
        places in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>(), 0..3_u8), 1..4),
    ) {
        let (old, new) = trees();
        let mut patch = mail("a subject", "body").render(&change(&old, &new), None).unwrap();
        for (place, byte, how) in places {
            let at = place.index(patch.len());
            match how {
                0 => patch[at] = byte,
                1 => patch.insert(at, byte),
                _ => patch.truncate(at.max(1)),
            }
        }
        let _ = parse(&patch);
        let _ = apply(&patch, &old);
    }
}
