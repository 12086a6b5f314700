//! Pool of 64 KiB buffers, borrowed only while bytes are in flight.
//!
//! Every thread keeps a few; an idle stream holds none.

use crate::proto::frame::MAX_PAYLOAD;
use std::{
    cell::RefCell,
    ops::{Deref, DerefMut},
};

/// Size of a buffer in bytes: a full frame with its header.
pub(crate) const SIZE: usize = MAX_PAYLOAD;

/// Unused buffers that a thread keeps.
const MAX_POOLED_BUFFERS: usize = 8;

thread_local! {
    static BUFFERS: RefCell<Vec<Box<[u8]>>> = const { RefCell::new(Vec::new()) };
}

/// A borrowed buffer of [`SIZE`] bytes with arbitrary content. Returned to the pool when dropped.
pub(crate) struct Buffer(Box<[u8]>);

impl Buffer {
    pub(crate) fn borrow() -> Self {
        let pooled = BUFFERS.try_with(|buffers| buffers.borrow_mut().pop()).ok().flatten();
        Buffer(pooled.unwrap_or_else(|| vec![0; SIZE].into_boxed_slice()))
    }
}

impl Drop for Buffer {
    fn drop(&mut self) {
        let bytes = std::mem::take(&mut self.0);
        let _ = BUFFERS.try_with(|buffers| {
            let mut buffers = buffers.borrow_mut();
            if buffers.len() < MAX_POOLED_BUFFERS {
                buffers.push(bytes);
            }
        });
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
    fn a_thread_keeps_a_bounded_number_of_buffers() {
        let borrowed: Vec<Buffer> = (0..3 * MAX_POOLED_BUFFERS).map(|_| Buffer::borrow()).collect();
        assert!(borrowed.iter().all(|buffer| buffer.len() == SIZE));
        drop(borrowed);
        assert_eq!(BUFFERS.with(|buffers| buffers.borrow().len()), MAX_POOLED_BUFFERS);
    }
}
