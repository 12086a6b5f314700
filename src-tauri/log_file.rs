//! Log files with a size limit. Server and agent write to theirs directly, so that they can outlive the app.

use std::{
    fs::{self, File, OpenOptions},
    io::{self, Read, Seek, SeekFrom},
    path::{Path, PathBuf},
};

/// A larger log is moved to `.log.1`, which is overwritten.
const MAX_LOG_BYTES: u64 = 4 * 1024 * 1024;
/// The length of the end of a log that is searched for its last line.
const TAIL_BYTES: u64 = 4 * 1024;

/// The log file of one program.
#[derive(Clone, Debug)]
pub(crate) struct LogFile(PathBuf);

impl LogFile {
    pub(crate) fn new(folder: &Path, program: &str) -> LogFile {
        LogFile(folder.join(format!("{program}.log")))
    }

    pub(crate) fn path(&self) -> &Path {
        &self.0
    }

    /// Opens the log for a program about to start. Returns its current length too, where the new lines begin.
    pub(crate) fn open(&self) -> io::Result<(File, u64)> {
        if let Some(folder) = self.0.parent() {
            postern_config::private_file::create_folder(folder)?;
        }
        self.rotate();
        let mut options = OpenOptions::new();
        options.append(true).create(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let file = options.open(&self.0)?;
        let begin = file.metadata()?.len();
        Ok((file, begin))
    }

    /// Moves the content aside if it exceeds the limit. A program that has the log open appends to the emptied file.
    pub(crate) fn rotate(&self) {
        let Ok(metadata) = fs::metadata(&self.0) else { return };
        if metadata.len() <= MAX_LOG_BYTES {
            return;
        }
        let moved = fs::copy(&self.0, self.0.with_extension("log.1"))
            .and_then(|_| OpenOptions::new().write(true).open(&self.0))
            .and_then(|file| file.set_len(0));
        if let Err(error) = moved {
            tracing::warn!(%error, log = %self.0.display(), "the log cannot be rotated");
        }
    }

    /// The last line at or after this position: usually the reason why a program ended.
    pub(crate) fn last_line(&self, begin: u64) -> Option<String> {
        let mut file = File::open(&self.0).ok()?;
        let end = file.metadata().ok()?.len();
        let from = if end < begin { 0 } else { begin.max(end.saturating_sub(TAIL_BYTES)) };
        file.seek(SeekFrom::Start(from)).ok()?;
        let mut tail = Vec::new();
        file.take(TAIL_BYTES).read_to_end(&mut tail).ok()?;
        let tail = String::from_utf8_lossy(&tail);
        let line = tail.lines().rev().map(str::trim).find(|line| !line.is_empty())?;
        Some(line.chars().filter(|letter| !letter.is_control()).take(600).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    #[test]
    fn last_line_ignores_earlier_runs() {
        let folder = tempfile::tempdir().unwrap();
        let log = LogFile::new(folder.path(), "program");
        let (mut file, _) = log.open().unwrap();
        writeln!(file, "an older run").unwrap();
        let (mut file, begin) = log.open().unwrap();
        assert_eq!(log.last_line(begin), None);
        write!(file, "starting\nport 4443 is taken\n\n").unwrap();
        assert_eq!(log.last_line(begin).as_deref(), Some("port 4443 is taken"));
    }

    #[test]
    fn a_log_in_use_can_be_rotated() {
        let folder = tempfile::tempdir().unwrap();
        let log = LogFile::new(folder.path(), "program");
        let (mut file, _) = log.open().unwrap();
        file.write_all(&vec![b'x'; usize::try_from(MAX_LOG_BYTES).unwrap() + 1]).unwrap();
        log.rotate();
        file.write_all(b"next\n").unwrap();
        assert_eq!(fs::read(log.path()).unwrap(), b"next\n");
        assert_eq!(fs::metadata(log.path().with_extension("log.1")).unwrap().len(), MAX_LOG_BYTES + 1);
    }
}
