//! A second, much simpler reader of directives than the one that imports, so that a fault in that one
//! can't hide itself here.

use std::ops::Range;

/// A preprocessing directive.
#[derive(Debug, PartialEq)]
pub(super) struct Directive {
    /// Its name: `if`, `define`, …
    pub(super) name: String,
    /// What follows the name, splices taken out and each comment made one blank.
    pub(super) body: String,
    /// Where `#` to the end of the name lies, in bytes.
    pub(super) opening: Range<usize>,
}

/// All directives of a file, in order.
pub(super) fn directives(text: &[u8]) -> Vec<Directive> {
    let mut found = Vec::new();
    let mut reader = Reader { text, at: 0 };
    while reader.at < text.len() {
        reader.blanks();
        if reader.peek() == Some(b'#') {
            found.extend(reader.directive());
        }
        reader.rest_of_line();
    }
    found
}

struct Reader<'a> {
    text: &'a [u8],
    at: usize,
}

impl Reader<'_> {
    /// The next byte that counts, splices passed over.
    fn peek(&mut self) -> Option<u8> {
        loop {
            let rest = self.text.get(self.at..)?;
            if rest.starts_with(b"\\\n") {
                self.at += 2;
            } else if rest.starts_with(b"\\\r\n") {
                self.at += 3;
            } else {
                return rest.first().copied();
            }
        }
    }

    fn next(&mut self) -> Option<u8> {
        let byte = self.peek()?;
        self.at += 1;
        Some(byte)
    }

    /// Whether `next` follows `first`, looked at without moving on.
    fn follows(&mut self, first: u8, next: u8) -> bool {
        if self.peek() != Some(first) {
            return false;
        }
        let mut ahead = Reader { text: self.text, at: self.at + 1 };
        ahead.peek() == Some(next)
    }

    /// Passes over a comment, if one starts here.
    fn comment(&mut self) -> bool {
        if self.follows(b'/', b'*') {
            self.next();
            self.next();
            while self.peek().is_some() && !self.follows(b'*', b'/') {
                self.next();
            }
            self.next();
            self.next();
            true
        } else if self.follows(b'/', b'/') {
            while self.peek().is_some_and(|byte| byte != b'\n') {
                self.next();
            }
            true
        } else {
            false
        }
    }

    fn blanks(&mut self) {
        while self.comment() || self.peek().is_some_and(|byte| b" \t\r\x0b\x0c".contains(&byte)) {
            if self.peek().is_some_and(|byte| b" \t\r\x0b\x0c".contains(&byte)) {
                self.next();
            }
        }
    }

    /// Reads `#` and the name; the body is read ahead, without moving on.
    fn directive(&mut self) -> Option<Directive> {
        let start = self.at;
        self.next();
        self.blanks();
        let mut name = String::new();
        let mut end = self.at;
        while let Some(byte) = self.peek().filter(u8::is_ascii_alphanumeric) {
            name.push(char::from(byte));
            self.next();
            end = self.at;
        }
        if name.is_empty() {
            return None;
        }
        let mut ahead = Reader { text: self.text, at: self.at };
        let mut body = Vec::new();
        ahead.line(|byte| body.push(byte));
        let body = String::from_utf8_lossy(&body).trim().to_owned();
        Some(Directive { name, body, opening: start..end })
    }

    /// Moves behind the end of the logical line.
    fn rest_of_line(&mut self) {
        self.line(|_| ());
    }

    fn line(&mut self, mut see: impl FnMut(u8)) {
        loop {
            if self.comment() {
                see(b' ');
                continue;
            }
            match self.next() {
                None | Some(b'\n') => return,
                Some(quote @ (b'"' | b'\'')) => {
                    see(quote);
                    self.quoted(quote, &mut see);
                }
                Some(byte) => see(byte),
            }
        }
    }

    /// Reads to the closing quote; a stray quote ends with its line.
    fn quoted(&mut self, quote: u8, see: &mut impl FnMut(u8)) {
        while let Some(byte) = self.peek().filter(|byte| *byte != b'\n') {
            self.next();
            see(byte);
            if byte == quote {
                return;
            }
            if byte == b'\\'
                && let Some(escaped) = self.peek().filter(|byte| *byte != b'\n')
            {
                self.next();
                see(escaped);
            }
        }
    }
}

/// Makes pragmas of the directives that reach outside the file or stop the compiler, so that a file
/// can be preprocessed alone and what it includes is still seen, in its place.
pub(super) fn hold(text: &[u8]) -> Vec<u8> {
    let mut held = Vec::with_capacity(text.len());
    let mut from = 0;
    for directive in directives(text) {
        if ["include", "include_next", "error", "warning"].contains(&directive.name.as_str()) {
            held.extend_from_slice(&text[from..directive.opening.start]);
            held.extend_from_slice(format!("#pragma {HELD}_{}", directive.name).as_bytes());
            from = directive.opening.end;
        }
    }
    held.extend_from_slice(&text[from..]);
    held
}

/// How the pragmas that [`hold`] makes begin.
pub(super) const HELD: &str = "held";

#[cfg(test)]
mod tests {
    use super::*;

    fn names(text: &str) -> Vec<(String, String)> {
        directives(text.as_bytes()).into_iter().map(|found| (found.name, found.body)).collect()
    }

    #[test]
    fn directives_are_found_in_any_spelling() {
        let text =
            "#if A\n  # /* x */ ifdef B // y\n#el\\\nif \\\n C /* over\n two */ D\n#\n#endif";
        let expected = [("if", "A"), ("ifdef", "B"), ("elif", "C   D"), ("endif", "")];
        assert_eq!(
            names(text),
            expected.map(|(name, body)| (name.to_owned(), body.to_owned())).to_vec()
        );
    }

    #[test]
    fn text_that_only_looks_like_a_directive_is_passed_over() {
        assert!(names("/*\n#if A\n*/ x = \"\\\n#if B\"; // c \\\n#if C\nx #if D\n").is_empty());
        assert_eq!(names("/* c */ #if A\n").len(), 1);
    }

    #[test]
    fn a_stray_quote_ends_with_its_line() {
        assert_eq!(names("#error don't\n#if A\n").len(), 2);
    }

    #[test]
    fn includes_and_errors_are_held_and_nothing_else_changes() {
        let text = b"# include <a.h> /* b\n */ int x; // #include <c.h>\n#error \"d\"\n";
        let held = hold(text);
        let expected = "#pragma held_include <a.h> /* b\n */ int x; // #include <c.h>\n#pragma held_error \"d\"\n";
        assert_eq!(String::from_utf8(held).unwrap(), expected);
    }
}
