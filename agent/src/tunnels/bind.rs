//! Binding of endpoints in the session, and what the server's responses change.

use super::{EndpointKind, EndpointPhase, TunnelEndpoint, Tunnels};
use crate::config::state_file::PreviousAddress;
use postern_api::{Code, Error};
use postern_tunnel::{AgentSession, message::Bound};
use std::sync::Arc;

impl Tunnels {
    /// Binds the endpoints of one tunnel. A second one asks for the name that the first one got.
    pub(super) fn bind(&self, generation: u64, session: AgentSession, endpoints: Vec<Arc<TunnelEndpoint>>) {
        let tunnels = self.clone();
        tokio::spawn(async move {
            let mut granted = None;
            for endpoint in endpoints {
                let mut previous = tunnels.0.state.address(&endpoint.name);
                previous.host = granted.take().or(previous.host);
                let result = session.bind(endpoint.bind(previous)).await;
                granted = result.as_ref().ok().and_then(|bound| bound.host.clone());
                tunnels.bound(generation, &session, &endpoint, result);
            }
        });
    }

    fn bound(
        &self,
        generation: u64,
        session: &AgentSession,
        endpoint: &Arc<TunnelEndpoint>,
        result: Result<Bound, Error>,
    ) {
        {
            let mut table = self.lock_table();
            let current = table.session.as_ref().is_some_and(|(current, _)| *current == generation);
            if let Ok(bound) = result.as_ref()
                && current
            {
                let early = table.early_visitors.take(bound.number);
                early.iter().for_each(|changes| endpoint.connections.apply(changes));
            }
            let state = table.endpoints_mut().find(|state| Arc::ptr_eq(&state.endpoint, endpoint)).filter(|_| current);
            match (state, result) {
                // Stopped while the request was in flight.
                (None, Ok(bound)) => session.unbind(bound.number),
                (None, Err(_)) => {}
                (Some(state), Ok(bound)) => {
                    let url = bound.url.clone().unwrap_or_default();
                    tracing::info!(
                        tunnel = endpoint.name,
                        url,
                        forwards_to = endpoint.displayed_address(),
                        "tunnel started"
                    );
                    state.phase = EndpointPhase::Running(bound.number);
                    state.url = bound.url;
                    if bound.host.is_some() || bound.port.is_some() {
                        self.0.state.remember(&endpoint.name, previous_address(endpoint, bound.host, bound.port));
                    }
                }
                // The session ended before the response: the next session binds again.
                (Some(_), Err(error)) if error.code == Code::SessionNotReady => {}
                (Some(state), Err(error)) => {
                    tracing::error!(tunnel = endpoint.name, code = %error.code, "the tunnel was not started: {}", error.message);
                    state.phase = EndpointPhase::Failed(error);
                }
            }
        }
        self.notify_change();
    }
}

/// The part of a public address that the next bind requests again: the name of an HTTP tunnel, the port of a TCP
/// tunnel.
fn previous_address(endpoint: &TunnelEndpoint, host: Option<String>, port: Option<u16>) -> PreviousAddress {
    match endpoint.kind {
        EndpointKind::Tcp => PreviousAddress { host: None, port },
        _ => PreviousAddress { host, port: None },
    }
}
