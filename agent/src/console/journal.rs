//! The last warning or error, which would spoil the screen if it were printed.

use std::{
    io,
    sync::{Arc, Mutex, PoisonError},
};
use tracing_subscriber::fmt::MakeWriter;

/// The last line of the log; clones are the same line.
#[derive(Clone, Debug, Default)]
pub struct Journal(Arc<Mutex<Option<String>>>);

impl Journal {
    /// The last line, if there is any.
    pub fn last(&self) -> Option<String> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl MakeWriter<'_> for Journal {
    type Writer = Journal;

    fn make_writer(&self) -> Journal {
        self.clone()
    }
}

/// The log writes one whole line at a time.
impl io::Write for Journal {
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
        let mut journal = Journal::default();
        assert_eq!(journal.last(), None);
        for number in 0..3 {
            journal.write_all(format!("  WARN line {number}\n").as_bytes()).expect("taken");
        }
        assert_eq!(journal.last().as_deref(), Some("WARN line 2"));
    }
}
