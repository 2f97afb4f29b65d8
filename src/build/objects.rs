//! What compilers and binutils write about objects: symbols, sizes, stack frames.

use std::collections::BTreeSet;

/// What an object, or several linked, have to do with others.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct Symbols {
    /// Global definitions of which there may be one.
    pub(super) defines: BTreeSet<String>,
    /// Definitions that another one goes before.
    pub(super) weak: BTreeSet<String>,
    /// What others must define.
    pub(super) needs: BTreeSet<String>,
    /// What is exported to modules, by the marks that the stand-in for the kernel's macro leaves.
    pub(super) exports: BTreeSet<String>,
}

/// A mark that a symbol is exported, as kernels since 6.4 leave it.
const EXPORT: &str = "__export_symbol_";

/// Reads the output of `nm -P`.
pub(super) fn symbols(text: &str) -> Symbols {
    let mut symbols = Symbols::default();
    for line in text.lines() {
        let mut words = line.split_whitespace();
        let (Some(name), Some(kind)) = (words.next(), words.next()) else { continue };
        if let Some(exported) = name.strip_prefix(EXPORT) {
            symbols.exports.insert(exported.to_owned());
            continue;
        }
        let into = match kind {
            "U" => &mut symbols.needs,
            "W" | "V" => &mut symbols.weak,
            // A weak reference may stay without a definition.
            "w" | "v" => continue,
            kind if kind.chars().all(char::is_uppercase) => &mut symbols.defines,
            _ => continue,
        };
        into.insert(name.to_owned());
    }
    symbols
}

/// Bytes of an object by kind: code and constants, data, data that starts as zeros.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Size {
    pub(super) text: u64,
    pub(super) data: u64,
    pub(super) bss: u64,
}

/// Reads the output of `size` for objects in Berkeley's form: their sizes by name.
pub(super) fn sizes(text: &str) -> Vec<(String, Size)> {
    let row = |line: &str| {
        let mut words = line.split_whitespace();
        let mut number = || words.next()?.parse().ok();
        let (text, data, bss) = (number()?, number()?, number()?);
        Some((words.nth(2)?.to_owned(), Size { text, data, bss }))
    };
    text.lines().filter_map(row).collect()
}

/// What a function needs of the stack.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Frame {
    pub(super) file: String,
    pub(super) line: usize,
    /// 0 where the compiler gives none.
    pub(super) column: usize,
    /// Name in the source: a compiler's own copies have more behind a dot.
    pub(super) function: String,
    pub(super) bytes: u64,
}

/// Reads a file that `-fstack-usage` made: `file:line:column:function`, tab, bytes, tab, kind; clang
/// gives no column.
pub(super) fn frames(text: &str) -> Vec<Frame> {
    let row = |line: &str| {
        let mut fields = line.split('\t');
        let (place, bytes) = (fields.next()?, fields.next()?.parse().ok()?);
        let (place, function) = place.rsplit_once(':')?;
        let function = function.split('.').next().unwrap_or(function).to_owned();
        let (rest, last) = place.rsplit_once(':')?;
        let last = last.parse().ok()?;
        let both = rest.rsplit_once(':').and_then(|(file, n)| Some((file, n.parse().ok()?)));
        let (file, line, column) = match both {
            Some((file, line)) => (file, line, last),
            None => (rest, last, 0),
        };
        Some(Frame { file: file.to_owned(), line, column, function, bytes })
    };
    text.lines().filter_map(row).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn symbols_are_sorted_by_what_they_mean_to_others() {
        let text = "f T 0 10\ng t 0 4\nh U\ndata D 0 4\nlocal d 0 4\nweak W 0 1\nmaybe w\n\
            __export_symbol_f r 0 1\ncommon C 4 4\n\nbroken\n";
        let symbols = symbols(text);
        let list = |set: &BTreeSet<String>| set.iter().cloned().collect::<Vec<_>>().join(" ");
        assert_eq!(list(&symbols.defines), "common data f");
        assert_eq!(list(&symbols.weak), "weak");
        assert_eq!(list(&symbols.needs), "h");
        assert_eq!(list(&symbols.exports), "f");
    }

    #[test]
    fn sizes_are_read_past_the_heading() {
        let text = "   text\t   data\t    bss\t    dec\t    hex\tfilename\n\
            \x20   123\t      8\t     16\t    147\t     93\tobj/a.o\n";
        let wanted = ("obj/a.o".to_owned(), Size { text: 123, data: 8, bss: 16 });
        assert_eq!(sizes(text), [wanted]);
    }

    #[test]
    fn frames_of_both_compilers_are_read() {
        let text = "lib/a.c:12:7:f\t96\tstatic\nlib/a.c:40:g.constprop.0\t4096\tdynamic,bounded\n\
            nonsense\n";
        let read = frames(text);
        assert_eq!(read.len(), 2);
        assert_eq!((read[0].line, read[0].column, &*read[0].function), (12, 7, "f"));
        assert_eq!((read[1].file.as_str(), read[1].line, read[1].column), ("lib/a.c", 40, 0));
        assert_eq!((&*read[1].function, read[1].bytes), ("g", 4096));
    }
}
