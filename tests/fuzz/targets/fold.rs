//! Folds any bytes: it ends, what it gives balances, and folding that again changes nothing.
#![cfg_attr(feature = "libfuzzer", no_main)]

use kernelize::preprocess::fold_text;
use kernelize::preprocess::lexer::tokens;
use kernelize::preprocess::settings::Settings;
use kernelize::rules::Simplify;
use kernelize::text::Source;

include!("entry.rs");

fn settings(simplify: Simplify) -> Settings {
    let define = |name: &str, value: Option<&str>| (name.to_owned(), value.map(str::to_owned));
    let defines = [define("A", Some("1")), define("B", None), define("R", Some("5.."))];
    Settings::from_flags(&defines, &["U".to_owned(), "V".to_owned()], simplify).unwrap()
}

fn run(data: &[u8]) {
    let joined: Vec<u8> = tokens(data).flat_map(|token| token.raw(data).to_vec()).collect();
    assert_eq!(joined, data);
    let full = settings(Simplify::Full);
    let source = Source::new("in", data);
    fold_text(&source, &settings(Simplify::Leading)).unwrap();
    if let (Some(once), _) = fold_text(&source, &full).unwrap() {
        let again = Source::new("again", once.bytes().to_vec());
        let (twice, findings) = fold_text(&again, &full).unwrap();
        let twice = twice.unwrap_or_else(|| panic!("{findings:?}"));
        assert_eq!(twice.bytes(), once.bytes());
        assert_eq!(once.line_origins().len(), again.lines().line_count());
    }
}
