//! The last warnings and errors, which would spoil the screen if they were printed.

use std::{
    collections::VecDeque,
    io,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};
use tracing_subscriber::fmt::MakeWriter;

/// So many lines are kept.
const KEPT: usize = 50;

/// Lines of the log; clones are the same lines.
#[derive(Clone, Debug, Default)]
pub struct Journal(Arc<Mutex<VecDeque<String>>>);

impl Journal {
    /// The last lines, oldest first.
    pub fn last(&self, count: usize) -> Vec<String> {
        let lines = self.lines();
        lines.iter().skip(lines.len().saturating_sub(count)).cloned().collect()
    }

    fn lines(&self) -> MutexGuard<'_, VecDeque<String>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
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
        let mut lines = self.lines();
        for line in text.lines().filter(|line| !line.trim().is_empty()) {
            lines.push_back(line.trim().to_owned());
        }
        let surplus = lines.len().saturating_sub(KEPT);
        lines.drain(..surplus);
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
    fn the_last_lines_are_kept() {
        let mut journal = Journal::default();
        for number in 0..200 {
            writeln!(journal, "  line {number}").expect("taken");
        }
        assert_eq!(journal.last(2), ["line 198", "line 199"]);
        assert_eq!(journal.last(1000).len(), KEPT);
    }
}
