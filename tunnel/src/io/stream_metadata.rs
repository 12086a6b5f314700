//! Metadata beside the data of a stream: what the server tells the agent about the bytes that follow. It is not part of
//! the forwarded bytes.

use crate::proto::frame::MAX_METADATA;
use std::{
    collections::VecDeque,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

/// Entries that wait on one stream; with one more the oldest is dropped.
const MAX_ENTRIES: usize = 64;

/// Metadata of one stream that waits to be sent or taken; clones share it.
#[derive(Clone, Debug, Default)]
pub struct StreamMetadata(Arc<Mutex<VecDeque<Vec<u8>>>>);

impl StreamMetadata {
    /// Stores metadata in place of all that waits. At the server it is sent in front of the next bytes that are written.
    /// Metadata longer than [`MAX_METADATA`] is dropped.
    pub fn put(&self, metadata: Vec<u8>) {
        let mut entries = self.entries();
        entries.clear();
        push(&mut entries, metadata);
    }

    /// Stores metadata behind what waits; for streams whose next bytes may belong to several requests.
    pub fn push(&self, metadata: Vec<u8>) {
        push(&mut self.entries(), metadata);
    }

    /// Takes the newest metadata, if any, and drops what is older. At the agent it describes the bytes that were read
    /// after it.
    pub fn take(&self) -> Option<Vec<u8>> {
        let mut entries = self.entries();
        let newest = entries.pop_back();
        entries.clear();
        newest
    }

    /// Takes all metadata, oldest first.
    pub fn take_all(&self) -> VecDeque<Vec<u8>> {
        std::mem::take(&mut *self.entries())
    }

    fn entries(&self) -> MutexGuard<'_, VecDeque<Vec<u8>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn push(entries: &mut VecDeque<Vec<u8>>, metadata: Vec<u8>) {
    if !(1..=MAX_METADATA).contains(&metadata.len()) {
        return;
    }
    if entries.len() == MAX_ENTRIES {
        entries.pop_front();
    }
    entries.push_back(metadata);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_are_taken_in_order_or_the_newest_alone() {
        let metadata = StreamMetadata::default();
        (1..=MAX_ENTRIES as u8 + 1).for_each(|entry| metadata.push(vec![entry]));
        let taken = metadata.take_all();
        assert_eq!((taken.len(), taken.front()), (MAX_ENTRIES, Some(&vec![2])));
        [b"a", b"b"].into_iter().for_each(|entry| metadata.push(entry.to_vec()));
        assert_eq!((metadata.take(), metadata.take()), (Some(b"b".to_vec()), None));
        metadata.push(b"a".to_vec());
        metadata.put(b"b".to_vec());
        assert_eq!(metadata.take_all(), [b"b"]);
        metadata.put(vec![0; MAX_METADATA + 1]);
        assert_eq!(metadata.take(), None);
    }
}
