//! Pool of 64 KiB buffers, borrowed only while bytes are in flight.
//!
//! Every thread keeps a few; an idle stream holds none.

use crate::proto::frame::MAX_PAYLOAD;
use std::{
    cell::RefCell,
    ops::{Deref, DerefMut},
    sync::atomic::{AtomicUsize, Ordering},
};

/// Size of a buffer in bytes: a full frame with its header.
pub(crate) const SIZE: usize = MAX_PAYLOAD;

/// Sizes in bytes that relays get while others hold buffers: each as long as less than this is lent in all.
const RELAY_SIZES: [(usize, usize); 2] = [(SIZE, 4 * 1024 * 1024), (16 * 1024, 8 * 1024 * 1024)];
/// Size in bytes that relays get while more is lent.
const SMALL_SIZE: usize = 4 * 1024;

/// Bytes of all lent buffers.
static LENT: AtomicUsize = AtomicUsize::new(0);

/// Unused buffers that a thread keeps.
const MAX_POOLED_BUFFERS: usize = 4;

thread_local! {
    static BUFFERS: RefCell<Vec<Box<[u8]>>> = const { RefCell::new(Vec::new()) };
}

/// A borrowed buffer of [`SIZE`] bytes with arbitrary content. Returned to the pool when dropped.
pub(crate) struct Buffer(Box<[u8]>);

impl Buffer {
    pub(crate) fn borrow() -> Self {
        LENT.fetch_add(SIZE, Ordering::Relaxed);
        let pooled = BUFFERS.try_with(|buffers| buffers.borrow_mut().pop()).ok().flatten();
        Buffer(pooled.unwrap_or_else(|| vec![0; SIZE].into_boxed_slice()))
    }
}

impl Drop for Buffer {
    fn drop(&mut self) {
        LENT.fetch_sub(SIZE, Ordering::Relaxed);
        let bytes = std::mem::take(&mut self.0);
        let _ = BUFFERS.try_with(|buffers| {
            let mut buffers = buffers.borrow_mut();
            if buffers.len() < MAX_POOLED_BUFFERS {
                buffers.push(bytes);
            }
        });
    }
}

/// A buffer that holds the bytes of one direction of a relay until they are written. Relays whose writers are blocked keep
/// theirs, so it is smaller while there are many of them.
pub(crate) enum RelayBuffer {
    Full(Buffer),
    Smaller(SmallerBuffer),
}

/// A buffer that returns to the allocator and not to the pool.
pub(crate) struct SmallerBuffer(Box<[u8]>);

impl SmallerBuffer {
    fn new(size: usize) -> Self {
        LENT.fetch_add(size, Ordering::Relaxed);
        SmallerBuffer(vec![0; size].into_boxed_slice())
    }
}

impl Drop for SmallerBuffer {
    fn drop(&mut self) {
        LENT.fetch_sub(self.0.len(), Ordering::Relaxed);
    }
}

impl RelayBuffer {
    pub(crate) fn borrow() -> Self {
        let lent = LENT.load(Ordering::Relaxed);
        match RELAY_SIZES.into_iter().find(|(_, limit)| lent < *limit) {
            Some((SIZE, _)) => RelayBuffer::Full(Buffer::borrow()),
            Some((size, _)) => RelayBuffer::Smaller(SmallerBuffer::new(size)),
            None => RelayBuffer::Smaller(SmallerBuffer::new(SMALL_SIZE)),
        }
    }
}

impl Deref for RelayBuffer {
    type Target = [u8];
    fn deref(&self) -> &[u8] {
        match self {
            RelayBuffer::Full(buffer) => buffer,
            RelayBuffer::Smaller(SmallerBuffer(bytes)) => bytes,
        }
    }
}

impl DerefMut for RelayBuffer {
    fn deref_mut(&mut self) -> &mut [u8] {
        match self {
            RelayBuffer::Full(buffer) => buffer,
            RelayBuffer::Smaller(SmallerBuffer(bytes)) => bytes,
        }
    }
}

impl Deref for Buffer {
    type Target = [u8];
    fn deref(&self) -> &[u8] {
        &self.0
    }
}

impl DerefMut for Buffer {
    fn deref_mut(&mut self) -> &mut [u8] {
        &mut self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn relays_get_smaller_buffers_while_many_are_held() {
        let held: Vec<RelayBuffer> = (0..1000).map(|_| RelayBuffer::borrow()).collect();
        for (size, limit) in RELAY_SIZES {
            let count = held.iter().filter(|buffer| buffer.len() == size).count();
            assert!((1..=limit / size).contains(&count), "{count} of {size} bytes");
        }
        assert_eq!(held.last().map(|buffer| buffer.len()), Some(SMALL_SIZE));
        drop(held);
        assert_eq!(RelayBuffer::borrow().len(), SIZE);
    }

    #[test]
    fn a_thread_keeps_a_bounded_number_of_buffers() {
        let borrowed: Vec<Buffer> = (0..3 * MAX_POOLED_BUFFERS).map(|_| Buffer::borrow()).collect();
        assert!(borrowed.iter().all(|buffer| buffer.len() == SIZE));
        drop(borrowed);
        assert_eq!(BUFFERS.with(|buffers| buffers.borrow().len()), MAX_POOLED_BUFFERS);
    }
}
