//! What a session runs over.

use tokio::io::{AsyncRead, AsyncWrite};

/// A reliable, ordered, private byte stream: TLS in earnest, memory in tests.
pub trait Transport: AsyncRead + AsyncWrite + Unpin + Send + 'static {}

impl<T: AsyncRead + AsyncWrite + Unpin + Send + 'static> Transport for T {}

/// A [`Transport`] of whatever kind.
pub type BoxedTransport = Box<dyn Transport>;

/// Bounds what rustls keeps for one connection to exactly one full frame.
///
/// A frame then leaves in one write, and a peer that does not read costs 64 KiB of ciphertext at most. Call it
/// on every connection before it carries a session: `limit_buffers(stream.get_mut().1)`.
pub fn limit_buffers<Side: rustls::SideData>(connection: &mut rustls::ConnectionCommon<Side>) {
    connection.set_buffer_limit(Some(crate::proto::frame::MAX_PAYLOAD));
}
