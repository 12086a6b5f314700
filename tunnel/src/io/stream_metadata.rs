//! Metadata beside the data of a stream: what the server tells the agent about the bytes that follow. It is not part of
//! the forwarded bytes.

use crate::proto::frame::MAX_METADATA;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Metadata slot of one stream; clones share it. Holds at most one entry: a later one replaces an earlier one.
#[derive(Clone, Debug, Default)]
pub struct StreamMetadata(Arc<Mutex<Option<Vec<u8>>>>);

impl StreamMetadata {
    /// Stores metadata. At the server it is sent in front of the next bytes that are written. Metadata longer than
    /// [`MAX_METADATA`] is dropped.
    pub fn put(&self, metadata: Vec<u8>) {
        let fits = (1..=MAX_METADATA).contains(&metadata.len());
        *self.slot() = Some(metadata).filter(|_| fits);
    }

    /// Takes the stored metadata, if any. At the agent it describes the bytes that were read after it.
    pub fn take(&self) -> Option<Vec<u8>> {
        self.slot().take()
    }

    fn slot(&self) -> MutexGuard<'_, Option<Vec<u8>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
