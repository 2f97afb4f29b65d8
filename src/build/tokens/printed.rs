//! What a preprocessor printed, as tokens: blanks and lines don't count, definitions do.

use super::directives::HELD;

/// A preprocessing token, or a whole held directive, and the line of the file that it came from.
#[derive(Clone, Debug)]
pub(super) struct Token {
    /// Its spelling. `#define F(` and `#define F (` differ by a token of one blank after the name.
    pub(super) text: String,
    /// Line, from 1.
    pub(super) line: usize,
}

/// An include that was held, with its header name as spelt.
pub(super) fn held_include(text: &str) -> Option<&str> {
    text.strip_prefix("#pragma ")?.strip_prefix(HELD)?.strip_prefix("_include ").map(str::trim)
}

/// The text of an include, as it stands in a token.
pub(super) fn as_held_include(header: &str) -> String {
    format!("#pragma {HELD}_include {header}")
}

/// Reads the output of `cc -E -dD` for the file called `name`. Definitions that the compiler or the
/// command line made are left out, and those that are `ignored`, by name and body.
pub(super) fn read(printed: &str, name: &str, ignored: &dyn Fn(&str, &str) -> bool) -> Vec<Token> {
    let mut tokens = Vec::new();
    let mut inside = false;
    let mut number = 0;
    for line in printed.lines() {
        if let Some((start, file)) = marker(line) {
            inside = file == name;
            number = start;
            continue;
        }
        if inside {
            read_line(line, number, ignored, &mut tokens);
        }
        number += 1;
    }
    tokens
}

/// `# 12 "file" flags`
fn marker(line: &str) -> Option<(usize, &str)> {
    let (number, rest) = line.strip_prefix("# ")?.split_once(" \"")?;
    let (file, _flags) = rest.rsplit_once('"')?;
    Some((number.parse().ok()?, file))
}

fn read_line(
    line: &str,
    number: usize,
    ignored: &dyn Fn(&str, &str) -> bool,
    tokens: &mut Vec<Token>,
) {
    let mut push = |text: &str| tokens.push(Token { text: text.to_owned(), line: number });
    if line.starts_with("#pragma ") && held_include(line).is_some() {
        push(line.trim_end());
        return;
    }
    let defined = line.strip_prefix("#define ").or_else(|| line.strip_prefix("#undef "));
    let Some(definition) = defined else {
        split(line).for_each(push);
        return;
    };
    let name = split(definition).next().unwrap_or_default();
    let body = &definition[name.len()..];
    if ignored(name, body.trim()) {
        return;
    }
    push(&line[..line.len() - definition.len()]);
    push(name);
    if !body.starts_with('(') {
        push(" ");
    }
    split(body).for_each(&mut push);
    push("\n");
}

/// Splits a line into tokens.
pub(super) fn split(line: &str) -> impl Iterator<Item = &str> {
    let mut rest = line;
    std::iter::from_fn(move || {
        rest = rest.trim_start();
        let length = token_length(rest)?;
        let (token, after) = rest.split_at(length);
        rest = after;
        Some(token)
    })
}

/// Longest first, so that the longest match wins.
const PUNCTUATORS: &[&str] = &[
    "...", "<<=", ">>=", "->", "++", "--", "<<", ">>", "<=", ">=", "==", "!=", "&&", "||", "*=",
    "/=", "%=", "+=", "-=", "&=", "^=", "|=", "##",
];

fn token_length(text: &str) -> Option<usize> {
    let first = text.chars().next()?;
    let word = |c: char| c.is_alphanumeric() || c == '_' || c == '$';
    let number = first.is_ascii_digit()
        || (first == '.' && text[1..].starts_with(|c: char| c.is_ascii_digit()));
    if number {
        return Some(number_length(text));
    }
    if word(first) {
        return Some(text.find(|c| !word(c)).unwrap_or(text.len()));
    }
    if first == '"' || first == '\'' {
        return Some(quoted_length(text, first));
    }
    let punctuator = PUNCTUATORS.iter().find(|punctuator| text.starts_with(**punctuator));
    Some(punctuator.map_or(first.len_utf8(), |punctuator| punctuator.len()))
}

/// A number takes a sign after an exponent's letter, and any letters.
fn number_length(text: &str) -> usize {
    let mut before = ' ';
    for (at, c) in text.char_indices() {
        let sign = matches!(c, '+' | '-') && matches!(before, 'e' | 'E' | 'p' | 'P');
        if !(c.is_alphanumeric() || c == '_' || c == '.' || sign) {
            return at;
        }
        before = c;
    }
    text.len()
}

fn quoted_length(text: &str, quote: char) -> usize {
    let mut escaped = false;
    for (at, c) in text.char_indices().skip(1) {
        if c == quote && !escaped {
            return at + 1;
        }
        escaped = c == '\\' && !escaped;
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(printed: &str) -> Vec<String> {
        read(printed, "in.c", &|name, _| name == "GONE")
            .into_iter()
            .map(|token| token.text)
            .collect()
    }

    #[test]
    fn lines_split_into_c_tokens() {
        let line = r#"a->b+=1e+3f; "x\"y" '\'' ...  .5<<=c"#;
        let expected =
            ["a", "->", "b", "+=", "1e+3f", ";", "\"x\\\"y\"", "'\\''", "...", ".5", "<<=", "c"];
        assert_eq!(split(line).collect::<Vec<_>>(), expected);
    }

    #[test]
    fn only_the_file_itself_counts() {
        let printed =
            "# 1 \"<built-in>\"\n#define A 1\n# 1 \"in.c\"\nx\n# 1 \"b.h\"\ny\n# 7 \"in.c\" 2\nz\n";
        let tokens = read(printed, "in.c", &|_, _| false);
        let seen: Vec<_> = tokens.iter().map(|token| (token.text.as_str(), token.line)).collect();
        assert_eq!(seen, [("x", 1), ("z", 7)]);
    }

    #[test]
    fn a_definition_ends_with_its_line_and_shows_its_kind() {
        let object = texts("# 1 \"in.c\"\n#define F (a)\n#define GONE 1\n#undef GONE\n");
        let function = texts("# 1 \"in.c\"\n#define F(a)\n");
        assert_ne!(object, function);
        assert_eq!(function, ["#define ", "F", "(", "a", ")", "\n"]);
        assert_eq!(object, ["#define ", "F", " ", "(", "a", ")", "\n"]);
    }
}
