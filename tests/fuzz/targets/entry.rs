// What both targets share: under libFuzzer the entry that it calls, on stable a `main` that replays
// files.

#[cfg(feature = "libfuzzer")]
libfuzzer_sys::fuzz_target!(|data: &[u8]| run(data));

#[cfg(not(feature = "libfuzzer"))]
fn main() -> std::io::Result<()> {
    for path in std::env::args_os().skip(1) {
        run(&std::fs::read(path)?);
    }
    Ok(())
}
