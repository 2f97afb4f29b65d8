//! Findings about templates that offer less than the header they stand for.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::OutputFile;
use crate::finding::{Finding, Findings};
use crate::kernel::layout::Layout;
use crate::kernel::replaced::{File, Lack, lacking};
use crate::memo::{Key, Memo};
use crate::preprocess::lexer::Scanned;
use crate::text::{Source, TreePath};

/// Holds every template against the header that it stands for.
pub(super) fn check(
    memo: &Memo,
    files: &BTreeMap<TreePath, Arc<Source>>,
    keys: &BTreeMap<TreePath, Option<Key>>,
    layout: &Layout,
    output: &BTreeMap<TreePath, OutputFile>,
    findings: &mut Findings,
) {
    for (place, template) in &layout.templates {
        let path = template.replaces.as_ref();
        let (Some(path), Some(ours)) = (path, output.get(place)) else { continue };
        let Some(upstream) = files.get(path) else { continue };
        let code = |path: &TreePath| matches!(path.extension(), Some("c" | "h"));
        let others = output.iter().filter(|(path, _)| *path != place && code(path));
        let others = others.map(|(path, of)| (path, file(of))).collect();
        let key = keys.get(path).copied().flatten();
        let scan = Scanned::default();
        let theirs = File { bytes: &upstream.bytes, key, scan: &scan };
        for lack in lacking(memo, theirs, file(ours), &others) {
            if let Some(finding) = finding(&lack, upstream, ours, output) {
                findings.push(finding);
            }
        }
    }
}

fn file(file: &OutputFile) -> File<'_> {
    File { bytes: file.text.bytes(), key: file.key, scan: &file.scan }
}

fn finding(
    lack: &Lack,
    upstream: &Arc<Source>,
    ours: &OutputFile,
    output: &BTreeMap<TreePath, OutputFile>,
) -> Option<Finding> {
    let user = output.get(&lack.user)?;
    let (message, here, there) = match lack.asks {
        true => (
            format!("{} has no part for `{}`, which is asked for", ours.source.name, lack.name),
            "asked for here",
            "the part of the header it stands for",
        ),
        false => (
            format!("{} lacks `{}`, which is used", ours.source.name, lack.name),
            "used here",
            "offered by the header it stands for",
        ),
    };
    let at = user.text.upstream_cover(lack.at);
    let finding = Finding::error("template-lacks", message).at(&user.source, at, here).at(
        upstream,
        lack.definition,
        there,
    );
    Some(finding.hint(format!("add `{}` to the template", lack.name)))
}
