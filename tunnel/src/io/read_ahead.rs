//! Read-ahead below TLS: fewer system calls for bulk data.

use super::buffers::Buffer;
use std::{
    io::{self, IoSlice},
    pin::Pin,
    task::{Context, Poll, ready},
};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

/// Reads that filled this many bytes are of bulk data: more is probably waiting.
const BULK_BYTES: usize = 8 * 1024;

/// A connection below TLS. rustls asks for no more than one record at a time; of bulk data, this reads 64 KiB at once.
///
/// It holds a buffer only while TLS has not taken all of it. Everything else is read straight into the reader's buffer.
#[derive(Debug)]
pub struct ReadAhead<S> {
    inner: S,
    unread: Option<Unread>,
    /// Whether the last read was of bulk data.
    is_bulk: bool,
}

/// Bytes that were read ahead, from `from` to `to`.
#[derive(Debug)]
struct Unread {
    buffer: Buffer,
    from: u32,
    to: u32,
}

impl<S> ReadAhead<S> {
    /// Wraps a connection of which nothing is read ahead yet.
    pub fn new(inner: S) -> Self {
        ReadAhead { inner, unread: None, is_bulk: false }
    }
}

impl Unread {
    /// Moves as many bytes as fit. Returns what is left.
    fn take(mut self, buf: &mut ReadBuf<'_>) -> Option<Self> {
        let (from, to) = (self.from as usize, self.to as usize);
        let count = buf.remaining().min(to - from);
        buf.put_slice(&self.buffer[from..from + count]);
        self.from += count as u32;
        (self.from < self.to).then_some(self)
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for ReadAhead<S> {
    fn poll_read(self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        if let Some(unread) = this.unread.take() {
            this.unread = unread.take(buf);
            return Poll::Ready(Ok(()));
        }
        let Some(mut buffer) = this.is_bulk.then(Buffer::borrow_if_few).flatten() else {
            let filled_before = buf.filled().len();
            ready!(Pin::new(&mut this.inner).poll_read(cx, buf))?;
            this.is_bulk = buf.remaining() == 0 && buf.filled().len() - filled_before >= BULK_BYTES;
            return Poll::Ready(Ok(()));
        };
        let mut bytes = ReadBuf::new(&mut buffer);
        ready!(Pin::new(&mut this.inner).poll_read(cx, &mut bytes))?;
        let count = bytes.filled().len();
        this.is_bulk = count >= BULK_BYTES;
        this.unread = Unread { buffer, from: 0, to: count as u32 }.take(buf);
        Poll::Ready(Ok(()))
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for ReadAhead<S> {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.inner).poll_write(cx, bytes)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        slices: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.inner).poll_write_vectored(cx, slices)
    }

    fn is_write_vectored(&self) -> bool {
        self.inner.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.inner).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.inner).poll_shutdown(cx)
    }
}

#[cfg(test)]
mod tests {
    use super::{
        super::buffers::{FULL_LIMIT, SIZE},
        *,
    };
    use futures::FutureExt;
    use proptest::prelude::*;
    use std::collections::VecDeque;
    use tokio::io::AsyncReadExt;

    /// What TLS asks for: a record with its header.
    const RECORD: usize = 16 * 1024 + 5;

    /// A peer whose bytes arrive in pieces; it counts the reads that got some.
    struct Peer {
        pieces: VecDeque<Vec<u8>>,
        reads: usize,
    }

    impl Peer {
        fn new(pieces: impl IntoIterator<Item = Vec<u8>>) -> ReadAhead<Self> {
            ReadAhead::new(Peer { pieces: pieces.into_iter().collect(), reads: 0 })
        }
    }

    impl AsyncRead for Peer {
        fn poll_read(mut self: Pin<&mut Self>, _cx: &mut Context<'_>, buf: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
            let Some(mut piece) = self.pieces.pop_front() else { return Poll::Ready(Ok(())) };
            let rest = piece.split_off(piece.len().min(buf.remaining()));
            buf.put_slice(&piece);
            if !rest.is_empty() {
                self.pieces.push_front(rest);
            }
            self.reads += 1;
            Poll::Ready(Ok(()))
        }
    }

    fn numbered(length: usize) -> Vec<u8> {
        (0..length).map(|position| (position % 251) as u8).collect()
    }

    /// Reads once with a buffer of this size.
    fn read(peer: &mut ReadAhead<Peer>, size: usize) -> Vec<u8> {
        let mut bytes = vec![0; size];
        let count = peer.read(&mut bytes).now_or_never().expect("the peer never blocks").expect("no error");
        bytes.truncate(count);
        bytes
    }

    #[test]
    fn bulk_data_is_read_in_whole_buffers() {
        const LENGTH: usize = 16 * SIZE;
        let mut peer = Peer::new([numbered(LENGTH)]);
        let mut received = Vec::new();
        while received.len() < LENGTH {
            received.extend(read(&mut peer, RECORD));
        }
        assert_eq!(received, numbered(LENGTH));
        assert!(peer.inner.reads <= LENGTH / SIZE + 2, "{} reads", peer.inner.reads);
        assert!(peer.unread.is_none(), "all of it was taken");
    }

    #[test]
    fn small_messages_are_never_held() {
        let mut peer = Peer::new((0..100).map(|_| numbered(1500)));
        for number in 1..=100 {
            assert_eq!(read(&mut peer, 4096), numbered(1500));
            assert!(peer.unread.is_none());
            assert_eq!(peer.inner.reads, number);
        }
    }

    #[test]
    fn no_buffer_is_held_once_bulk_data_ends() {
        let mut peer = Peer::new([numbered(3 * RECORD), numbered(100), numbered(100)]);
        for _ in 0..3 {
            assert_eq!(read(&mut peer, RECORD).len(), RECORD);
        }
        for _ in 0..2 {
            assert_eq!(read(&mut peer, RECORD), numbered(100));
            assert!(peer.unread.is_none() && !peer.is_bulk);
        }
        assert!(read(&mut peer, RECORD).is_empty(), "the peer has ended");
    }

    #[test]
    fn many_connections_with_unread_bytes_hold_a_bounded_amount() {
        let mut peers: Vec<_> = (0..200).map(|_| Peer::new([numbered(4 * SIZE)])).collect();
        for peer in &mut peers {
            for _ in 0..3 {
                assert_eq!(read(peer, RECORD).len(), RECORD);
            }
        }
        let holding = peers.iter().filter(|peer| peer.unread.is_some()).count();
        assert!((1..=FULL_LIMIT as usize / SIZE + 1).contains(&holding), "{holding}");
    }

    proptest! {
        #[test]
        fn all_bytes_arrive_in_order_however_they_are_sent_and_read(
            pieces in prop::collection::vec(1..3 * SIZE, 1..8),
            sizes in prop::collection::vec(1..2 * RECORD, 1..8),
        ) {
            let sent = numbered(pieces.iter().sum());
            let mut rest = sent.as_slice();
            let mut peer = Peer::new(pieces.iter().map(|length| {
                let (piece, after) = rest.split_at(*length);
                rest = after;
                piece.to_vec()
            }));
            let mut received = Vec::new();
            for size in sizes.iter().cycle() {
                let bytes = read(&mut peer, *size);
                if bytes.is_empty() {
                    break;
                }
                received.extend(bytes);
            }
            prop_assert!(received == sent, "{} of {} bytes", received.len(), sent.len());
        }
    }
}
