//! A session that is let go in peace: its open streams continue, and streams that still arrive are served.

use crate::tunnels::{Tunnels, forward};
use postern_api::Code;
use postern_tunnel::{AgentSession, Incoming, IncomingEvent};
use std::time::Duration;
use tokio_util::task::TaskTracker;

/// Quiet time after which no stream is expected any more: one may have been on its way.
const QUIET_TIME: Duration = Duration::from_millis(200);

/// A session that takes no new tunnels.
pub(super) struct RetiredSession {
    pub(super) session: AgentSession,
    incoming: Incoming,
    tunnels: Tunnels,
    generation: u64,
    /// Its open streams.
    pub(super) streams: TaskTracker,
}

impl Drop for RetiredSession {
    fn drop(&mut self) {
        self.tunnels.forget_retired(self.generation);
    }
}

impl RetiredSession {
    pub(super) fn new(
        (session, incoming): (AgentSession, Incoming),
        tunnels: Tunnels,
        generation: u64,
        streams: TaskTracker,
    ) -> Self {
        tunnels.retire(generation);
        RetiredSession { session, incoming, tunnels, generation, streams }
    }

    /// Serves it until the server ends it.
    pub(super) async fn until_ended(mut self) {
        self.serve().await;
        self.session.closed().await;
    }

    /// Leaves it when its last stream has ended, after `timeout` at the latest. Returns whether all streams have ended.
    pub(super) async fn leave(mut self, timeout: Duration) -> bool {
        let (streams, session) = (self.streams.clone(), self.session.clone());
        let quiet = async {
            loop {
                streams.close();
                streams.wait().await;
                tokio::time::sleep(QUIET_TIME).await;
                if streams.is_empty() {
                    return;
                }
            }
        };
        let ended = tokio::select! {
            () = self.serve() => true,
            () = quiet => true,
            () = tokio::time::sleep(timeout) => false,
        };
        session.goodbye().await;
        ended
    }

    /// Serves streams that arrive. Returns when the session has ended.
    async fn serve(&mut self) {
        while let Some(event) = self.incoming.next().await {
            let stream = match event {
                IncomingEvent::Stream(stream) => stream,
                IncomingEvent::Unsent(request) => {
                    if let Some(endpoint) = self.tunnels.published_endpoint(self.generation, request.number) {
                        forward::capture_unsent_at(&self.tunnels, &endpoint, *request);
                    }
                    continue;
                }
                IncomingEvent::TunnelClosed { .. }
                | IncomingEvent::Drain { .. }
                | IncomingEvent::Visitors(_)
                | IncomingEvent::Command(_) => continue,
            };
            let (tunnels, generation) = (self.tunnels.clone(), self.generation);
            match tunnels.published_endpoint(generation, stream.start.tunnel) {
                Some(endpoint) => _ = self.streams.spawn(forward::serve_at(tunnels, generation, endpoint, stream)),
                None if tunnels.awaits_response(generation) => {
                    self.streams.spawn(forward::serve(tunnels, generation, stream));
                }
                None => stream.refuse(Code::ServerDraining.into()).await,
            }
        }
    }
}
