//! Sockets that listen on this machine and could be published.

use super::{ApiError, json};
use crate::context::AgentContext;
use axum::{
    extract::{Path, State},
    response::Response,
};
use postern_api::{Code, Error, local::ListeningPortList};
use std::sync::Arc;

pub(super) async fn list(State(context): State<Arc<AgentContext>>) -> Response {
    json::ok(&ListeningPortList { ports: context.ports.list().await, uri: "/api/ports".to_owned() })
}

/// One port, whose service is probed.
pub(super) async fn detail(
    State(context): State<Arc<AgentContext>>,
    Path(port): Path<String>,
) -> Result<Response, ApiError> {
    let unknown = || {
        let shown: String = port.chars().take(20).collect();
        Error::new(Code::PortUnknown, format!("No service that could be published listens on port `{shown}`."))
    };
    let number = port.parse::<u16>().map_err(|_| unknown())?;
    let found = context.ports.probe(number).await.ok_or_else(unknown)?;
    Ok(json::ok(&found))
}
