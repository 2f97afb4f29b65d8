//! What a patch says of itself: a message for people, and trailers from which a program makes the
//! same patch again.

mod recipe;

use std::fmt::Write as _;

pub use recipe::Recipe;

use crate::proof::Figures;

/// Widest line of a message, as kernel reviewers want it.
const WIDTH: usize = 72;

/// All that the message of one patch is made from.
#[derive(Clone, Debug, Default)]
pub struct Letter {
    /// Name of the library.
    pub library: String,
    /// The release that the tree holds before, if any.
    pub from: Option<String>,
    /// The release that it holds afterwards.
    pub to: String,
    /// Where that was read from, in words.
    pub source: String,
    /// What each kind of rule did.
    pub kinds: Vec<Kind>,
    /// Conditions upstream, and those that stay.
    pub conditions: (usize, usize),
    /// What was proved of the files.
    pub proof: Option<Figures>,
    /// What the patch does to files.
    pub stat: Stat,
    /// What changes for callers; `None` where nothing is to be compared.
    pub api: Option<ApiChange>,
    /// The tree's own changes to the library.
    pub locals: Vec<Local>,
    /// The release that the tree holds, where only digests of its files were compared.
    pub by_digests: Option<String>,
    /// Files in the library's folders that this program knows nothing of.
    pub local_files: Vec<String>,
    /// What makes the patch again.
    pub recipe: Recipe,
}

/// What the rules of one kind did.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Kind {
    /// The kind.
    pub kind: String,
    /// How many rules.
    pub rules: usize,
    /// How many edits.
    pub edits: usize,
}

/// Files and lines.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Stat {
    /// Files touched.
    pub files: usize,
    /// Files that are new.
    pub added: usize,
    /// Files that go.
    pub deleted: usize,
    /// Files that move.
    pub renamed: usize,
    /// Lines that come.
    pub insertions: usize,
    /// Lines that go.
    pub deletions: usize,
}

/// What changes for callers.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct ApiChange {
    /// Names that are new.
    pub added: Vec<String>,
    /// Names that go.
    pub removed: Vec<String>,
    /// Declarations before and after, where they differ.
    pub changed: Vec<(String, String)>,
}

/// A change of the tree's own, and what became of it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Local {
    /// `kept`, `upstreamed`, ...
    pub fate: String,
    /// Its name or place.
    pub name: String,
    /// What it is, if that is known.
    pub what: Option<String>,
}

impl Letter {
    /// The subject, without `[PATCH]`.
    pub fn subject(&self) -> String {
        format!("{}: import upstream {}", self.library, self.to)
    }

    /// The message below the subject, without trailers.
    pub fn body(&self) -> String {
        let mut parts = vec![self.opening(), self.rules()];
        parts.extend(self.locals());
        parts.extend(self.by_digests.as_ref().map(|release| {
            let what =
                "What this tree had changed is told by digests of its files alone; the text of";
            wrapped(&format!("{what} {release} was not at hand."), "")
        }));
        parts.extend(self.api.as_ref().map(callers));
        parts.push(self.stat.words());
        parts.push(self.recipe.words());
        parts.join("\n\n") + "\n"
    }

    fn opening(&self) -> String {
        let Letter { library, from, to, source, .. } = self;
        let what = match from {
            Some(from) => format!("Update {library} from upstream release {from} to {to}."),
            None => format!("Add {library}, upstream release {to}."),
        };
        format!("{}\n{}", wrapped(&what, ""), wrapped(&format!("Upstream: {source}"), "  "))
    }

    fn rules(&self) -> String {
        let mut text = wrapped(
            "The files are generated. Each change against upstream is made by a rule that gives \
             its reason; the rules that were at work, by kind:",
            "",
        );
        text.push('\n');
        for Kind { kind, rules, edits } in &self.kinds {
            // Writing to a string can't fail.
            let _ = write!(text, "\n  {kind:<10} {edits:>5} changes, {rules} rules");
        }
        let (before, after) = self.conditions;
        let _ = write!(text, "\n  conditions {after:>5} of {before} stay");
        if let Some(proof) = &self.proof {
            let what = "That each file means what upstream's means, conditionals included, is";
            text = format!("{text}\n\n{}", wrapped(&format!("{what} {}.", proof.words()), ""));
        }
        text
    }

    fn locals(&self) -> Option<String> {
        let change = |local: &Local| {
            let what = local.what.as_ref().map_or(String::new(), |what| format!(", {what}"));
            item(&format!("{}: {}{what}", local.fate, local.name))
        };
        let mut items: Vec<String> = self.locals.iter().map(change).collect();
        items.extend(self.local_files.iter().map(|f| item(&format!("file left as it is: {f}"))));
        (!items.is_empty())
            .then(|| format!("Changes that this tree had made itself:\n\n{}", items.join("\n")))
    }
}

fn callers(api: &ApiChange) -> String {
    let ApiChange { added, removed, changed } = api;
    if added.is_empty() && removed.is_empty() && changed.is_empty() {
        return wrapped("Callers find the same names with the same parameters as before.", "");
    }
    let list = |what: &str, names: &[String]| {
        (!names.is_empty()).then(|| item(&format!("{what}: {}", names.join(", "))))
    };
    let mut items: Vec<String> = Vec::new();
    items.extend(list("new", added));
    items.extend(list("removed", removed));
    items.extend(changed.iter().map(|(old, new)| item(&format!("changed: {old} is now {new}"))));
    format!("For callers:\n\n{}", items.join("\n"))
}

impl Stat {
    fn words(&self) -> String {
        let Stat { files, added, deleted, renamed, insertions, deletions } = self;
        wrapped(
            &format!(
                "{files} files: {added} new, {deleted} deleted, {renamed} renamed; {insertions} \
                 lines in, {deletions} out."
            ),
            "",
        )
    }
}

/// One item of a list.
pub fn item(text: &str) -> String {
    let text = wrapped(text, "  ");
    format!("- {}", text.trim_start())
}

/// Breaks a paragraph into lines, each behind `indent`. A word that is too long stands alone.
pub fn wrapped(text: &str, indent: &str) -> String {
    let mut out = String::new();
    let mut width = 0;
    for word in text.split_whitespace() {
        let length = word.chars().count();
        if width > 0 && width + 1 + length > WIDTH {
            out.push('\n');
            width = 0;
        }
        if width == 0 {
            out.push_str(indent);
            width = indent.len() + length;
        } else {
            out.push(' ');
            width += 1 + length;
        }
        out.push_str(word);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn letter() -> Letter {
        let kind = Kind { kind: "includes".into(), rules: 12, edits: 183 };
        Letter {
            library: "lib".into(),
            from: Some("1.0.0".into()),
            to: "1.1.0".into(),
            source: "package lib-sys 2.0.1, sha256 0123".into(),
            kinds: vec![kind],
            conditions: (440, 145),
            stat: Stat { files: 3, added: 1, insertions: 10, deletions: 2, ..Stat::default() },
            api: Some(ApiChange::default()),
            recipe: Recipe { release: "v1.1.0".into(), ..Recipe::default() },
            ..Letter::default()
        }
    }

    #[test]
    fn the_message_says_what_how_much_and_how() {
        let letter = letter();
        assert_eq!(letter.subject(), "lib: import upstream 1.1.0");
        let body = letter.body();
        let expected = [
            "Update lib from upstream release 1.0.0 to 1.1.0.\n  Upstream: package",
            "\n  includes     183 changes, 12 rules\n  conditions   145 of 440 stay\n",
            "the same names with the same parameters",
            "3 files: 1 new, 0 deleted, 0 renamed; 10 lines in, 2 out.",
            "kernelize patch v1.1.0",
        ];
        for part in expected {
            assert!(body.contains(part), "{part}\n{body}");
        }
        assert!(!body.contains("had made itself"));
        assert!(body.lines().all(|line| line.chars().count() <= WIDTH));
    }

    #[test]
    fn local_changes_and_callers_are_listed() {
        let mut letter = letter();
        let what = Some("a gate that older compilers need because of a fault of theirs".into());
        letter.locals = vec![Local { fate: "kept".into(), name: "gate".into(), what }];
        letter.local_files = vec!["lib/own.c".into()];
        let changed = vec![("int f(int)".into(), "int f(long)".into())];
        letter.api = Some(ApiChange {
            added: vec!["a".into(), "b".into()],
            removed: vec!["c".into()],
            changed,
        });
        let body = letter.body();
        let expected = [
            "itself:\n\n- kept: gate, a gate that older compilers need because of a fault of\n  theirs\n",
            "- file left as it is: lib/own.c\n",
            "For callers:\n\n- new: a, b\n- removed: c\n- changed: int f(int) is now int f(long)\n",
        ];
        for part in expected {
            assert!(body.contains(part), "{part}\n{body}");
        }
    }

    #[test]
    fn a_base_known_by_digests_alone_is_told() {
        assert!(!letter().body().contains("digests"));
        let body = Letter { by_digests: Some("v1.0.0".into()), ..letter() }.body();
        let body = body.replace('\n', " ");
        assert!(body.contains("digests of its files alone; the text of v1.0.0 was not"), "{body}");
    }

    #[test]
    fn long_words_stand_alone() {
        let long = "x".repeat(100);
        assert_eq!(wrapped(&format!("a {long} b"), " "), format!(" a\n {long}\n b"));
    }
}
