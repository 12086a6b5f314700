//! The agent's status.

use super::json;
use crate::{context::AgentContext, session::SessionState};
use axum::{extract::State, response::Response};
use postern_api::local::{AgentStatus, Reason, SessionLeg, SessionView};
use std::sync::Arc;

pub(super) async fn show(State(context): State<Arc<AgentContext>>) -> Response {
    json::ok(&status(&context))
}

/// The status, which is an event of the live feed too.
pub(super) fn status(context: &AgentContext) -> AgentStatus {
    let session = context.session_status.current();
    let latency = context.latency();
    let leg = SessionLeg {
        region: session.region,
        latency: latency.map(|latency| format!("{:.1}ms", latency.as_secs_f64() * 1000.0)).unwrap_or_default(),
        round_trip: latency.map(|latency| u64::try_from(latency.as_nanos()).unwrap_or(u64::MAX)),
    };
    AgentStatus {
        status: session.state.into(),
        agent_version: env!("CARGO_PKG_VERSION").to_owned(),
        session: SessionView {
            state: session.state,
            server_addr: session.server_addr,
            reason: session.reason.map(|error| Reason { code: error.code.to_string(), message: error.message }),
            next_try: session.next_try.map(|time| time.to_string()),
            attempt: session.attempt,
            since: session.since.to_string(),
            server_version: session.server_version,
            root_cas: context.root_cas(),
            legs: Vec::from_iter((session.state == SessionState::Online).then_some(leg)),
        },
        web_addr: context.web_addr().map(|address| address.to_string()),
        config_path: context.config_path(),
        config_error: context.config_problems().map(|problems| problems.to_string()),
        pid: std::process::id(),
        capture: context.store.gauge(),
        uri: "/api/status".to_owned(),
    }
}
