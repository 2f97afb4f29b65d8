//! Runs the commands as a user would and compares what they say, word for word.
//!
//! `TRYCMD=overwrite cargo test --test transcripts` accepts what they say now.

/// Nothing of the caller's surroundings may show: no colours, no width, no settings, no caches.
#[test]
fn commands_say_what_they_should() {
    let empty = concat!(env!("CARGO_TARGET_TMPDIR"), "/no-home");
    trycmd::TestCases::new()
        .env("CARGO_HOME", empty)
        .env("CLICOLOR_FORCE", "0")
        .env("COLUMNS", "100")
        .env("HOME", empty)
        .env("KERNELIZE_UPSTREAM", "")
        .env("NO_COLOR", "1")
        .env("TERM", "dumb")
        .env("XDG_CACHE_HOME", empty)
        .case("tests/cmd/*.trycmd");
}
