//! Pool of 64 KiB buffers, borrowed only while bytes are in flight.
//!
//! Every thread keeps a few; an idle stream holds none.

use crate::proto::frame::MAX_PAYLOAD;
use std::{
    cell::{Cell, RefCell},
    ops::{Deref, DerefMut},
    sync::atomic::{AtomicIsize, Ordering},
};

/// Size of a buffer in bytes: a full frame with its header.
pub(crate) const SIZE: usize = MAX_PAYLOAD;

/// Sizes in bytes that relays get while others hold buffers: each as long as less than this is lent in all.
const RELAY_SIZES: [(usize, isize); 2] = [(SIZE, FULL_LIMIT), (16 * 1024, 8 * 1024 * 1024)];
/// Bytes that are lent in all from which on nothing that can do with less gets a full buffer.
pub(super) const FULL_LIMIT: isize = 4 * 1024 * 1024;
/// Size in bytes that relays get while more is lent. With what a frame and a TLS record add, eight of them share a run of pages in
/// jemalloc; a block of a whole page is a run of its own, whose description is never returned.
const SMALL_SIZE: usize = 7 * 512 - 32;

/// Bytes of all lent buffers, but for those that [`THREAD_LENT`] still has.
static LENT: AtomicIsize = AtomicIsize::new(0);

/// Bytes that a thread lends or takes back before it changes [`LENT`], which all threads share: most buffers come back before
/// their thread does anything else.
const THREAD_LENT_LIMIT: isize = 4 * SIZE as isize;

/// Unused buffers that a thread keeps.
const MAX_POOLED_BUFFERS: usize = 2;

thread_local! {
    static BUFFERS: RefCell<Vec<Box<[u8]>>> = const { RefCell::new(Vec::new()) };
    static THREAD_LENT: ThreadLent = const { ThreadLent(Cell::new(0)) };
}

/// Bytes that a thread has lent and not yet added to [`LENT`]; negative for those that it took back.
struct ThreadLent(Cell<isize>);

impl Drop for ThreadLent {
    fn drop(&mut self) {
        LENT.fetch_add(self.0.get(), Ordering::Relaxed);
    }
}

/// Counts bytes that are lent, or that came back if negative.
fn count(bytes: isize) {
    let shared = THREAD_LENT.try_with(|ThreadLent(own)| {
        let sum = own.get() + bytes;
        let is_shared = sum.abs() >= THREAD_LENT_LIMIT;
        own.set(if is_shared { 0 } else { sum });
        if is_shared { sum } else { 0 }
    });
    let shared = shared.unwrap_or(bytes);
    if shared != 0 {
        LENT.fetch_add(shared, Ordering::Relaxed);
    }
}

/// Bytes of all lent buffers, as far as this thread knows.
fn lent() -> isize {
    LENT.load(Ordering::Relaxed) + THREAD_LENT.try_with(|ThreadLent(own)| own.get()).unwrap_or(0)
}

/// A borrowed buffer of [`SIZE`] bytes with arbitrary content. Returned to the pool when dropped.
#[derive(Debug)]
pub(crate) struct Buffer(Box<[u8]>);

impl Buffer {
    pub(crate) fn borrow() -> Self {
        count(SIZE as isize);
        let pooled = BUFFERS.try_with(|buffers| buffers.borrow_mut().pop()).ok().flatten();
        Buffer(pooled.unwrap_or_else(|| vec![0; SIZE].into_boxed_slice()))
    }

    /// A buffer for what can do without, as long as few are lent.
    pub(crate) fn borrow_if_few() -> Option<Self> {
        (lent() < FULL_LIMIT).then(Buffer::borrow)
    }
}

impl Drop for Buffer {
    fn drop(&mut self) {
        count(-(SIZE as isize));
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
        count(size as isize);
        SmallerBuffer(vec![0; size].into_boxed_slice())
    }
}

impl Drop for SmallerBuffer {
    fn drop(&mut self) {
        count(-(self.0.len() as isize));
    }
}

impl RelayBuffer {
    pub(crate) fn borrow() -> Self {
        let lent = lent();
        match RELAY_SIZES.into_iter().find(|(_, limit)| lent < *limit) {
            Some((SIZE, _)) => RelayBuffer::Full(Buffer::borrow()),
            Some((size, _)) => RelayBuffer::Smaller(SmallerBuffer::new(size)),
            None => RelayBuffer::Smaller(SmallerBuffer::new(SMALL_SIZE)),
        }
    }

    /// Whether others held many buffers when this one was borrowed.
    pub(crate) fn is_smaller(&self) -> bool {
        matches!(self, RelayBuffer::Smaller(_))
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
            assert!((1..=limit as usize / size).contains(&count), "{count} of {size} bytes");
        }
        assert_eq!(held.last().map(|buffer| buffer.len()), Some(SMALL_SIZE));
        drop(held);
        assert_eq!(RelayBuffer::borrow().len(), SIZE);
    }

    #[test]
    fn buffers_are_counted_whichever_thread_returns_them() {
        let held: Vec<RelayBuffer> = (0..1000).map(|_| RelayBuffer::borrow()).collect();
        let sum: usize = held.iter().map(|buffer| buffer.len()).sum();
        assert_eq!(lent(), sum as isize);
        let mut held = held.into_iter();
        for _ in 0..7 {
            let part: Vec<RelayBuffer> = held.by_ref().take(100).collect();
            std::thread::spawn(move || drop(part)).join().expect("the thread ends");
        }
        drop(held);
        assert_eq!(lent(), 0);
    }

    #[test]
    fn a_thread_keeps_a_bounded_number_of_buffers() {
        let borrowed: Vec<Buffer> = (0..3 * MAX_POOLED_BUFFERS).map(|_| Buffer::borrow()).collect();
        assert!(borrowed.iter().all(|buffer| buffer.len() == SIZE));
        drop(borrowed);
        assert_eq!(BUFFERS.with(|buffers| buffers.borrow().len()), MAX_POOLED_BUFFERS);
    }
}
