//! Access log: one JSON object per request and connection, written by a thread of its own.

mod line_writer;

use crate::io_error::reason;
use line_writer::{LineSink, LineWriter, LinesLost};
use postern_api::{Code, Error};
use postern_edge::{AccessLog, AccessLogReader};
use std::{
    fs::{File, OpenOptions},
    io,
    os::unix::fs::{MetadataExt, OpenOptionsExt},
    path::{Path, PathBuf},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    thread::JoinHandle,
    time::Duration,
};
use tokio::time::Instant;

/// Interval at which an idle writer checks whether it must stop.
const STOP_CHECK_INTERVAL: Duration = Duration::from_millis(100);
/// Delay in which lines are batched. Waking up for each line would cost more than writing it.
const BATCH_DELAY: Duration = Duration::from_millis(10);
/// Interval at which the file is checked for rotation.
const ROTATION_CHECK_INTERVAL: Duration = Duration::from_secs(1);

/// Destination of the access log.
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

/// Handle of the writer thread. Flushes and ends it when dropped.
pub(crate) struct AccessLogWriter {
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

/// Starts the writer and returns the sender for the edge.
pub(crate) fn start(destination: &Destination) -> Result<(AccessLog, AccessLogWriter), Error> {
    let mut output = Output::open(destination).map_err(|error| {
        let message = format!("The access log cannot be opened (--access-log): {}.", reason(&error));
        Error::new(Code::ConfigInvalid, message)
    })?;
    let (log, mut lines) = AccessLog::new();
    let stop = Arc::new(AtomicBool::new(false));
    let stopped = stop.clone();
    let thread = std::thread::Builder::new()
        .name("access-log".into())
        .spawn(move || write(&mut lines, &mut output, &stopped))
        .map_err(|error| {
            Error::new(Code::Internal, format!("The thread of the access log cannot be started: {error}."))
        })?;
    Ok((log, AccessLogWriter { stop, thread: Some(thread) }))
}

impl Drop for AccessLogWriter {
    /// Waits until all received lines are written.
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Release);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

#[expect(clippy::disallowed_methods, reason = "the writer has a thread of its own")]
fn write(lines: &mut AccessLogReader, output: &mut Output, stopped: &AtomicBool) {
    loop {
        let has_lines = lines.wait(STOP_CHECK_INTERVAL);
        let is_stopped = stopped.load(Ordering::Acquire);
        match (has_lines, is_stopped) {
            (true, is_stopped) => {
                if !is_stopped {
                    std::thread::sleep(BATCH_DELAY);
                }
                output.lines(lines.take());
            }
            (false, true) => return,
            (false, false) => {}
        }
    }
}

/// Open destination.
struct Output {
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
    fn open(destination: &Destination) -> io::Result<Self> {
        let (sink, file): (Box<dyn LineSink>, _) = match destination {
            Destination::Stdout => (Box::new(io::stdout()), None),
            Destination::Stderr => (Box::new(io::stderr()), None),
            Destination::File(path) => {
                let file = append(path)?;
                let log_file = LogFile { path: path.clone(), identity: identity(&file)?, checked: Instant::now() };
                (Box::new(file), Some(log_file))
            }
        };
        Ok(Output { writer: LineWriter::new(sink), file, failing: false })
    }

    /// Writes whole lines.
    fn lines(&mut self, lines: &[u8]) {
        self.reopen_if_rotated();
        let outcome = self.writer.lines(lines);
        self.record_outcome(outcome);
    }

    fn record_outcome(&mut self, outcome: Result<(), LinesLost>) {
        match outcome {
            Ok(()) => self.failing = false,
            Err(LinesLost { error, lines }) => {
                metrics::counter!("postern_access_log_dropped_total").increment(lines as u64);
                if !self.failing {
                    tracing::error!(%error, "the access log cannot be written");
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
        let mut output = Output::open(&Destination::File(path.clone())).expect("opened");
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
