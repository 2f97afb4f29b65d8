//! Identifiers that are called something else in the kernel.

use std::collections::HashMap;

use super::{File, Proposal};
use crate::finding::Finding;
use crate::preprocess::lexer::TokenKind;
use crate::rules::NameRule;

/// Renames by token, in code and macro bodies alike; comments, strings and header names stay. A
/// name with a forbidden prefix that no rule knows is a finding.
pub fn propose(file: &File<'_>, rules: &[&NameRule], out: &mut Proposal) {
    let renames: HashMap<&[u8], (&NameRule, &str)> = rules
        .iter()
        .flat_map(|rule| {
            rule.rename.iter().map(|(from, to)| (from.as_bytes(), (*rule, to.as_str())))
        })
        .collect();
    for token in file.tokens.iter().filter(|token| token.kind == TokenKind::Identifier) {
        let word = token.text(file.bytes());
        if let Some((rule, to)) = renames.get(&*word) {
            out.edits.replace(token.span, *to, &rule.rule.name);
            continue;
        }
        let forbidden = rules.iter().find_map(|rule| {
            let mut prefixes = rule.forbid_prefixes.iter();
            prefixes.find(|prefix| word.starts_with(prefix.as_bytes())).map(|prefix| (*rule, prefix))
        });
        let Some((rule, prefix)) = forbidden else { continue };
        let word = String::from_utf8_lossy(&word);
        let allowing = rules.iter().find(|rule| rule.allow.iter().any(|name| *name == word));
        if let Some(rule) = allowing {
            out.count(&rule.rule.name);
            continue;
        }
        let finding =
            Finding::error("forbidden-name", format!("`{word}` has no counterpart in the kernel"));
        let finding = file.point(finding, token.span, "not in the table of names");
        let finding = finding.label(rule.rule.label(format!("names in `{prefix}` are mapped here")));
        out.findings.push(
            finding.hint("map it to what the kernel offers, or guard its use so that it is left out"),
        );
    }
}
