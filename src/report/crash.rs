//! What is said when this program itself fails.

use std::io::Write;
use std::panic::PanicHookInfo;

/// From now on a panic is reported as our fault, with what helps to find it.
pub fn install() {
    std::panic::set_hook(Box::new(|info| {
        let text = message(info);
        // Nothing is left to be done where standard error fails too.
        let _ = std::io::stderr().write_all(text.as_bytes());
    }));
}

fn message(info: &PanicHookInfo<'_>) -> String {
    let payload = info.payload();
    let what = payload
        .downcast_ref::<&str>()
        .copied()
        .or_else(|| payload.downcast_ref::<String>().map(String::as_str))
        .unwrap_or("unknown cause");
    let place = info.location().map(|at| format!(" at {}:{}", at.file(), at.line()));
    format!(
        "error: kernelize {} has failed{}: {what}\n  \
         help: this is a fault of kernelize, not of your input: please report these lines with the \
         command line and the input\n",
        env!("CARGO_PKG_VERSION"),
        place.unwrap_or_default(),
    )
}
