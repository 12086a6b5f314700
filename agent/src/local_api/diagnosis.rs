//! Looking at everything a tunnel needs, for a page: what `postern diagnose --json` prints.

use super::{ApiError, wire};
use crate::context::AgentContext;
use axum::{body::Body, extract::State, response::Response};
use std::sync::Arc;

pub(super) async fn run(State(context): State<Arc<AgentContext>>, body: Body) -> Result<Response, ApiError> {
    wire::nothing_else(&wire::object(body).await?)?;
    Ok(wire::ok(&serde_json::to_value(context.diagnose().await).expect("plain data is JSON")))
}
