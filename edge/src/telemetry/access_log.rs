//! The queue of the access log: whole lines. Requests never wait for the disk; lines that do not fit are dropped and
//! counted.

use crate::telemetry::{access_log_line::LogLine, metrics};
use std::{
    sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

/// Bytes of lines that may wait to be written.
const MAX_QUEUED_BYTES: usize = 4 << 20;
/// A buffer that became larger is freed when it has been written.
const MAX_KEPT_BYTES: usize = 256 << 10;

/// Where lines are put.
#[derive(Clone)]
pub struct AccessLog(Arc<LineQueue>);

/// The receiving end of the queue.
pub struct AccessLogReader {
    queue: Arc<LineQueue>,
    /// The lines taken last.
    taken: Vec<u8>,
}

#[derive(Default)]
struct LineQueue {
    state: Mutex<QueuedLines>,
    changed: Condvar,
}

#[derive(Default)]
struct QueuedLines {
    lines: Vec<u8>,
    /// The reader waits for a line.
    is_awaited: bool,
}

impl AccessLog {
    /// The queue and its receiving end.
    pub fn new() -> (AccessLog, AccessLogReader) {
        let queue = Arc::<LineQueue>::default();
        (AccessLog(queue.clone()), AccessLogReader { queue, taken: Vec::new() })
    }

    /// Adds a line.
    pub(crate) fn write(&self, line: &LogLine, bytes_in: u64, bytes_out: u64, microseconds: u64) {
        let mut state = self.0.state();
        if state.lines.len() >= MAX_QUEUED_BYTES {
            drop(state);
            return metrics::log_line_dropped();
        }
        line.finish(&mut state.lines, bytes_in, bytes_out, microseconds);
        if std::mem::take(&mut state.is_awaited) {
            drop(state);
            self.0.changed.notify_one();
        }
    }
}

impl AccessLogReader {
    /// Waits at most `timeout` for a line. Returns whether there is one.
    pub fn wait(&self, timeout: Duration) -> bool {
        let mut state = self.queue.state();
        state.is_awaited = state.lines.is_empty();
        let is_awaited = |state: &mut QueuedLines| state.is_awaited;
        let waited = self.queue.changed.wait_timeout_while(state, timeout, is_awaited);
        let (mut state, _) = waited.unwrap_or_else(PoisonError::into_inner);
        state.is_awaited = false;
        !state.lines.is_empty()
    }

    /// Takes all lines that are there, each with its line end.
    pub fn take(&mut self) -> &[u8] {
        self.taken.clear();
        if self.taken.capacity() > MAX_KEPT_BYTES {
            self.taken = Vec::new();
        }
        std::mem::swap(&mut self.taken, &mut self.queue.state().lines);
        &self.taken
    }
}

impl LineQueue {
    fn state(&self) -> MutexGuard<'_, QueuedLines> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::telemetry::access_log_line::tests::line;

    #[test]
    fn lines_wait_in_their_order_within_a_bound() {
        let (log, mut reader) = AccessLog::new();
        assert!(!reader.wait(Duration::ZERO) && reader.take().is_empty());
        for path in ["/one", "/two"] {
            log.write(&line(path), 1, 2, 3);
        }
        assert!(reader.wait(Duration::ZERO));
        let text = String::from_utf8(reader.take().to_owned()).expect("text");
        let (one, two) = (text.find("/one").expect("there"), text.find("/two").expect("there"));
        assert!(one < two && text.ends_with("}\n") && text.lines().count() == 2, "{text}");
        let long = line(&"x".repeat(1 << 20));
        (0..9).for_each(|_| log.write(&long, 1, 2, 3));
        let bytes = reader.take().len();
        assert!((MAX_QUEUED_BYTES..2 * MAX_QUEUED_BYTES).contains(&bytes), "{bytes}");
        assert!(reader.take().is_empty() && reader.taken.capacity() <= MAX_KEPT_BYTES, "a large buffer is freed");
    }

    #[test]
    fn a_reader_is_woken_by_a_line() {
        let (log, reader) = AccessLog::new();
        let waiting = std::thread::spawn(move || reader.wait(Duration::from_secs(60)));
        log.write(&line("/"), 1, 2, 3);
        assert!(waiting.join().expect("no panic"));
    }
}
