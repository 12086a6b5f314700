//! The program `postern`.

use std::process::ExitCode;

/// The system's allocator keeps what a burst of streams needed; this one gives it back after a few seconds.
#[cfg(unix)]
#[global_allocator]
static ALLOCATOR: tikv_jemallocator::Jemalloc = tikv_jemallocator::Jemalloc;

fn main() -> ExitCode {
    postern_agent::cli::main()
}
