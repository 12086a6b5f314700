//! A stream on a link between nodes: taken by the agent's node first, and replied to by the agent.

use super::{ReceiveState, TunnelStream, refused};
use crate::proto::stream_reply::{ACCEPTED, RECEIVED};
use std::{
    io,
    task::{Context, Poll, ready},
};

impl TunnelStream {
    /// Waits until the peer has taken the stream: it has told so, or has replied already. On a link between nodes this
    /// tells that the other node has a connection to the agent.
    ///
    /// # Errors
    /// As [`accepted`](Self::accepted).
    pub async fn taken(&mut self) -> io::Result<()> {
        std::future::poll_fn(|cx| self.poll_taken(cx)).await
    }

    /// Tells the opener that the stream is taken; the reply follows.
    pub(crate) fn postpone_reply(&mut self) {
        self.prefix = if self.is_arrival_told { Vec::new() } else { vec![RECEIVED] };
        self.is_arrival_told = true;
    }

    /// Sends the acceptance that was postponed, with the next write, flush or read.
    pub(crate) fn accept_now(&mut self) {
        self.prefix.push(ACCEPTED);
    }

    /// Whether the reply waits to be sent.
    pub(crate) fn has_unsent_reply(&self) -> bool {
        !self.prefix.is_empty()
    }

    /// Sends on this stream the metadata that another one receives, in front of the bytes that follow it there.
    pub(crate) fn pass_metadata_of(&mut self, other: &mut TunnelStream) {
        self.metadata = Some(other.metadata());
    }

    fn poll_taken(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        loop {
            match &self.receiving {
                ReceiveState::StreamReply(reader) if !reader.is_received() => ready!(self.poll_reply_piece(cx))?,
                ReceiveState::StreamReply(_) | ReceiveState::Frames(_) => return Poll::Ready(Ok(())),
                ReceiveState::Refusal(error) => return Poll::Ready(Err(refused(error))),
            }
        }
    }
}
