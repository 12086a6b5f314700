//! Joins two streams and moves bytes both ways.

use std::io;
use tokio::io::{AsyncRead, AsyncWrite};

/// Watches the bytes of one direction as they pass. It must be quick: the relay waits for it.
pub trait Tap: Send {
    /// These bytes pass now.
    fn observe(&mut self, bytes: &[u8]);
    /// The direction has ended properly.
    fn finished(&mut self) {}
}

/// A tap that watches nothing.
impl Tap for () {
    fn observe(&mut self, _bytes: &[u8]) {}
}

/// What a relay did.
#[derive(Debug)]
pub struct RelayEnd {
    /// Bytes moved from the first stream to the second.
    pub a_to_b: u64,
    /// Bytes moved from the second stream to the first.
    pub b_to_a: u64,
    /// What broke it off, if it did not end properly.
    pub error: Option<io::Error>,
}

/// Moves bytes both ways until both directions have ended or one is broken.
pub async fn relay<A, B>(a: A, b: B) -> RelayEnd
where
    A: AsyncRead + AsyncWrite + Unpin,
    B: AsyncRead + AsyncWrite + Unpin,
{
    relay_tapped(a, b, (), ()).await
}

/// A [`relay`] with somebody watching each direction.
pub async fn relay_tapped<A, B>(_a: A, _b: B, _a_to_b: impl Tap, _b_to_a: impl Tap) -> RelayEnd
where
    A: AsyncRead + AsyncWrite + Unpin,
    B: AsyncRead + AsyncWrite + Unpin,
{
    unimplemented!()
}
