//! Forwards a stream of one session to a stream of another: a visitor's stream that arrived over a link from another
//! node, to the agent that is connected here. Reply, metadata, bytes and ends pass as they are.

use super::{
    CLOSE_TIMEOUT,
    incoming::IncomingStream,
    relay::RelayDirection,
    stream::{StreamRefused, TunnelStream},
};
use postern_api::Error;
use std::{
    future::poll_fn,
    io,
    pin::Pin,
    task::{Context, Poll, ready},
};
use tokio::{
    io::{AsyncWrite, AsyncWriteExt},
    time::timeout,
};

/// Forwards `incoming` to `opened`, a stream to the same tunnel, until both directions have ended or one breaks. The
/// opener is told at once that the stream is taken, and gets the reply of `opened` as its own.
///
/// # Errors
/// [`io::Error`] if a stream broke; its source is [`StreamRefused`] if the agent refused the stream.
pub async fn forward(incoming: IncomingStream, mut opened: TunnelStream) -> io::Result<()> {
    let mut incoming = incoming.into_stream();
    incoming.postpone_reply();
    incoming.flush().await?;
    opened.pass_metadata_of(&mut incoming);
    let mut forwarding =
        Forwarding { is_accepted: false, to_agent: RelayDirection::new(()), to_opener: RelayDirection::new(()) };
    let outcome = poll_fn(|cx| forwarding.poll(cx, &mut incoming, &mut opened)).await;
    if let Err(error) = &outcome
        && !forwarding.is_accepted
        && let Some(refusal) = refusal_in(error)
    {
        // An opener that does not read the refusal has given up the stream.
        let _ = timeout(CLOSE_TIMEOUT, incoming.refuse(refusal)).await;
    }
    outcome
}

/// Both directions, and how far the reply has come.
struct Forwarding {
    /// Whether the agent has accepted the stream. Before that nothing is sent to the opener.
    is_accepted: bool,
    to_agent: RelayDirection<()>,
    to_opener: RelayDirection<()>,
}

impl Forwarding {
    fn poll(
        &mut self,
        cx: &mut Context<'_>,
        incoming: &mut TunnelStream,
        opened: &mut TunnelStream,
    ) -> Poll<io::Result<()>> {
        // First, so that the start goes with the opener's first bytes.
        let sent = self.to_agent.poll(cx, Pin::new(&mut *incoming), Pin::new(&mut *opened))?;
        if !self.is_accepted {
            ready!(opened.poll_reply(cx))?;
            self.is_accepted = true;
            incoming.accept_now();
        }
        let received = self.to_opener.poll(cx, Pin::new(&mut *opened), Pin::new(&mut *incoming))?;
        if incoming.has_unsent_reply() && received.is_pending() {
            // An error is left for the next write or read.
            let _ = Pin::new(incoming).poll_flush(cx);
        }
        if sent.is_ready() && received.is_ready() { Poll::Ready(Ok(())) } else { Poll::Pending }
    }
}

fn refusal_in(error: &io::Error) -> Option<&Error> {
    error.get_ref().and_then(|inner| inner.downcast_ref::<StreamRefused>()).map(|refused| &refused.0)
}
