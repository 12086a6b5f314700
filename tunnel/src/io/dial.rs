//! Dialer of the agent.

use super::transport::BoxedTransport;
use futures::future::BoxFuture;
use std::io;

/// Opens connections to the server that are ready for a session: the TLS handshake is done and
/// [`ALPN`](crate::ALPN) negotiated.
///
/// Called once for the control connection and once for every data connection. A dial is cancelled after ten seconds.
pub trait Dial: Send + Sync + 'static {
    /// Opens one connection.
    ///
    /// # Errors
    /// [`io::Error`] if the server cannot be reached or the TLS handshake fails.
    fn dial(&self) -> BoxFuture<'_, io::Result<BoxedTransport>>;
}

impl<F, Fut> Dial for F
where
    F: Fn() -> Fut + Send + Sync + 'static,
    Fut: Future<Output = io::Result<BoxedTransport>> + Send + 'static,
{
    fn dial(&self) -> BoxFuture<'_, io::Result<BoxedTransport>> {
        Box::pin(self())
    }
}
