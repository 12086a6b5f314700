//! Looking at everything a tunnel needs, for a page: what `postern diagnose --json` prints.

use super::{ApiError, wire};
use crate::agent::Core;
use axum::{body::Body, extract::State, response::Response};
use std::sync::Arc;

pub(super) async fn run(State(core): State<Arc<Core>>, body: Body) -> Result<Response, ApiError> {
    wire::nothing_else(&wire::object(body).await?)?;
    Ok(wire::ok(&serde_json::to_value(core.diagnose().await).expect("plain data is JSON")))
}
