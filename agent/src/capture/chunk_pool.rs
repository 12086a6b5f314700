//! Chunks of evicted exchanges, kept for those that are captured next. An allocator keeps freed memory for the thread
//! that allocated it, so with several threads the process would grow to several times the limit.

use super::message_buffer::MAX_CHUNK_BYTES;
use std::sync::{
    Mutex, MutexGuard, PoisonError,
    atomic::{AtomicUsize, Ordering::Relaxed},
};

/// Empty chunks of the largest size.
#[derive(Debug, Default)]
pub(super) struct ChunkPool {
    free: Mutex<Vec<Vec<u8>>>,
    /// Bytes of all of them.
    bytes: AtomicUsize,
}

impl ChunkPool {
    /// An empty chunk of `bytes` bytes.
    pub(super) fn chunk(&self, bytes: usize) -> Vec<u8> {
        if bytes == MAX_CHUNK_BYTES && self.bytes.load(Relaxed) > 0 {
            let mut free = self.free();
            if let Some(chunk) = free.pop() {
                self.count(&free);
                return chunk;
            }
        }
        Vec::with_capacity(bytes)
    }

    /// Keeps chunks, as long as all of them fit into `room` bytes.
    pub(super) fn put(&self, chunks: Vec<Vec<u8>>, room: usize) {
        if chunks.is_empty() {
            return;
        }
        let mut free = self.free();
        let count = (room / MAX_CHUNK_BYTES).saturating_sub(free.len());
        // The others are dropped after the lock is released.
        let mut chunks = chunks;
        free.extend(chunks.drain(..count.min(chunks.len())));
        self.count(&free);
    }

    /// Drops chunks until the others fit into `room` bytes.
    pub(super) fn trim(&self, room: usize) {
        if self.bytes.load(Relaxed) <= room {
            return;
        }
        let surplus = {
            let mut free = self.free();
            let count = free.len().min(room / MAX_CHUNK_BYTES);
            let surplus = free.split_off(count);
            self.count(&free);
            surplus
        };
        drop(surplus);
    }

    fn count(&self, free: &[Vec<u8>]) {
        self.bytes.store(free.len() * MAX_CHUNK_BYTES, Relaxed);
    }

    fn free(&self) -> MutexGuard<'_, Vec<Vec<u8>>> {
        self.free.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chunks_are_kept_within_the_room_there_is() {
        let pool = ChunkPool::default();
        let chunks = |count| (0..count).map(|_| Vec::with_capacity(MAX_CHUNK_BYTES)).collect();
        pool.put(chunks(5), 3 * MAX_CHUNK_BYTES + 1);
        assert_eq!(pool.free().len(), 3);
        assert_eq!(pool.chunk(MAX_CHUNK_BYTES).capacity(), MAX_CHUNK_BYTES);
        assert_eq!((pool.free().len(), pool.chunk(100).capacity()), (2, 100));
        pool.trim(MAX_CHUNK_BYTES);
        assert_eq!(pool.free().len(), 1);
        pool.trim(0);
        assert_eq!((pool.free().len(), pool.chunk(MAX_CHUNK_BYTES).capacity()), (0, MAX_CHUNK_BYTES));
    }
}
