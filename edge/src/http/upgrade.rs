//! After a 101 both sides speak something else: the two connections are joined and nobody looks inside.

use super::{body::Open, pool::Upstream};
use hyper::{Response, body::Incoming, upgrade::OnUpgrade};
use hyper_util::rt::TokioIo;

/// Joins both sides as soon as the visitor has its 101. Runs until both have ended.
pub(super) fn join(
    visitor: OnUpgrade,
    mut response: Response<Incoming>,
    mut upstream: Box<Upstream>,
    open: Open,
) -> Response<()> {
    let service = hyper::upgrade::on(&mut response);
    let (parts, body) = response.into_parts();
    drop(body);
    tokio::spawn(async move {
        let _open = open;
        // Nobody else drives the connection to the local service; it is over once it has changed hands.
        let handed_over = std::future::poll_fn(|cx| {
            upstream.drive(cx);
            if upstream.is_over() { std::task::Poll::Ready(()) } else { std::task::Poll::Pending }
        });
        let (service, visitor, ()) = tokio::join!(service, visitor, handed_over);
        match (visitor, service) {
            (Ok(visitor), Ok(service)) => {
                let end = postern_tunnel::relay(TokioIo::new(visitor), TokioIo::new(service)).await;
                tracing::debug!(up = end.a_to_b, down = end.b_to_a, "upgraded connection ended");
            }
            (Err(error), _) | (_, Err(error)) => tracing::debug!(%error, "an upgrade came to nothing"),
        }
    });
    Response::from_parts(parts, ())
}
