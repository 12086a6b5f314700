//! Output of logs that are lines of JSON: a file that log rotation may move, or a stream.

mod line_writer;

use line_writer::{LineSink, LineWriter, LinesLost};
use std::{
    fs::{File, OpenOptions},
    io,
    os::unix::fs::{MetadataExt, OpenOptionsExt},
    path::{Path, PathBuf},
    time::Duration,
};
use tokio::time::Instant;

/// Interval at which the file is checked for rotation.
const ROTATION_CHECK_INTERVAL: Duration = Duration::from_secs(1);

/// Destination of a log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Destination {
    Stdout,
    Stderr,
    File(PathBuf),
}

impl std::str::FromStr for Destination {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "" => Err("names no file; write a path, stdout or stderr".into()),
            "stdout" => Ok(Destination::Stdout),
            "stderr" => Ok(Destination::Stderr),
            path => Ok(Destination::File(path.into())),
        }
    }
}

/// Open destination.
pub(crate) struct Output {
    /// Name of the log in messages.
    name: &'static str,
    /// Counter of the lines that could not be written.
    dropped: &'static str,
    writer: LineWriter,
    file: Option<LogFile>,
    /// Whether the last write failed; only the first failure is logged.
    failing: bool,
}

/// A file that log rotation may move.
struct LogFile {
    path: PathBuf,
    identity: (u64, u64),
    checked: Instant,
}

impl Output {
    /// Opens a destination.
    pub(crate) fn open(name: &'static str, dropped: &'static str, destination: &Destination) -> io::Result<Self> {
        let (sink, file): (Box<dyn LineSink>, _) = match destination {
            Destination::Stdout => (Box::new(io::stdout()), None),
            Destination::Stderr => (Box::new(io::stderr()), None),
            Destination::File(path) => {
                let file = append(path)?;
                let log_file = LogFile { path: path.clone(), identity: identity(&file)?, checked: Instant::now() };
                (Box::new(file), Some(log_file))
            }
        };
        Ok(Output { name, dropped, writer: LineWriter::new(sink), file, failing: false })
    }

    /// Writes whole lines.
    pub(crate) fn lines(&mut self, lines: &[u8]) {
        self.reopen_if_rotated();
        let outcome = self.writer.lines(lines);
        self.record_outcome(outcome);
    }

    fn record_outcome(&mut self, outcome: Result<(), LinesLost>) {
        match outcome {
            Ok(()) => self.failing = false,
            Err(LinesLost { error, lines }) => {
                metrics::counter!(self.dropped).increment(lines as u64);
                if !self.failing {
                    tracing::error!(%error, "the {} cannot be written", self.name);
                }
                self.failing = true;
            }
        }
    }

    /// Reopens the file if it was moved.
    fn reopen_if_rotated(&mut self) {
        let Some(log_file) =
            self.file.as_mut().filter(|log_file| log_file.checked.elapsed() >= ROTATION_CHECK_INTERVAL)
        else {
            return;
        };
        log_file.checked = Instant::now();
        let now = std::fs::metadata(&log_file.path).map(|found| (found.dev(), found.ino())).ok();
        if now == Some(log_file.identity) {
            return;
        }
        let reopened = append(&log_file.path).and_then(|file| Ok((identity(&file)?, file)));
        match reopened {
            Ok((identity, file)) => {
                log_file.identity = identity;
                self.writer = LineWriter::new(Box::new(file));
            }
            Err(error) => self.record_outcome(Err(LinesLost { error, lines: 0 })),
        }
    }
}

fn append(path: &Path) -> io::Result<File> {
    OpenOptions::new().append(true).create(true).mode(0o600).open(path)
}

fn identity(file: &File) -> io::Result<(u64, u64)> {
    file.metadata().map(|found| (found.dev(), found.ino()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rotated_file_is_reopened() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("access.log");
        let mut output = Output::open("access log", "dropped_total", &Destination::File(path.clone())).expect("opened");
        output.lines(b"one\n");
        std::fs::rename(&path, folder.path().join("access.log.1")).expect("moved");
        if let Some(log_file) = &mut output.file {
            log_file.checked =
                Instant::now().checked_sub(ROTATION_CHECK_INTERVAL).expect("a machine that runs for a second");
        }
        output.lines(b"two\n");
        let read = |name: &str| std::fs::read_to_string(folder.path().join(name)).expect("there");
        assert_eq!((read("access.log.1").as_str(), read("access.log").as_str()), ("one\n", "two\n"));
        let mode = std::os::unix::fs::PermissionsExt::mode(&std::fs::metadata(&path).expect("there").permissions());
        assert_eq!(mode & 0o077, 0, "it contains addresses of visitors");
    }

    #[test]
    fn words_are_streams_and_everything_else_is_a_file() {
        assert_eq!("stdout".parse(), Ok(Destination::Stdout));
        assert_eq!("stderr".parse(), Ok(Destination::Stderr));
        assert_eq!("/var/log/access.log".parse(), Ok(Destination::File("/var/log/access.log".into())));
        assert!("".parse::<Destination>().is_err());
    }
}
