//! The queue of the access log. Writers never wait: entries that do not fit are dropped and counted.

use crate::telemetry::{AccessLogEntry, metrics};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};

/// Entries that may wait to be written.
const MAX_QUEUED_ENTRIES: usize = 8192;

/// Where entries are put.
#[derive(Clone)]
pub struct AccessLog(SyncSender<Box<AccessLogEntry>>);

impl AccessLog {
    /// The queue and its receiving end.
    pub fn new() -> (AccessLog, Receiver<Box<AccessLogEntry>>) {
        let (sender, receiver) = sync_channel(MAX_QUEUED_ENTRIES);
        (AccessLog(sender), receiver)
    }

    pub(crate) fn write(&self, entry: Box<AccessLogEntry>) {
        if self.0.try_send(entry).is_err() {
            metrics::log_line_dropped();
        }
    }
}
