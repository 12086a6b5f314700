//! The log files of server and agent: they write straight into them, so that nothing ties them to the app.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

/// A log larger than this is moved aside; the one moved aside before is dropped.
const LIMIT: u64 = 4 * 1024 * 1024;
/// How much of a log's end is read to find the reason of an end.
const TAIL: u64 = 4 * 1024;

/// The log file of one program.
#[derive(Clone, Debug)]
pub(crate) struct Log(PathBuf);

impl Log {
    pub(crate) fn new(folder: &Path, program: &str) -> Log {
        Log(folder.join(format!("{program}.log")))
    }

    pub(crate) fn path(&self) -> &Path {
        &self.0
    }

    /// Opens it for a program about to start, and says where its part of the log begins.
    pub(crate) fn open(&self) -> io::Result<(File, u64)> {
        if let Some(folder) = self.0.parent() {
            crate::private_file::make_folder(folder)?;
        }
        self.bound();
        let mut options = OpenOptions::new();
        options.append(true).create(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let file = options.open(&self.0)?;
        let begin = file.metadata()?.len();
        Ok((file, begin))
    }

    /// Keeps the log within its limit. A program may hold it open meanwhile: it appends, so it goes on at the new end.
    pub(crate) fn bound(&self) {
        let Ok(facts) = fs::metadata(&self.0) else { return };
        if facts.len() <= LIMIT {
            return;
        }
        let moved = fs::copy(&self.0, self.0.with_extension("log.1"))
            .and_then(|_| OpenOptions::new().write(true).open(&self.0))
            .and_then(|file| file.set_len(0));
        if let Err(error) = moved {
            tracing::warn!(%error, log = %self.0.display(), "a log could not be kept within its limit");
        }
    }

    /// The last line written at or behind this place: usually why a program ended.
    pub(crate) fn last_line(&self, begin: u64) -> Option<String> {
        let mut file = File::open(&self.0).ok()?;
        let end = file.metadata().ok()?.len();
        let from = if end < begin { 0 } else { begin.max(end.saturating_sub(TAIL)) };
        file.seek(SeekFrom::Start(from)).ok()?;
        let mut tail = Vec::new();
        file.take(TAIL).read_to_end(&mut tail).ok()?;
        let tail = String::from_utf8_lossy(&tail);
        let line = tail.lines().rev().map(str::trim).find(|line| !line.is_empty())?;
        Some(line.chars().filter(|letter| !letter.is_control()).take(600).collect())
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use std::io::Write;

    #[test]
    fn the_reason_is_the_last_line_of_this_run_only() {
        let folder = tempfile::tempdir().unwrap();
        let log = Log::new(folder.path(), "program");
        let (mut file, _) = log.open().unwrap();
        writeln!(file, "an older run").unwrap();
        let (mut file, begin) = log.open().unwrap();
        assert_eq!(log.last_line(begin), None);
        write!(file, "starting\nport 4443 is taken\n\n").unwrap();
        assert_eq!(log.last_line(begin).as_deref(), Some("port 4443 is taken"));
    }

    #[test]
    fn a_log_in_use_is_cut_and_written_on() {
        let folder = tempfile::tempdir().unwrap();
        let log = Log::new(folder.path(), "program");
        let (mut file, _) = log.open().unwrap();
        file.write_all(&vec![b'x'; usize::try_from(LIMIT).unwrap() + 1]).unwrap();
        log.bound();
        file.write_all(b"next\n").unwrap();
        assert_eq!(fs::read(log.path()).unwrap(), b"next\n");
        assert_eq!(fs::metadata(log.path().with_extension("log.1")).unwrap().len(), LIMIT + 1);
    }
}
