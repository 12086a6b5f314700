//! When a visitor's connection ends during a drain, and its last bytes.

use crate::{
    http::{ConnectionActivity, RequestCounter},
    limits::Limits,
    net::DRAIN_GRACE,
};
use std::{future::poll_fn, io, task::Poll, time::Duration};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio_util::sync::CancellationToken;

/// Time limit for the last bytes of a connection that ends.
pub(super) const CLOSE_TIMEOUT: Duration = Duration::from_secs(2);

/// Resolves when a connection takes no further request. One that was accepted before the drain and has had none yet
/// gets a moment for its first: its visitor could not know. Must be polled after each request has started.
pub(super) async fn stopped(stop: &CancellationToken, requests: &RequestCounter) {
    stop.cancelled().await;
    let first_request = poll_fn(|_| if requests.started() > 0 { Poll::Ready(()) } else { Poll::Pending });
    tokio::select! {
        () = first_request => {}
        // Boxed, so that a connection has no room for it before.
        () = Box::pin(tokio::time::sleep(DRAIN_GRACE)) => {}
    }
}

/// Resolves when an HTTP/2 connection that was asked to end has no open stream and nothing moves on it any more. Peers
/// that do not acknowledge the request (RFC 9113, section 6.8) would keep it open otherwise.
pub(super) async fn settled(activity: &ConnectionActivity, requests: &RequestCounter) {
    let mut seen = activity.settled_moves();
    loop {
        tokio::time::sleep(DRAIN_GRACE / 2).await;
        let moves = activity.settled_moves().filter(|_| !requests.is_busy());
        if moves.is_some() && moves == seen {
            return;
        }
        seen = moves;
    }
}

/// Writes the last bytes of a connection and waits a moment for the visitor to read them: closing at once, with bytes of
/// the visitor still unread, would make the kernel take them back.
pub(super) async fn send_last<S: AsyncRead + AsyncWrite + Unpin>(mut stream: S, last: &[u8], limits: &Limits) {
    let closing = async {
        stream.write_all(last).await?;
        stream.shutdown().await?;
        let mut rest = [0; 4096];
        let mut budget = 2 * limits.head_bytes;
        while budget > 0 {
            match stream.read(&mut rest).await? {
                0 => break,
                read => budget = budget.saturating_sub(read),
            }
        }
        io::Result::Ok(())
    };
    let _ = tokio::time::timeout(CLOSE_TIMEOUT, closing).await;
}

#[cfg(test)]
mod tests {
    use super::*;
    use futures::FutureExt;

    #[tokio::test(start_paused = true)]
    async fn a_connection_without_a_request_gets_a_moment_for_it() {
        let (stop, requests) = (CancellationToken::new(), RequestCounter::default());
        let mut end = Box::pin(stopped(&stop, &requests));
        stop.cancel();
        assert!((&mut end).now_or_never().is_none(), "the first request may be on its way");
        let open = requests.start();
        assert!(end.now_or_never().is_some(), "no further one is taken");
        drop(open);
        let fresh = RequestCounter::default();
        stopped(&stop, &fresh).await;
    }

    #[tokio::test(start_paused = true)]
    async fn a_connection_with_an_open_request_is_not_settled() {
        let (activity, requests) = (ConnectionActivity::default(), RequestCounter::default());
        let open = requests.start();
        let wait = tokio::time::timeout(DRAIN_GRACE * 20, settled(&activity, &requests));
        assert!(wait.await.is_err(), "the request is waited for");
        drop(open);
        settled(&activity, &requests).await;
    }
}
