//! A session that is let go in peace: its open streams continue, and streams that still arrive are served.

use crate::tunnels::{TunnelEndpoint, Tunnels, forward};
use postern_api::Code;
use postern_tunnel::{AgentSession, Incoming, IncomingEvent};
use std::{collections::HashMap, sync::Arc, time::Duration};
use tokio_util::task::TaskTracker;

/// Quiet time after which no stream is expected any more: one may have been on its way.
const QUIET_TIME: Duration = Duration::from_millis(200);

/// A session that takes no new tunnels.
pub(super) struct RetiredSession {
    pub(super) session: AgentSession,
    pub(super) incoming: Incoming,
    pub(super) tunnels: Tunnels,
    pub(super) generation: u64,
    /// Its endpoints by number.
    pub(super) endpoints: HashMap<u32, Arc<TunnelEndpoint>>,
    /// Its open streams.
    pub(super) streams: TaskTracker,
}

impl RetiredSession {
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
                    if let Some(endpoint) = self.endpoints.get(&request.number) {
                        forward::capture_unsent_at(&self.tunnels, endpoint, *request);
                    }
                    continue;
                }
                IncomingEvent::TunnelClosed { .. }
                | IncomingEvent::Drain { .. }
                | IncomingEvent::Visitors(_)
                | IncomingEvent::Command(_) => continue,
            };
            match self.endpoints.get(&stream.start.tunnel) {
                Some(endpoint) => {
                    let (tunnels, endpoint) = (self.tunnels.clone(), endpoint.clone());
                    self.streams.spawn(forward::serve_at(tunnels, self.generation, endpoint, stream));
                }
                None => stream.refuse(Code::ServerDraining.into()).await,
            }
        }
    }
}
