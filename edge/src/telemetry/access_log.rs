//! The way into the access log. Nobody waits for it: what it cannot take at once is dropped and counted.

use crate::telemetry::{AccessLogEntry, metrics};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};

/// Entries that may wait to be written.
const WAITING: usize = 8192;

/// Where entries are put.
#[derive(Clone)]
pub struct AccessLog(SyncSender<Box<AccessLogEntry>>);

impl AccessLog {
    /// The way in, and what comes out at its other end.
    pub fn new() -> (AccessLog, Receiver<Box<AccessLogEntry>>) {
        let (sender, receiver) = sync_channel(WAITING);
        (AccessLog(sender), receiver)
    }

    pub(crate) fn write(&self, entry: Box<AccessLogEntry>) {
        if self.0.try_send(entry).is_err() {
            metrics::log_line_dropped();
        }
    }
}
