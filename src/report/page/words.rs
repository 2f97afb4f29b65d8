//! Which words of two lines differ.

use std::ops::Range;

/// Bytes that differ, in order.
pub(super) type Marks = Vec<Range<usize>>;

/// Most words on either side that are compared: longer lines are marked from the first to the last
/// difference.
const MOST_WORDS: usize = 96;

/// The words that differ in either line; none where the lines have little in common.
pub(super) fn differing(old: &[u8], new: &[u8]) -> [Marks; 2] {
    let (old_words, new_words) = (split(old), split(new));
    let word = |line: &'_ [u8], word: &Range<usize>| line[word.clone()].to_vec();
    let same = |one: &Range<usize>, other: &Range<usize>| old[one.clone()] == new[other.clone()];
    let pairs = old_words.iter().zip(&new_words);
    let first = pairs.take_while(|(one, other)| same(one, other)).count();
    let rest = (&old_words[first..], &new_words[first..]);
    let pairs = rest.0.iter().rev().zip(rest.1.iter().rev());
    let last = pairs.take_while(|(one, other)| same(one, other)).count();
    let (one, other) = (&rest.0[..rest.0.len() - last], &rest.1[..rest.1.len() - last]);
    let kept = match one.len().max(other.len()) <= MOST_WORDS {
        true => common(one, other, &|n, m| same(&one[n], &other[m])),
        false => Vec::new(),
    };
    let outside = old_words[..first].iter().chain(&rest.0[rest.0.len() - last..]);
    let inside = kept.iter().map(|(n, _)| &one[*n]);
    let letters = |bytes: &[u8]| bytes.iter().filter(|byte| !byte.is_ascii_whitespace()).count();
    let shared: usize = outside.chain(inside).map(|range| letters(&word(old, range))).sum();
    if shared * 3 < letters(old).max(letters(new)) {
        return [Marks::new(), Marks::new()];
    }
    let gone = (0..one.len()).filter(|n| !kept.iter().any(|pair| pair.0 == *n));
    let came = (0..other.len()).filter(|n| !kept.iter().any(|pair| pair.1 == *n));
    [joined(old, gone.map(|n| one[n].clone())), joined(new, came.map(|n| other[n].clone()))]
}

/// Words, runs of blanks, and single characters that are neither.
fn split(line: &[u8]) -> Vec<Range<usize>> {
    let kind = |byte: u8| match byte {
        b' ' | b'\t' => 0,
        _ if byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80 => 1,
        _ => 2,
    };
    let mut words: Vec<Range<usize>> = Vec::new();
    for (at, byte) in line.iter().enumerate() {
        match words.last_mut() {
            Some(last) if kind(*byte) < 2 && kind(line[at - 1]) == kind(*byte) => last.end = at + 1,
            _ => words.push(at..at + 1),
        }
    }
    words
}

/// The longest row of words that both have, as pairs of places.
fn common(
    one: &[Range<usize>],
    other: &[Range<usize>],
    same: &dyn Fn(usize, usize) -> bool,
) -> Vec<(usize, usize)> {
    let width = other.len() + 1;
    let mut best = vec![0u16; (one.len() + 1) * width];
    for n in (0..one.len()).rev() {
        for m in (0..other.len()).rev() {
            best[n * width + m] = match same(n, m) {
                true => best[(n + 1) * width + m + 1] + 1,
                false => best[(n + 1) * width + m].max(best[n * width + m + 1]),
            };
        }
    }
    let (mut n, mut m, mut pairs) = (0, 0, Vec::new());
    while n < one.len() && m < other.len() {
        match () {
            () if same(n, m) => {
                pairs.push((n, m));
                (n, m) = (n + 1, m + 1);
            }
            () if best[(n + 1) * width + m] >= best[n * width + m + 1] => n += 1,
            () => m += 1,
        }
    }
    pairs
}

/// Words that stand together, or with blanks between them only, are one mark.
fn joined(line: &[u8], words: impl Iterator<Item = Range<usize>>) -> Marks {
    let mut marks = Marks::new();
    for word in words {
        match marks.last_mut() {
            Some(last) if line[last.end..word.start].iter().all(u8::is_ascii_whitespace) => {
                last.end = word.end;
            }
            _ => marks.push(word),
        }
    }
    marks
}

#[cfg(test)]
mod tests {
    use super::*;

    fn marked(old: &str, new: &str) -> [String; 2] {
        let marks = differing(old.as_bytes(), new.as_bytes());
        [old, new]
            .iter()
            .zip(marks)
            .map(|(line, marks)| {
                let mut out = (*line).to_owned();
                for mark in marks.iter().rev() {
                    out.insert(mark.end, ']');
                    out.insert(mark.start, '[');
                }
                out
            })
            .collect::<Vec<_>>()
            .try_into()
            .unwrap()
    }

    #[test]
    fn words_that_differ_are_marked() {
        assert_eq!(
            marked("f(a, b) + c;", "g(a, d) + c;"),
            ["[f](a, [b]) + c;", "[g](a, [d]) + c;"]
        );
        assert_eq!(marked("int x;", "int x, y;"), ["int x;", "int x[, y];"]);
        assert_eq!(marked("one two", "three four five"), ["one two", "three four five"]);
        assert_eq!(marked("\u{e4}b = 1", "\u{e5}b = 1"), ["[\u{e4}b] = 1", "[\u{e5}b] = 1"]);
        let [old, new] =
            [format!("f({}) = 1", "a,".repeat(200)), format!("f({}) = 1", "b,".repeat(200))];
        assert_eq!(differing(old.as_bytes(), new.as_bytes()), [Marks::new(), Marks::new()]);
    }
}
