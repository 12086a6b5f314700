//! The last warning or error: printing it would spoil the screen.

use std::{
    io,
    sync::{Arc, Mutex, PoisonError},
};
use tracing_subscriber::fmt::MakeWriter;

/// The last line of the log; clones share it.
#[derive(Clone, Debug, Default)]
pub struct LogTail(Arc<Mutex<Option<String>>>);

impl LogTail {
    /// The last line, if there is one.
    pub fn last(&self) -> Option<String> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl MakeWriter<'_> for LogTail {
    type Writer = LogTail;

    fn make_writer(&self) -> LogTail {
        self.clone()
    }
}

/// The log writes one whole line at a time.
impl io::Write for LogTail {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let text = String::from_utf8_lossy(bytes);
        if let Some(line) = text.lines().rev().find(|line| !line.trim().is_empty()) {
            *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(line.trim().to_owned());
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    #[test]
    fn the_last_line_is_kept() {
        let mut log_tail = LogTail::default();
        assert_eq!(log_tail.last(), None);
        for number in 0..3 {
            log_tail.write_all(format!("  WARN line {number}\n").as_bytes()).expect("taken");
        }
        assert_eq!(log_tail.last().as_deref(), Some("WARN line 2"));
    }
}
