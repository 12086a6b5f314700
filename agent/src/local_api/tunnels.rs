//! Running tunnels.

use super::{ApiError, json, no_content};
use crate::{config::Definition, context::AgentContext, tunnels::StartOutcome};
use axum::{
    body::Body,
    extract::{Path, State},
    http::StatusCode,
    response::Response,
};
use postern_api::{Code, Error, local::RunningTunnelList};
use std::{sync::Arc, time::Duration};

/// Time for the server's response to a start.
const START_TIMEOUT: Duration = Duration::from_secs(15);

pub(super) async fn list(State(context): State<Arc<AgentContext>>) -> Response {
    json::ok(&RunningTunnelList { tunnels: context.tunnels.list(), uri: "/api/tunnels".to_owned() })
}

pub(super) async fn detail(
    State(context): State<Arc<AgentContext>>,
    Path(name): Path<String>,
) -> Result<Response, ApiError> {
    context.tunnels.detail(&name).map(|tunnel| json::ok(&tunnel)).ok_or_else(|| unknown(&name))
}

/// Starts a tunnel and waits for the server's response. A failed start leaves nothing behind.
pub(super) async fn start(State(context): State<Arc<AgentContext>>, body: Body) -> Result<Response, ApiError> {
    let mut body = json::object(body).await?;
    let Some(name) = json::take_text(&mut body, "name")? else {
        return Err(Error::new(Code::ConfigInvalid, "name: Is missing: every tunnel needs a name.")
            .with("key", "name")
            .into());
    };
    let definition = Definition::from_json(&name, &body).map_err(|problems| problems.to_error())?;
    publish(&context, Arc::new(definition)).await?;
    context
        .tunnels
        .detail(&name)
        .map(|tunnel| json::response(StatusCode::CREATED, &tunnel))
        .ok_or_else(|| unknown(&name))
}

/// Starts a tunnel and returns once it runs; after an error there is none.
pub(super) async fn publish(context: &AgentContext, definition: Arc<Definition>) -> Result<(), ApiError> {
    if !context.is_online() {
        return Err(not_ready(context).into());
    }
    let name = definition.name.clone();
    context.tunnels.start(definition).await?;
    let error = match tokio::time::timeout(START_TIMEOUT, context.tunnels.start_outcome(&name)).await {
        Ok(StartOutcome::Running) => return Ok(()),
        Ok(StartOutcome::Refused(error)) => ApiError::from_server(error),
        Ok(StartOutcome::Stopped) => unknown(&name),
        Ok(StartOutcome::Waiting) | Err(_) => not_ready(context).into(),
    };
    context.tunnels.stop(&name);
    Err(error)
}

pub(super) async fn stop(
    State(context): State<Arc<AgentContext>>,
    Path(name): Path<String>,
) -> Result<Response, ApiError> {
    if context.tunnels.stop_endpoint(&name) { Ok(no_content()) } else { Err(unknown(&name)) }
}

pub(super) fn unknown(name: &str) -> ApiError {
    let shown: String = name.chars().take(80).collect();
    Error::new(Code::TunnelUnknown, format!("There is no tunnel named `{shown}`.")).into()
}

/// Client libraries look for this wording and retry.
fn not_ready(context: &AgentContext) -> Error {
    let why = context.session_status.current().reason.map(|reason| format!(": {reason}")).unwrap_or_default();
    Error::new(Code::SessionNotReady, format!("a successful tunnel session has not yet been established{why}"))
}
