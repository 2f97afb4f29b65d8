//! Takes any bytes through the whole per-file pipeline; the first byte chooses profile and suffix.
#![cfg_attr(feature = "libfuzzer", no_main)]

use std::sync::{Arc, OnceLock};

use kernelize::pipeline::transform;
use kernelize::rules::{Ruleset, load};
use kernelize::text::TreePath;

include!("entry.rs");

fn run(data: &[u8]) {
    static RULES: OnceLock<Ruleset> = OnceLock::new();
    let rules = RULES.get_or_init(|| load(None).unwrap());
    let Some((choice, text)) = data.split_first() else { return };
    let profile = &rules.library.profiles[usize::from(choice & 1)];
    let name = if choice & 2 == 0 { "common/fuzz.c" } else { "compress/fuzz.h" };
    let path = TreePath::new(name).unwrap();
    let newest = rules.library.packages.last().unwrap().release;
    let (file, _) = transform(&path, Arc::from(text), newest, rules, profile).unwrap();
    if let Some(file) = file {
        file.text.line_origins();
    }
}
