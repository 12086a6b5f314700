//! The report that `postern diagnose --json` prints.

use super::{ApiError, json};
use crate::context::AgentContext;
use axum::{body::Body, extract::State, response::Response};
use std::sync::Arc;

pub(super) async fn run(State(context): State<Arc<AgentContext>>, body: Body) -> Result<Response, ApiError> {
    json::reject_unknown(&json::object(body).await?)?;
    Ok(json::ok(&context.diagnose().await))
}
