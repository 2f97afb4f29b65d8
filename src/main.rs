//! The `kernelize` command; all of it is in the library.

use std::process::ExitCode;

fn main() -> ExitCode {
    kernelize::cli::main()
}
