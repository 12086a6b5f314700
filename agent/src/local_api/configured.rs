//! All tunnels, running or not, and the configuration file behind them.

use super::{ApiError, json, no_content};
use crate::{context::AgentContext, tunnels::edge_client::EdgeClient};
use axum::{
    body::Body,
    extract::{Path, State},
    response::Response,
};
use postern_api::{
    Code, Error,
    local::{ConfiguredTunnelList, SampleResponse, TunnelState},
};
use std::sync::Arc;

/// The list of tunnels, which is an event of the live feed too.
pub(super) fn tunnel_list(context: &AgentContext) -> ConfiguredTunnelList {
    ConfiguredTunnelList { tunnels: context.tunnels.configured(), uri: "/api/configured".to_owned() }
}

pub(super) async fn list(State(context): State<Arc<AgentContext>>) -> Response {
    json::ok(&tunnel_list(&context))
}

pub(super) async fn save(
    State(context): State<Arc<AgentContext>>,
    Path(name): Path<String>,
    body: Body,
) -> Result<Response, ApiError> {
    let mut definition = json::object(body).await?;
    // Clients may send what they read; the name in the path is the one that counts.
    definition.shift_remove("name");
    context.save_tunnel(&name, &definition).await?;
    tunnel(&context, &name)
}

pub(super) async fn remove(
    State(context): State<Arc<AgentContext>>,
    Path(name): Path<String>,
) -> Result<Response, ApiError> {
    context.remove_tunnel(&name).await?;
    Ok(no_content())
}

/// Starts without waiting for the server: without a session the tunnel is `starting` and is published with the next one.
pub(super) async fn start(
    State(context): State<Arc<AgentContext>>,
    Path(name): Path<String>,
    body: Body,
) -> Result<Response, ApiError> {
    json::reject_unknown(&json::object(body).await?)?;
    context.tunnels.start_saved(&name).await?;
    tunnel(&context, &name)
}

pub(super) async fn stop(
    State(context): State<Arc<AgentContext>>,
    Path(name): Path<String>,
    body: Body,
) -> Result<Response, ApiError> {
    json::reject_unknown(&json::object(body).await?)?;
    let before = context.tunnels.configured_one(&name).ok_or_else(|| unknown(&name))?;
    context.tunnels.stop(&name);
    match tunnel(&context, &name) {
        Ok(response) => Ok(response),
        // A tunnel that was never saved no longer exists; the response shows its final state.
        Err(_) => {
            let mut stopped = before;
            stopped.state = TunnelState::Stopped;
            stopped.public_url = None;
            stopped.error = None;
            Ok(json::ok(&stopped))
        }
    }
}

/// Sends one request as a visitor, so that a new user sees a first request arrive.
pub(super) async fn sample(
    State(context): State<Arc<AgentContext>>,
    Path(name): Path<String>,
    body: Body,
) -> Result<Response, ApiError> {
    json::reject_unknown(&json::object(body).await?)?;
    let status_code = context.tunnels.sample(&name, &EdgeClient::new(&context.config().settings)).await?;
    Ok(json::ok(&SampleResponse { status_code }))
}

fn tunnel(context: &AgentContext, name: &str) -> Result<Response, ApiError> {
    context.tunnels.configured_one(name).map(|tunnel| json::ok(&tunnel)).ok_or_else(|| unknown(name))
}

fn unknown(name: &str) -> ApiError {
    let shown: String = name.chars().take(80).collect();
    Error::new(Code::TunnelUnknown, format!("There is no tunnel named `{shown}`.")).into()
}
