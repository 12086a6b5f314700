//! Transport of a session.

use tokio::io::{AsyncRead, AsyncWrite};

/// Reliable, ordered, private byte stream: TLS in production, memory in tests.
pub trait Transport: AsyncRead + AsyncWrite + Unpin + Send + 'static {}

impl<T: AsyncRead + AsyncWrite + Unpin + Send + 'static> Transport for T {}

/// A [`Transport`] of any type.
pub type BoxedTransport = Box<dyn Transport>;
