//! Audit log: one JSON object for each audit event, written by a thread of its own, so that a slow disk delays no call.

use crate::{
    io_error::reason,
    log_output::{Destination, Output},
};
use postern_api::{Code, Error, Result};
use postern_control::CommittedEvent;
use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
        mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel},
    },
    thread::JoinHandle,
    time::Duration,
};

/// Events that wait for the writer at most. Further ones are in the store only.
const MAX_WAITING_EVENTS: usize = 4096;
/// Interval at which an idle writer checks whether it must stop.
const STOP_CHECK_INTERVAL: Duration = Duration::from_millis(100);
/// Counter of the events that were not written.
const DROPPED: &str = "postern_audit_log_dropped_total";

/// Sender of events to the writer.
pub(crate) struct AuditLog {
    events: SyncSender<CommittedEvent>,
    /// Whether the last event found no room; only the first is logged.
    overflowing: bool,
}

/// Handle of the writer thread. Writes what was sent, and ends it, when dropped.
pub(crate) struct AuditLogWriter {
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

/// Starts the writer.
///
/// # Errors
/// If the destination cannot be opened.
pub(crate) fn start(destination: &Destination) -> Result<(AuditLog, AuditLogWriter)> {
    let mut output = Output::open("audit log", DROPPED, destination).map_err(|error| {
        let message = format!("The audit log cannot be opened (--audit-log): {}.", reason(&error));
        Error::new(Code::ConfigInvalid, message)
    })?;
    let (events, received) = sync_channel(MAX_WAITING_EVENTS);
    let stop = Arc::new(AtomicBool::new(false));
    let stopped = stop.clone();
    let thread = std::thread::Builder::new()
        .name("audit-log".into())
        .spawn(move || write(&received, &mut output, &stopped))
        .map_err(|error| {
            Error::new(Code::Internal, format!("The thread of the audit log cannot be started: {error}."))
        })?;
    Ok((AuditLog { events, overflowing: false }, AuditLogWriter { stop, thread: Some(thread) }))
}

impl AuditLog {
    /// Hands an event over without waiting.
    pub(crate) fn send(&mut self, event: CommittedEvent) {
        let is_full = self.events.try_send(event).is_err();
        if is_full {
            metrics::counter!(DROPPED).increment(1);
            if !self.overflowing {
                tracing::error!("the audit log is written too slowly: events are missing in it, but not in the store");
            }
        }
        self.overflowing = is_full;
    }
}

impl Drop for AuditLogWriter {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Release);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

fn write(events: &Receiver<CommittedEvent>, output: &mut Output, stopped: &AtomicBool) {
    loop {
        match events.recv_timeout(STOP_CHECK_INTERVAL) {
            Ok(event) => {
                let lines = std::iter::once(event).chain(events.try_iter()).filter_map(|event| event.line());
                output.lines(lines.collect::<String>().as_bytes());
            }
            Err(RecvTimeoutError::Timeout) if !stopped.load(Ordering::Acquire) => {}
            Err(_) => return,
        }
    }
}
