use super::*;
use proptest::prelude::*;

fn kinds(text: &str) -> Vec<(TokenKind, String)> {
    let bytes = text.as_bytes();
    tokens(bytes).map(|t| (t.kind, String::from_utf8_lossy(t.raw(bytes)).into_owned())).collect()
}

fn significant(text: &str) -> Vec<String> {
    let bytes = text.as_bytes();
    tokens(bytes)
        .filter(|t| !t.is_trivia())
        .map(|t| String::from_utf8_lossy(&t.text(bytes)).into_owned())
        .collect()
}

#[test]
fn splices_stand_anywhere() {
    assert_eq!(significant("#de\\\nfine A\\ \n B +\\\n+"), ["#", "define", "A", "B", "++"]);
    assert_eq!(significant("/\\\n* c *\\\n/ x"), ["x"]);
    assert_eq!(significant("// c \\\n still\ny"), ["y"]);
    assert_eq!(significant("\"a\\\nb\" 'c'"), ["\"ab\"", "'c'"]);
}

#[test]
fn quotes_that_never_close_end_with_the_line() {
    assert_eq!(significant("#error don't /* here\nx"), ["#", "error", "don", "'t /* here", "x"]);
    assert_eq!(kinds("'a\r\n")[1], (TokenKind::Newline, "\r\n".into()));
}

#[test]
fn header_names_only_where_they_are_due() {
    assert_eq!(significant("#include <a//b.h> // c"), ["#", "include", "<a//b.h>"]);
    assert_eq!(significant("#include \"a\\b.h\""), ["#", "include", "\"a\\b.h\""]);
    assert_eq!(
        significant("#if __has_include(<a/*b>) && a<b"),
        ["#", "if", "__has_include", "(", "<a/*b>", ")", "&&", "a", "<", "b"]
    );
    assert_eq!(significant("a <b> c"), ["a", "<", "b", ">", "c"]);
}

#[test]
fn literals() {
    assert_eq!(significant("L\"a\\\"b\" u8'x'"), ["L\"a\\\"b\"", "u8'x'"]);
    assert_eq!(significant("R\"x(\" // )x\" y"), ["R\"x(\" // )x\"", "y"]);
    assert_eq!(significant("1'000 .5e+3 0x1p-2 a.b"), ["1'000", ".5e+3", "0x1p-2", "a", ".", "b"]);
    assert_eq!(significant("\"/*\" a \"*/\""), ["\"/*\"", "a", "\"*/\""]);
}

/// The tokens without the short way for plain ones.
fn slowly(bytes: &[u8]) -> Vec<Token> {
    let mut lexer = tokens(bytes);
    let mut found = Vec::new();
    while lexer.at < lexer.end {
        let start = lexer.at;
        let kind = lexer.lex();
        let token = Token { kind, span: Span::new(start, lexer.at) };
        lexer.place = lexer.next_place(token);
        found.push(token);
    }
    found
}

proptest! {
    #[test]
    fn the_short_way_leads_to_the_same_tokens(
        parts in proptest::collection::vec(
            prop::sample::select(vec![
                "a", "u8", "L", "R", "_1", "12", "0x1e", "1e", "+", "-", ".", "(", ")", "[", ";", ",",
                "\\", "\\\n", "\n", "\r\n", "\r", " ", "    ", "\t", "\u{b}", "\0", "#", "%:",
                "include", "define", "__has_include", "\"", "'", "/", "*", "//", "/*", "*/", "<", ">", "é",
            ]),
            0..40,
        ),
    ) {
        let text = parts.concat();
        prop_assert_eq!(tokens(text.as_bytes()).collect::<Vec<_>>(), slowly(text.as_bytes()));
    }
}

fn found(text: &str) -> Vec<(Keyword, &str)> {
    let bytes = text.as_bytes();
    scan(bytes).directives.iter().map(|d| (d.keyword, &text[d.body.range()])).collect()
}

#[test]
fn directives_are_found_whatever_stands_around() {
    assert_eq!(found("# /* c */ i\\\nf A \\\n B\nx\n"), [(Keyword::If, " A \\\n B")]);
    assert_eq!(found("/* c\n */ #else // x\r\n"), [(Keyword::Else, " // x")]);
    assert_eq!(found("x /*\n*/ #if A\n"), []);
    assert_eq!(found("%:endif"), [(Keyword::Endif, "")]);
    assert_eq!(found("/* \n#if A\n*/\n#\n"), [(Keyword::Other, "")]);
    assert_eq!(found("s = \"\\\n#if A\n\";\n"), []);
    assert_eq!(found("\x0c#if A /* b\n c */ && D\n"), [(Keyword::If, " A /* b\n c */ && D")]);
}

#[test]
fn a_comment_that_never_closes_is_noted() {
    assert_eq!(scan(b"a\n/* b").open_comment, Some(2));
    assert_eq!(scan(b"a /*/").open_comment, Some(2));
    assert_eq!(scan(b"a /**/").open_comment, None);
    assert_eq!(scan(b"x; /* b").open_comment, Some(3));
}

/// The directives by tokens alone: what the fast scanner must agree with.
fn by_tokens(bytes: &[u8]) -> Vec<(u32, u32)> {
    let mut found = Vec::new();
    let (mut hash, mut fresh) = (None, true);
    for token in tokens(bytes) {
        match token.kind {
            TokenKind::Newline => {
                found.extend(hash.take().map(|h| (h, token.span.end)));
                fresh = true;
            }
            TokenKind::Blank | TokenKind::BlockComment | TokenKind::LineComment => {}
            _ => {
                if fresh && matches!(&*token.text(bytes), b"#" | b"%:") {
                    hash = Some(token.span.start);
                }
                fresh = false;
            }
        }
    }
    found.extend(hash.map(|h| (h, bytes.len() as u32)));
    found
}

fn c_like() -> impl Strategy<Value = Vec<u8>> {
    let piece = prop_oneof![
        Just("#if A\n"),
        Just("#"),
        Just("\n"),
        Just("\\\n"),
        Just("\\"),
        Just("/*"),
        Just("*/"),
        Just("//"),
        Just("\""),
        Just("'"),
        Just("R\"("),
        Just(")\""),
        Just("a"),
        Just("1"),
        Just(" "),
        Just("\r\n"),
        Just("\r"),
        Just("u8"),
        Just("L"),
        Just("<"),
        Just("include"),
        Just("*"),
        Just("/"),
        Just("%:"),
        Just("\\ \n"),
        Just("\\\\"),
        Just("R"),
        Just("\t"),
        Just("__has_include("),
        Just("\x0c"),
    ];
    prop::collection::vec(piece, 0..40).prop_map(|v| v.concat().into_bytes())
}

proptest! {
    #[test]
    fn tokens_joined_are_the_text(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let joined: Vec<u8> = tokens(&bytes).flat_map(|t| t.raw(&bytes).to_vec()).collect();
        prop_assert_eq!(joined, bytes);
    }

    #[test]
    fn tokens_of_c_joined_are_the_text(bytes in c_like()) {
        let joined: Vec<u8> = tokens(&bytes).flat_map(|t| t.raw(&bytes).to_vec()).collect();
        prop_assert_eq!(joined, bytes);
    }

    #[test]
    fn the_fast_scanner_agrees_with_the_tokens(bytes in c_like()) {
        let fast: Vec<_> = scan(&bytes).directives.iter().map(|d| (d.hash, d.end)).collect();
        prop_assert_eq!(fast, by_tokens(&bytes));
    }
}
