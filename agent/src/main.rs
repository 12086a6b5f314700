//! The program `postern`.

use std::process::ExitCode;

fn main() -> ExitCode {
    postern_agent::cli::main()
}
