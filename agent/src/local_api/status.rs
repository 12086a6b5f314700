//! How the agent is doing.

use super::wire;
use crate::{context::AgentContext, session::SessionState};
use axum::{extract::State, response::Response};
use serde_json::{Value as Json, json};
use std::sync::Arc;

pub(super) async fn show(State(context): State<Arc<AgentContext>>) -> Response {
    wire::ok(&body(&context))
}

/// The body, also sent on the live feed.
pub(super) fn body(context: &AgentContext) -> Json {
    let status = context.session_status.current();
    let online = status.state == SessionState::Online;
    let latency = context.latency().map(|latency| format!("{:.1}ms", latency.as_secs_f64() * 1000.0));
    let legs = if online {
        vec![json!({"region": status.region, "latency": latency.unwrap_or_default()})]
    } else {
        Vec::new()
    };
    json!({
        "status": status.state.overall(),
        "agent_version": env!("CARGO_PKG_VERSION"),
        "session": {
            "state": status.state.word(),
            "server_addr": status.server_addr,
            "reason": status.reason.map(|reason| json!({"code": reason.code, "message": reason.message})),
            "next_try": status.next_try.map(|moment| moment.to_string()),
            "attempt": status.attempt,
            "since": status.since.to_string(),
            "server_version": status.server_version,
            "legs": legs,
        },
        "web_addr": context.web_addr().map(|address| address.to_string()),
        "config_path": context.config_path(),
        "config_error": context.config_problems().map(|problems| problems.to_string()),
        "pid": std::process::id(),
        "capture": context.store.gauge(),
        "uri": "/api/status",
    })
}
