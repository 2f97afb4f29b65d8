//! Whether a tree's Kconfig has the symbols that the library's modules are built by.

use super::tree::Tree;
use crate::finding::{Finding, Findings, Result};
use crate::rules::Library;
use crate::text::{Source, Span, TreePath};

/// Code of the findings.
pub const CODE: &str = "kconfig-lacks";

/// Looks for the symbol of every module: without one, make builds nothing of it and says nothing.
///
/// # Errors
/// The Kconfig file can't be read.
pub fn check(tree: &Tree, library: &Library) -> Result<Findings> {
    let mut findings = Findings::default();
    let Some(path) = library.kconfig_file.as_deref().and_then(TreePath::new) else {
        return Ok(findings);
    };
    let bytes = tree.file(&path)?.unwrap_or_default();
    let source = Source::new(path.as_str(), bytes);
    for module in &library.modules {
        let symbol = module.kconfig.strip_prefix("CONFIG_").unwrap_or(&module.kconfig);
        if !defines(&source.bytes, symbol) {
            let message = format!("{path} has no symbol {symbol}, which builds {}", module.name);
            findings.push(
                Finding::error(CODE, message)
                    .at(&source, Span::at(0), "missing in this file")
                    .hint("add it there in a patch before, or choose a tree that has it"),
            );
        }
    }
    Ok(findings)
}

/// Whether a `config` or `menuconfig` line names the symbol.
fn defines(kconfig: &[u8], symbol: &str) -> bool {
    String::from_utf8_lossy(kconfig).lines().any(|line| {
        let mut words = line.split_whitespace();
        matches!(words.next(), Some("config" | "menuconfig")) && words.next() == Some(symbol)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn symbols_are_defined_by_their_own_line() {
        let kconfig = b"# config C\nconfig A_B\n\tselect C\n  menuconfig  D # x\n";
        let has = |symbol| defines(kconfig, symbol);
        assert!(has("A_B") && has("D"));
        assert!(!has("A") && !has("B") && !has("C"));
    }
}
