//! Events and streams that the server sends to the agent.

use super::{CLOSE_TIMEOUT, stream::TunnelStream, stream_metadata::StreamMetadata};
use crate::proto::{
    message::{UnsentRequest, VisitorChanges},
    node_link::LinkCommand,
    stream_start::StreamStart,
};
use postern_api::Error;
use std::{io, ops::ControlFlow, time::Duration};
use tokio::{io::AsyncWriteExt, sync::mpsc, time::timeout};

/// Longest delay of a refusal while the visitor's first bytes are read.
const PEEK_TIMEOUT: Duration = Duration::from_millis(250);
/// Bytes per read of [`IncomingStream::refuse_after_peek`].
const PEEK_BYTES: usize = 4096;

/// Receiver of the server's events.
pub struct Incoming(mpsc::Receiver<IncomingEvent>);

/// Event from the server.
#[expect(clippy::large_enum_variant, reason = "nearly all of them are streams, and a box each would cost more")]
pub enum IncomingEvent {
    /// A visitor's stream.
    Stream(IncomingStream),
    /// The server has closed a tunnel.
    TunnelClosed {
        /// Tunnel number.
        number: u32,
        /// Reason.
        error: Error,
    },
    /// The session ends soon.
    Drain {
        /// Reason; `None` if the server shuts down.
        error: Option<Error>,
    },
    /// Connections of visitors to HTTP tunnels were opened or ended.
    Visitors(Vec<VisitorChanges>),
    /// A request could not be sent to a local service.
    Unsent(Box<UnsentRequest>),
    /// From the node at the other end of a link.
    Command(LinkCommand),
}

/// A stream that waits to be served or refused. Dropping it breaks it off.
pub struct IncomingStream {
    /// Tunnel, visitor and kind of traffic.
    pub start: StreamStart,
    stream: TunnelStream,
}

impl Incoming {
    pub(crate) fn new(events: mpsc::Receiver<IncomingEvent>) -> Self {
        Incoming(events)
    }

    /// The next event; `None` once the session has ended.
    pub async fn next(&mut self) -> Option<IncomingEvent> {
        self.0.recv().await
    }
}

impl IncomingStream {
    pub(crate) fn new(start: StreamStart, stream: TunnelStream) -> Self {
        IncomingStream { start, stream }
    }

    /// The stream, without a reply so far.
    pub(crate) fn into_stream(self) -> TunnelStream {
        self.stream
    }

    /// Metadata that the server sends about the stream.
    pub fn metadata(&mut self) -> StreamMetadata {
        self.stream.metadata()
    }

    /// Serves the stream and notifies the server at once.
    ///
    /// # Errors
    /// [`io::Error`] if the stream broke.
    pub async fn accept(mut self) -> io::Result<TunnelStream> {
        self.stream.flush().await?;
        Ok(self.stream)
    }

    /// Serves the stream. The server is notified with the first write, flush or read, which saves a packet.
    pub fn accept_lazily(self) -> TunnelStream {
        self.stream
    }

    /// Refuses the stream and sends the reason, within two seconds.
    pub async fn refuse(self, error: Error) {
        // A server that does not read the refusal has given up the stream.
        let _ = timeout(CLOSE_TIMEOUT, self.stream.refuse(&error)).await;
    }

    /// Refuses the stream after reading what the visitor has sent so far, for 250 ms at most. `inspect` gets the bytes
    /// and returns [`ControlFlow::Break`] once it needs no more.
    pub async fn refuse_after_peek(mut self, error: Error, mut inspect: impl FnMut(&[u8]) -> ControlFlow<()>) {
        let peek = async {
            let mut bytes = [0; PEEK_BYTES];
            while let Ok(count @ 1..) = self.stream.read_before_reply(&mut bytes).await {
                if inspect(&bytes[..count]).is_break() {
                    break;
                }
            }
        };
        let _ = timeout(PEEK_TIMEOUT, peek).await;
        self.refuse(error).await;
    }
}
