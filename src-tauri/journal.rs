//! The app's own log: standard error for whoever started it in a terminal, and a file beside the others.

use crate::supervision::Log;
use std::fs::File;
use std::io::{self, Write};
use std::path::Path;
use tracing_subscriber::EnvFilter;
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;

/// Begins to log. Without a file it goes on with standard error alone.
pub(crate) fn begin(folder: &Path) {
    let file = Log::new(folder, "postern-desktop").open().ok().map(|(file, _)| file);
    let filter = EnvFilter::try_from_env("POSTERN_LOG").unwrap_or_else(|_| EnvFilter::new("warn,postern_desktop=info"));
    let to_file =
        file.map(|file| tracing_subscriber::fmt::layer().with_ansi(false).with_writer(move || Shared::of(&file)));
    let to_terminal = tracing_subscriber::fmt::layer().with_ansi(false).with_writer(io::stderr);
    let _ = tracing_subscriber::registry().with(filter).with(to_file).with(to_terminal).try_init();
}

/// A line to the file; a full disk loses the line and nothing else.
struct Shared(Option<File>);

impl Shared {
    fn of(file: &File) -> Shared {
        Shared(file.try_clone().ok())
    }
}

impl Write for Shared {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if let Some(file) = &mut self.0 {
            let _ = file.write_all(bytes);
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
