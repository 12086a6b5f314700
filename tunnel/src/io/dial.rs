//! How an agent reaches its server.

use super::transport::BoxedTransport;
use futures::future::BoxFuture;
use std::io;

/// Makes connections to the server, ready for a session: TLS is done, the protocol name agreed.
///
/// Used once for the control connection and again for every data connection. A dial that hangs is given up after
/// ten seconds.
pub trait Dial: Send + Sync + 'static {
    /// One connection.
    fn dial(&self) -> BoxFuture<'_, io::Result<BoxedTransport>>;
}

impl<F, Made> Dial for F
where
    F: Fn() -> Made + Send + Sync + 'static,
    Made: Future<Output = io::Result<BoxedTransport>> + Send + 'static,
{
    fn dial(&self) -> BoxFuture<'_, io::Result<BoxedTransport>> {
        Box::pin(self())
    }
}
