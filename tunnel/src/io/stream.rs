//! One visitor's stream.

use postern_api::Error;
use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

/// The agent does not serve the stream, and says why. The source of the [`io::Error`] that reading returns.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the agent refused the stream: {0}")]
pub struct Refused(pub Error);

/// A stream between edge and agent, whatever carries it.
pub struct TunnelStream {
    _private: (),
}

impl TunnelStream {
    /// Waits for the agent's verdict alone.
    pub async fn accepted(&mut self) -> io::Result<()> {
        unimplemented!()
    }
}

impl AsyncRead for TunnelStream {
    fn poll_read(self: Pin<&mut Self>, _: &mut Context<'_>, _: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        unimplemented!()
    }
}

impl AsyncWrite for TunnelStream {
    fn poll_write(self: Pin<&mut Self>, _: &mut Context<'_>, _: &[u8]) -> Poll<io::Result<usize>> {
        unimplemented!()
    }
    fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        unimplemented!()
    }
    fn poll_shutdown(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        unimplemented!()
    }
}
