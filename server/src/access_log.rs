//! Access log: one JSON object per request and connection, written by a thread of its own.

use crate::{
    io_error::reason,
    log_output::{Destination, Output},
};
use postern_api::{Code, Error};
use postern_edge::{AccessLog, AccessLogReader};
use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    thread::JoinHandle,
    time::Duration,
};

/// Interval at which an idle writer checks whether it must stop.
const STOP_CHECK_INTERVAL: Duration = Duration::from_millis(100);
/// Delay in which lines are batched. Waking up for each line would cost more than writing it.
const BATCH_DELAY: Duration = Duration::from_millis(10);
/// Handle of the writer thread. Flushes and ends it when dropped.
pub(crate) struct AccessLogWriter {
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

/// Starts the writer and returns the sender for the edge.
pub(crate) fn start(destination: &Destination) -> Result<(AccessLog, AccessLogWriter), Error> {
    let mut output = Output::open("access log", "postern_access_log_dropped_total", destination).map_err(|error| {
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
