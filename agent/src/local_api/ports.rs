//! What listens on this machine and could be published.

use super::{ApiError, wire};
use crate::context::AgentContext;
use axum::{
    extract::{Path, State},
    response::Response,
};
use postern_api::{Code, Error};
use serde_json::json;
use std::sync::Arc;

pub(super) async fn list(State(context): State<Arc<AgentContext>>) -> Response {
    wire::ok(&json!({"ports": context.ports.look().await, "uri": "/api/ports"}))
}

/// One port, whose service is asked what it speaks.
pub(super) async fn detail(
    State(context): State<Arc<AgentContext>>,
    Path(port): Path<String>,
) -> Result<Response, ApiError> {
    let nobody = || {
        let shown: String = port.chars().take(20).collect();
        Error::new(Code::PortUnknown, format!("Nothing that could be published listens on port `{shown}`."))
    };
    let number = port.parse::<u16>().map_err(|_| nobody())?;
    let found = context.ports.look_at(number).await.ok_or_else(nobody)?;
    Ok(wire::ok(&json!(found)))
}
