//! The parts of a frame, which are written with one call: bytes in front of it, its header, and the slices of a writer.

use crate::io::{buffers::Buffer, stream_transport::StreamTransport};
use std::{
    io::{self, IoSlice},
    pin::Pin,
    task::{Context, Poll},
};
use tokio::io::AsyncWrite;

/// Most parts of a frame, with the bytes in front of it and its header. A chunk of a body has three, with its framing.
pub(super) const MAX_PARTS: usize = 16;

/// Sets `parts` to the first bytes of the slices, `limit` at most. Returns how many parts were set, and their bytes.
pub(super) fn set_payload<'a>(parts: &mut [IoSlice<'a>], slices: &'a [IoSlice<'_>], limit: usize) -> (usize, usize) {
    let (mut count, mut length) = (0, 0);
    for slice in slices {
        if count == parts.len() || length == limit {
            break;
        }
        let taken = slice.len().min(limit - length);
        if taken > 0 {
            parts[count] = IoSlice::new(&slice[..taken]);
            count += 1;
            length += taken;
        }
    }
    (count, length)
}

/// Writes the parts with one call.
pub(super) fn poll_write_parts(
    transport: Pin<&mut StreamTransport>,
    cx: &mut Context<'_>,
    parts: &[IoSlice<'_>],
) -> Poll<io::Result<usize>> {
    if transport.is_write_vectored() {
        return transport.poll_write_vectored(cx, parts);
    }
    let mut together = Buffer::borrow();
    let mut end = 0;
    for part in parts {
        let count = part.len().min(together.len() - end);
        together[end..end + count].copy_from_slice(&part[..count]);
        end += count;
    }
    transport.poll_write(cx, &together[..end])
}
