//! Globs over tree paths: `?` and `*` stay within one part, `**/` stands for any folders or none.

/// Whether `path` matches `pattern`. Linear memory, and time at most the product of both lengths.
pub fn matches(pattern: &str, path: &str) -> bool {
    // Most paths differ from a pattern before its first wildcard.
    let fixed = pattern.find(['*', '?']).map_or(pattern, |end| &pattern[..end]);
    if !path.starts_with(fixed) || fixed == pattern {
        return path == pattern;
    }
    // One row of the usual dynamic programme: which pattern positions are reached after the bytes of
    // `path` seen so far. No backtracking, so no pattern is slow.
    let pattern = tokens(pattern);
    let mut reached = vec![false; pattern.len() + 1];
    reached[0] = true;
    skip_empty(&pattern, &mut reached, true);
    for byte in path.bytes() {
        let mut next = vec![false; pattern.len() + 1];
        for (i, token) in pattern.iter().enumerate().filter(|&(i, _)| reached[i]) {
            match token {
                Token::Byte(b) if *b == byte => next[i + 1] = true,
                Token::One if byte != b'/' => next[i + 1] = true,
                Token::Many if byte != b'/' => next[i] = true,
                Token::Folders => next[i] = true,
                _ => {}
            }
        }
        reached = next;
        skip_empty(&pattern, &mut reached, byte == b'/');
    }
    reached[pattern.len()]
}

#[derive(Clone, Copy)]
enum Token {
    Byte(u8),
    One,
    Many,
    Folders,
}

fn tokens(pattern: &str) -> Vec<Token> {
    let mut rest = pattern.as_bytes();
    let mut tokens = Vec::new();
    while let Some((&first, tail)) = rest.split_first() {
        rest = tail;
        tokens.push(match first {
            b'*' if tail.starts_with(b"*/") => {
                rest = &tail[2..];
                Token::Folders
            }
            b'*' => Token::Many,
            b'?' => Token::One,
            byte => Token::Byte(byte),
        });
    }
    tokens
}

/// `*` may match nothing anywhere, `**/` only where a part of the path starts.
fn skip_empty(pattern: &[Token], reached: &mut [bool], at_start: bool) {
    for (i, token) in pattern.iter().enumerate() {
        let empty = match token {
            Token::Many => true,
            Token::Folders => at_start,
            _ => false,
        };
        if reached[i] && empty {
            reached[i + 1] = true;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::matches;

    #[test]
    fn stars_stay_within_a_part() {
        assert!(matches("common/*.h", "common/a.h"));
        assert!(matches("common/*.h", "common/.h"));
        assert!(!matches("common/*.h", "common/x/a.h"));
        assert!(!matches("common/*.h", "a/common/a.h"));
        assert!(matches("*/po?l.*", "common/pool.c"));
        assert!(!matches("*.h", "a.hh"));
    }

    #[test]
    fn double_stars_are_folders_or_none() {
        assert!(matches("**/a.h", "a.h"));
        assert!(matches("**/a.h", "x/y/a.h"));
        assert!(!matches("**/a.h", "x/ba.h"));
        assert!(matches("x/**/*.S", "x/y/z.S"));
        assert!(matches("x/**/*.S", "x/z.S"));
        assert!(!matches("x/**/z.S", "xz.S"));
    }

    #[test]
    fn no_pattern_is_slow() {
        let pattern = "*a".repeat(200);
        assert!(!matches(
            &pattern,
            &"a".repeat(5000).replace("aa", "ab")[..4999].replace('a', "b")
        ));
    }
}
