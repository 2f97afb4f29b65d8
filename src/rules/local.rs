//! `local/*.toml`: from its shape to its checked form.

use super::convert::{Kind, Reader, SHORTEST_WHY, about_this, at, kernel, tree_path};
use super::fields::{instead, span};
use super::shape::{LocalShape, Text, Texts};
use super::version::Expect;
use super::{Decision, LocalRule, Rule, Ruleset};

/// Digits of a commit id that tell it from all others.
const FEWEST_DIGITS: usize = 12;

impl Kind for LocalShape {
    fn convert(mut self, read: &mut Reader<'_>, into: &mut Ruleset) -> Option<()> {
        let common = self.common();
        for key in [&common.expect, &common.expect_since, &common.expect_until] {
            let place = "the rules of other kinds: no import has to match a local change";
            read.only_with("expect", at(key.as_ref()), place);
        }
        let common = read.common(common);
        let (about, files) = read.strings("files", self.files, tree_path)?;
        let adds = pieces(read, "adds", self.adds)?;
        let removes = pieces(read, "removes", self.removes)?;
        if adds.is_empty() && removes.is_empty() {
            return read.missing("adds` or `removes");
        }
        let kernel = match self.kernel {
            None => None,
            text => Some(read.string("kernel", text, kernel)?.1),
        };
        let commit = match self.commit {
            None => None,
            text => Some(read.string("commit", text, commit)?.1),
        };
        let upstreamed = match self.upstreamed {
            None => None,
            text => Some(read.version(text)?),
        };
        let generated = self.generated.is_some_and(|flag| flag.into_inner());
        let decision = decision(read, self.decision, self.decision_why)?;
        // No import has to match it: trees differ in what they carry.
        let rule = Rule { expect: Expect { least: 0, ..Expect::default() }, ..common? };
        let rule = about_this(Some(rule), about)?;
        into.local.push(LocalRule {
            rule,
            files,
            adds,
            removes,
            kernel,
            commit,
            upstreamed,
            generated,
            decision,
        });
        Some(())
    }
}

/// Pieces of C; none where the key is not given.
fn pieces(read: &mut Reader<'_>, key: &str, list: Option<Texts>) -> Option<Vec<String>> {
    match list {
        None => Some(Vec::new()),
        list => Some(read.strings(key, list, piece)?.1),
    }
}

fn piece(text: &str) -> Result<(), String> {
    match text.trim().is_empty() {
        true => Err("a piece of C is wanted".into()),
        false => Ok(()),
    }
}

fn commit(text: &str) -> Result<(), String> {
    let hex = text.bytes().all(|b| b.is_ascii_digit() || (b'a'..=b'f').contains(&b));
    match hex && (FEWEST_DIGITS..=40).contains(&text.len()) {
        true => Ok(()),
        false => {
            Err(format!("`{text}` is no commit id: at least {FEWEST_DIGITS} hex digits are wanted"))
        }
    }
}

/// `None` in the outer place for a mistake, in the inner one where nothing is decided.
fn decision(
    read: &mut Reader<'_>,
    decision: Option<Text>,
    why: Option<Text>,
) -> Option<Option<(Decision, String)>> {
    let Some(decision) = decision else {
        read.only_with("decision-why", at(why.as_ref()), "`decision`");
        return Some(None);
    };
    let place = span(decision.span());
    let what = match decision.get_ref().as_str() {
        "keep" => Decision::Keep,
        "drop" => Decision::Drop,
        other => {
            read.wrong(
                place,
                format!("`{other}` decides nothing; {}", instead(other, &["keep", "drop"])),
            );
            return None;
        }
    };
    let why = read.required("decision-why", why)?;
    if why.get_ref().trim().len() < SHORTEST_WHY {
        read.wrong(span(why.span()), "`decision-why` gives no reason");
    }
    Some(Some((what, why.into_inner())))
}
