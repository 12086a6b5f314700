//! Binding of endpoints in the session, and what the server's responses change.

use super::{EndpointKind, EndpointPhase, TunnelEndpoint, Tunnels};
use crate::config::state_file::PreviousAddress;
use postern_api::{Code, Error};
use postern_tunnel::{AgentSession, message::Bound};
use std::{sync::Arc, time::Duration};

/// Attempts to bind an endpoint in a session beside the leading one.
const MAX_ATTEMPTS: u32 = 6;
/// Delay before the second of these attempts; it doubles.
const RETRY_DELAY: Duration = Duration::from_secs(1);
/// Between two attempts while the server cannot give names away.
const RETRY_INTERVAL: Duration = Duration::from_secs(2);

impl Tunnels {
    /// Binds the endpoints of one tunnel. A second one asks for the name that the first one got.
    pub(super) fn bind(&self, generation: u64, session: AgentSession, endpoints: Vec<Arc<TunnelEndpoint>>) {
        let tunnels = self.clone();
        tokio::spawn(async move {
            let mut granted = None;
            for endpoint in endpoints {
                if !tunnels.lock_table().is_leading(generation) {
                    tunnels.bind_beside(generation, session.clone(), endpoint);
                    continue;
                }
                let mut previous = tunnels.0.state.address(&endpoint.name);
                previous.host = granted.take().or(previous.host);
                let result = loop {
                    tunnels.stopped_are_given_up(generation).await;
                    tunnels.lock_table().binding.push((generation, endpoint.clone()));
                    let result = session.bind(endpoint.bind(previous.clone())).await;
                    if !result.as_ref().is_err_and(is_temporary) || !tunnels.wants(generation, &endpoint) {
                        break result;
                    }
                    tunnels.bound(generation, &session, &endpoint, result);
                    tokio::time::sleep(RETRY_INTERVAL).await;
                };
                granted = result.as_ref().ok().and_then(|bound| bound.host.clone());
                tunnels.bound(generation, &session, &endpoint, result);
            }
        });
    }

    /// Binds an endpoint, which is published in the leading session, in another one too, with the same address.
    fn bind_beside(&self, generation: u64, session: AgentSession, endpoint: Arc<TunnelEndpoint>) {
        let tunnels = self.clone();
        tokio::spawn(async move {
            for attempt in 0..MAX_ATTEMPTS {
                if attempt > 0 {
                    // The other node may hear of the tunnel later than of this request.
                    tokio::time::sleep(RETRY_DELAY * (1 << (attempt - 1))).await;
                }
                if !tunnels.await_number(generation, &endpoint) {
                    return;
                }
                let address = tunnels.0.state.address(&endpoint.name);
                let result = session.bind(endpoint.bind(address.clone())).await;
                let result = match result {
                    Ok(bound) if previous_address(&endpoint, bound.host.clone(), bound.port) != address => {
                        session.unbind(bound.number);
                        Err(Error::new(Code::NameTaken, "The other node gave another address."))
                    }
                    result => result,
                };
                if tunnels.bound_beside(generation, &session, &endpoint, result) {
                    return;
                }
            }
        });
    }

    /// Notes that a bind response is awaited. False if there is nothing to bind any more.
    fn await_number(&self, generation: u64, endpoint: &Arc<TunnelEndpoint>) -> bool {
        let mut table = self.lock_table();
        if table.is_leading(generation) || table.session(generation).is_none() {
            return false;
        }
        let Some(state) = table.endpoints_mut().find(|state| Arc::ptr_eq(&state.endpoint, endpoint)) else {
            return false;
        };
        if state.numbers.iter().any(|(known, _)| *known == generation) {
            return false;
        }
        state.numbers.push((generation, None));
        true
    }

    /// Handles the response to a bind beside the leading session. False if it is to be tried again.
    fn bound_beside(
        &self,
        generation: u64,
        session: &AgentSession,
        endpoint: &Arc<TunnelEndpoint>,
        result: Result<Bound, Error>,
    ) -> bool {
        let mut table = self.lock_table();
        if table.is_leading(generation) {
            // The session has taken over meanwhile.
            drop(table);
            self.bound(generation, session, endpoint, result);
            return true;
        }
        if let Ok(bound) = &result {
            table.numbered(generation, endpoint, bound.number);
        }
        let is_up = table.session(generation).is_some();
        let state = table.endpoints_mut().find(|state| Arc::ptr_eq(&state.endpoint, endpoint)).filter(|_| is_up);
        let Some(state) = state else {
            unbind_stopped(session, endpoint, &result);
            return true;
        };
        state.numbers.retain(|(known, _)| *known != generation);
        match result {
            Ok(bound) => {
                state.numbers.push((generation, Some(bound.number)));
                tracing::debug!(
                    tunnel = endpoint.name,
                    session = session.welcome().session,
                    "tunnel started at another node, too"
                );
                drop(table);
                self.notify_change();
                true
            }
            Err(error) => {
                tracing::debug!(tunnel = endpoint.name, code = %error.code, "the tunnel was not started at another node: {}", error.message);
                false
            }
        }
    }

    /// Waits while endpoints that were stopped are still being bound in a session: the one that takes their place may ask for the
    /// same address.
    async fn stopped_are_given_up(&self, generation: u64) {
        let mut changes = self.0.changes.subscribe();
        while self.lock_table().awaits_stopped(generation) {
            if changes.changed().await.is_err() {
                return;
            }
        }
    }

    /// Whether an endpoint has not been stopped, and the session is the current one.
    fn wants(&self, generation: u64, endpoint: &Arc<TunnelEndpoint>) -> bool {
        let mut table = self.lock_table();
        table.is_leading(generation) && table.endpoints_mut().any(|state| Arc::ptr_eq(&state.endpoint, endpoint))
    }

    fn bound(
        &self,
        generation: u64,
        session: &AgentSession,
        endpoint: &Arc<TunnelEndpoint>,
        result: Result<Bound, Error>,
    ) {
        let mut beside = Vec::new();
        {
            let mut table = self.lock_table();
            table.binding.retain(|(known, other)| *known != generation || !Arc::ptr_eq(other, endpoint));
            let current = table.is_leading(generation);
            if let Ok(bound) = &result {
                table.numbered(generation, endpoint, bound.number);
                if current {
                    beside = table.sessions[1..].to_vec();
                }
            }
            let state = table.endpoints_mut().find(|state| Arc::ptr_eq(&state.endpoint, endpoint)).filter(|_| current);
            match (state, result) {
                (None, result) => unbind_stopped(session, endpoint, &result),
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
        for (generation, session) in beside {
            self.bind_beside(generation, session, endpoint.clone());
        }
        self.notify_change();
    }
}

/// Gives up an endpoint that was stopped while its bind request was in flight.
fn unbind_stopped(session: &AgentSession, endpoint: &TunnelEndpoint, result: &Result<Bound, Error>) {
    if let Ok(bound) = result
        && endpoint.stop.is_cancelled()
    {
        session.unbind(bound.number);
    }
}

/// Whether the server can grant later what it has refused: its store is away.
fn is_temporary(error: &Error) -> bool {
    matches!(error.code, Code::StorageUnreachable | Code::StorageUncertain)
}

/// The part of a public address that the next bind requests again: the name of an HTTP tunnel, the port of a TCP
/// tunnel.
fn previous_address(endpoint: &TunnelEndpoint, host: Option<String>, port: Option<u16>) -> PreviousAddress {
    match endpoint.kind {
        EndpointKind::Tcp => PreviousAddress { host: None, port },
        _ => PreviousAddress { host, port: None },
    }
}
