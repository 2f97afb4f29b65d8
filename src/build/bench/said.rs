//! What the program that measures says, line by line; `program.c` of a ruleset lists the lines.

use std::str::SplitWhitespace;

use super::{Request, Row, Taken};
use crate::build::process::plain;
use crate::finding::{Finding, Findings};

/// All of it.
#[derive(Debug, Default)]
pub(super) struct Said {
    pub(super) rows: Vec<Row>,
    pub(super) findings: Findings,
    /// Whether it came to its end, or knew why not.
    pub(super) ended: bool,
}

impl Said {
    pub(super) fn read(text: &str, request: &Request<'_>) -> Said {
        let mut said = Said::default();
        for line in text.lines() {
            let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
            match word {
                // What follows goes by the numbers of rows.
                "ROW" => match row(rest.split_whitespace(), request) {
                    Some(row) => said.rows.push(row),
                    None => return said,
                },
                "PAIR" => _ = said.pair(rest.split_whitespace()),
                "FAULT" => said.findings.push(fault(rest, request)),
                "BROKE" => {
                    said.findings.push(fault(rest, request));
                    said.ended = true;
                }
                "DONE" => said.ended = true,
                _ => {}
            }
        }
        said
    }

    fn pair(&mut self, mut words: SplitWhitespace<'_>) -> Option<()> {
        let row = self.rows.get_mut(words.next()?.parse::<usize>().ok()?)?;
        let pairs = match words.next()? {
            "c" => &mut row.compress,
            _ => &mut row.decompress,
        };
        let bytes = words.next()?.parse().ok()?;
        let nanoseconds = [words.next()?.parse().ok()?, words.next()?.parse().ok()?];
        pairs.push(Taken { bytes, nanoseconds });
        Some(())
    }
}

fn row(mut words: SplitWhitespace<'_>, request: &Request<'_>) -> Option<Row> {
    let part = words.next()?.parse().ok().filter(|part| *part < request.corpus.len())?;
    let block: u64 = words.next()?.parse().ok()?;
    let level = words.next()?.parse().ok()?;
    let mut number = || words.next()?.parse::<u64>().ok();
    let compressed = [number()?, number()?];
    let same = number()? == 1;
    let memory = [number()?, number()?];
    let block = Some(block).filter(|block| *block > 0);
    let (compress, decompress) = (Vec::new(), Vec::new());
    Some(Row { part, block, level, compressed, same, memory, compress, decompress })
}

/// The rows in the program's order: part, block and level.
fn planned(request: &Request<'_>) -> Vec<(usize, u64, i32)> {
    let mut rows = Vec::new();
    for (number, part) in request.corpus.iter().enumerate() {
        for block in request.blocks.iter().filter(|block| **block < part.bytes.len() as u64) {
            rows.extend(request.levels.iter().map(|level| (number, *block, *level)));
        }
    }
    rows
}

/// A finding from which form it is, at which row, and what it does.
fn fault(text: &str, request: &Request<'_>) -> Finding {
    let mut words = text.splitn(3, ' ');
    let side = match words.next() {
        Some("new") => &request.forms[1],
        _ => &request.forms[0],
    };
    let row = words.next().and_then(|word| word.parse::<usize>().ok());
    let what = plain(words.next().unwrap_or("breaks off"));
    let place =
        row.and_then(|row| planned(request).get(row).copied()).map(|(part, block, level)| {
            let name = request.corpus.get(part).map_or("", |part| &part.name);
            let blocks = if block == 0 { "whole".to_owned() } else { format!("blocks of {block}") };
            format!(": {name}, {blocks}, level {level}")
        });
    let message = format!("{} {what}{}", side.name, place.unwrap_or_default());
    Finding::error("round-trip", message)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::build::bench::Side;
    use crate::build::bench::corpus::Part;
    use crate::rules::Ruleset;
    use crate::text::Files;

    fn read(text: &str) -> Said {
        let (files, ruleset) = (Files::new(), Ruleset::default());
        let part = |name: &str, size| Part { name: name.into(), bytes: vec![0; size], of: 1 };
        let request = Request {
            forms: ["a", "b"].map(|name| Side { name, files: &files }),
            ruleset: &ruleset,
            corpus: &[part("short", 10), part("long", 10_000)],
            levels: &[1, 3],
            blocks: &[4096, 0],
            seconds: 1,
            interrupted: &|| false,
        };
        Said::read(text, &request)
    }

    #[test]
    fn rows_and_their_pairs_are_read() {
        let said = read(
            "ROW 0 0 1 5 6 0 100 90\nROW 1 4096 3 7 7 1 100 100\n\
            PAIR 1 c 4096 10 20\nPAIR 1 d 8192 30 40\nPAIR 7 d 1 1 1\nPAIR x\n\nDONE\n",
        );
        assert!(said.ended && said.findings.is_empty());
        let [short, long] = &said.rows[..] else { panic!("{said:?}") };
        assert_eq!((short.part, short.block, short.level), (0, None, 1));
        assert_eq!((short.compressed, short.same, short.memory), ([5, 6], false, [100, 90]));
        assert_eq!((long.part, long.block, long.level, long.same), (1, Some(4096), 3, true));
        assert_eq!(long.compress, [Taken { bytes: 4096, nanoseconds: [10, 20] }]);
        assert_eq!(long.decompress, [Taken { bytes: 8192, nanoseconds: [30, 40] }]);
    }

    #[test]
    fn what_is_wrong_names_form_and_row() {
        let said = read("ROW 0 0 1 5 6 0 100 90\nFAULT old 3 does it\nBROKE new 1 ends\x1b\n");
        let messages: Vec<_> = said.findings.iter().map(|found| found.message.as_str()).collect();
        assert_eq!(
            messages,
            ["a does it: long, blocks of 4096, level 3", "b ends: short, whole, level 3"]
        );
        assert!(said.ended && !read("ROW 0 0 1 5 6 0 100 90\n").ended);
    }

    #[test]
    fn nothing_counts_behind_a_row_that_cant_be_read() {
        for bad in ["ROW 9 0 1 5 6 0 1 1", "ROW 1", "ROW"] {
            let said = read(&format!("{bad}\nROW 0 0 1 5 6 0 100 90\nPAIR 0 c 1 1 1\nDONE\n"));
            assert!(!said.ended && said.rows.is_empty(), "{bad}");
        }
    }
}
