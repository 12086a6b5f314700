//! The app's own log: standard error, and a file beside the logs of server and agent.

use crate::log_file::LogFile;
use std::{
    fs::File,
    io::{self, Write},
    path::Path,
};
use tracing_subscriber::{EnvFilter, layer::SubscriberExt, util::SubscriberInitExt};

/// Starts logging, to standard error alone if the file cannot be opened.
pub(crate) fn init(folder: &Path) {
    let file = LogFile::new(folder, "postern-desktop").open().ok().map(|(file, _)| file);
    let filter = EnvFilter::try_from_env("POSTERN_LOG").unwrap_or_else(|_| EnvFilter::new("warn,postern_desktop=info"));
    let to_file =
        file.map(|file| tracing_subscriber::fmt::layer().with_ansi(false).with_writer(move || FileWriter::new(&file)));
    let to_terminal = tracing_subscriber::fmt::layer().with_ansi(false).with_writer(io::stderr);
    let _ = tracing_subscriber::registry().with(filter).with(to_file).with(to_terminal).try_init();
}

/// Writes to the file and ignores errors: a full disk loses the line and nothing else.
struct FileWriter(Option<File>);

impl FileWriter {
    fn new(file: &File) -> FileWriter {
        FileWriter(file.try_clone().ok())
    }
}

impl Write for FileWriter {
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
