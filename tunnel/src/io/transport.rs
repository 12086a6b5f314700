//! Transport of a session.

use tokio::io::{AsyncRead, AsyncWrite};

/// Reliable, ordered, private byte stream: TLS in production, memory in tests.
pub trait Transport: AsyncRead + AsyncWrite + Unpin + Send + 'static {}

impl<T: AsyncRead + AsyncWrite + Unpin + Send + 'static> Transport for T {}

/// A [`Transport`] of any type.
pub type BoxedTransport = Box<dyn Transport>;

/// Limits the send buffer of rustls to one full frame.
///
/// A frame then takes a single write, and a peer that does not read costs at most 64 KiB of ciphertext. Must be called
/// on every connection before it carries a session: `limit_buffers(stream.get_mut().1)`.
pub fn limit_buffers<Side: rustls::SideData>(connection: &mut rustls::ConnectionCommon<Side>) {
    connection.set_buffer_limit(Some(crate::proto::frame::MAX_PAYLOAD));
}
