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

/// Bytes of a buffer that a relay gets while many others hold one.
const SMALL_SIZE: usize = 4 * 1024;
/// Buffers of full size that may be lent at the same time before relays get small ones.
const MAX_LENT_BUFFERS: usize = 256;

/// Lent buffers of full size.
static LENT: AtomicUsize = AtomicUsize::new(0);

/// Unused buffers that a thread keeps.
const MAX_POOLED_BUFFERS: usize = 8;

thread_local! {
    static BUFFERS: RefCell<Vec<Box<[u8]>>> = const { RefCell::new(Vec::new()) };
}

/// A borrowed buffer of [`SIZE`] bytes with arbitrary content. Returned to the pool when dropped.
pub(crate) struct Buffer(Box<[u8]>);

impl Buffer {
    pub(crate) fn borrow() -> Self {
        LENT.fetch_add(1, Ordering::Relaxed);
        let pooled = BUFFERS.try_with(|buffers| buffers.borrow_mut().pop()).ok().flatten();
        Buffer(pooled.unwrap_or_else(|| vec![0; SIZE].into_boxed_slice()))
    }
}

impl Drop for Buffer {
    fn drop(&mut self) {
        LENT.fetch_sub(1, Ordering::Relaxed);
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
/// theirs, so it is small while there are many of them.
pub(crate) enum RelayBuffer {
    Full(Buffer),
    Small(Box<[u8]>),
}

impl RelayBuffer {
    pub(crate) fn borrow() -> Self {
        if LENT.load(Ordering::Relaxed) < MAX_LENT_BUFFERS {
            RelayBuffer::Full(Buffer::borrow())
        } else {
            RelayBuffer::Small(vec![0; SMALL_SIZE].into_boxed_slice())
        }
    }
}

impl Deref for RelayBuffer {
    type Target = [u8];
    fn deref(&self) -> &[u8] {
        match self {
            RelayBuffer::Full(buffer) => buffer,
            RelayBuffer::Small(bytes) => bytes,
        }
    }
}

impl DerefMut for RelayBuffer {
    fn deref_mut(&mut self) -> &mut [u8] {
        match self {
            RelayBuffer::Full(buffer) => buffer,
            RelayBuffer::Small(bytes) => bytes,
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
    fn relays_get_small_buffers_while_many_are_held() {
        let held: Vec<RelayBuffer> = (0..2 * MAX_LENT_BUFFERS).map(|_| RelayBuffer::borrow()).collect();
        assert!(held.iter().filter(|buffer| buffer.len() == SIZE).count() <= MAX_LENT_BUFFERS);
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
