//! The access log: one JSON object a line for every request and connection, written by a thread of its own.

use crate::configuration::plain;
use postern_api::{Code, Error};
use postern_edge::{AccessLog, AccessLogEntry};
use std::fs::{File, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// How long the writer waits for the next entry before it looks around.
const PAUSE: Duration = Duration::from_millis(100);
/// How long entries are gathered to be written together. To wake for each of them would cost more than to write it.
const GATHER: Duration = Duration::from_millis(10);
/// What is written at once, in bytes.
const PIECE: usize = 64 * 1024;
/// How often it looks whether somebody has moved its file away.
const LOOK: Duration = Duration::from_secs(1);

/// Where the access log goes.
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

/// The writer at work. Finished when dropped.
pub(crate) struct Writing {
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

/// Starts writing. Gives the way in for the edge.
pub(crate) fn start(destination: &Destination) -> Result<(AccessLog, Writing), Error> {
    let mut output = Output::open(destination).map_err(|error| {
        let message = format!("The access log cannot be opened (--access-log): {}.", plain(&error));
        Error::new(Code::ConfigInvalid, message)
    })?;
    let (log, entries) = AccessLog::new();
    let stop = Arc::new(AtomicBool::new(false));
    let stopped = stop.clone();
    let thread = std::thread::Builder::new()
        .name("access-log".into())
        .spawn(move || write(&entries, &mut output, &stopped))
        .map_err(|error| Error::new(Code::Internal, format!("The access log gets no thread: {error}.")))?;
    Ok((log, Writing { stop, thread: Some(thread) }))
}

impl Drop for Writing {
    /// Waits until what has come in so far is written.
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Release);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

fn write(entries: &Receiver<Box<AccessLogEntry>>, output: &mut Output, stopped: &AtomicBool) {
    loop {
        match entries.recv_timeout(PAUSE) {
            Ok(entry) => {
                output.line(&entry);
                if !stopped.load(Ordering::Acquire) {
                    std::thread::sleep(GATHER);
                }
                entries.try_iter().for_each(|entry| output.line(&entry));
                output.flush();
            }
            Err(RecvTimeoutError::Timeout) if !stopped.load(Ordering::Acquire) => {}
            Err(_) => return output.flush(),
        }
    }
}

/// What is written into.
struct Output {
    writer: BufWriter<Box<dyn Write + Send>>,
    line: Vec<u8>,
    file: Option<Place>,
    /// Writing has failed, and that was said.
    failing: bool,
}

/// A file that may be moved away, as log rotation does.
struct Place {
    path: PathBuf,
    identity: (u64, u64),
    looked: Instant,
}

impl Output {
    fn open(destination: &Destination) -> io::Result<Self> {
        let (writer, file): (Box<dyn Write + Send>, _) = match destination {
            Destination::Stdout => (Box::new(io::stdout()), None),
            Destination::Stderr => (Box::new(io::stderr()), None),
            Destination::File(path) => {
                let file = append(path)?;
                let place = Place { path: path.clone(), identity: identity(&file)?, looked: Instant::now() };
                (Box::new(file), Some(place))
            }
        };
        Ok(Output { writer: BufWriter::with_capacity(PIECE, writer), line: Vec::new(), file, failing: false })
    }

    fn line(&mut self, entry: &AccessLogEntry) {
        self.follow();
        self.line.clear();
        let made = serde_json::to_writer(&mut self.line, entry).map_err(io::Error::from);
        self.line.push(b'\n');
        let outcome = made.and_then(|()| self.writer.write_all(&self.line));
        self.note(outcome);
    }

    fn flush(&mut self) {
        let outcome = self.writer.flush();
        self.note(outcome);
    }

    fn note(&mut self, outcome: io::Result<()>) {
        match outcome {
            Ok(()) => self.failing = false,
            Err(error) => {
                metrics::counter!("postern_access_log_dropped_total").increment(1);
                if !self.failing {
                    tracing::error!(%error, "the access log cannot be written");
                }
                self.failing = true;
            }
        }
    }

    /// Goes on in a new file if the old one was moved away.
    fn follow(&mut self) {
        let Some(place) = self.file.as_mut().filter(|place| place.looked.elapsed() >= LOOK) else { return };
        place.looked = Instant::now();
        let now = std::fs::metadata(&place.path).map(|found| (found.dev(), found.ino())).ok();
        if now == Some(place.identity) {
            return;
        }
        let reopened = append(&place.path).and_then(|file| Ok((identity(&file)?, file)));
        match reopened {
            Ok((identity, file)) => {
                place.identity = identity;
                let _ = self.writer.flush();
                self.writer = BufWriter::with_capacity(PIECE, Box::new(file));
            }
            Err(error) => self.note(Err(error)),
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
    fn a_file_that_was_moved_away_is_made_anew() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("access.log");
        let mut output = Output::open(&Destination::File(path.clone())).expect("opened");
        output.writer.write_all(b"one\n").expect("written");
        std::fs::rename(&path, folder.path().join("access.log.1")).expect("moved");
        if let Some(place) = &mut output.file {
            place.looked = Instant::now().checked_sub(LOOK).expect("a machine that runs for a second");
        }
        output.follow();
        output.writer.write_all(b"two\n").expect("written");
        output.flush();
        let read = |name: &str| std::fs::read_to_string(folder.path().join(name)).expect("there");
        assert_eq!((read("access.log.1").as_str(), read("access.log").as_str()), ("one\n", "two\n"));
        let mode = std::os::unix::fs::PermissionsExt::mode(&std::fs::metadata(&path).expect("there").permissions());
        assert_eq!(mode & 0o077, 0, "it names visitors");
    }

    #[test]
    fn words_are_streams_and_everything_else_is_a_file() {
        assert_eq!("stdout".parse(), Ok(Destination::Stdout));
        assert_eq!("stderr".parse(), Ok(Destination::Stderr));
        assert_eq!("/var/log/access.log".parse(), Ok(Destination::File("/var/log/access.log".into())));
        assert!("".parse::<Destination>().is_err());
    }
}
