//! Frames of a captured exchange: messages of WebSockets and server-sent events, in pages.

use super::{ApiError, captured, json};
use crate::{capture::view, context::AgentContext};
use axum::{
    extract::{Path, RawQuery, State},
    response::Response,
};
use postern_api::{Code, Error};
use std::sync::Arc;

const DEFAULT_LIMIT: usize = 100;
const MAX_LIMIT: usize = 1000;

pub(crate) async fn list(
    State(context): State<Arc<AgentContext>>,
    Path(id): Path<String>,
    RawQuery(query): RawQuery,
) -> Result<Response, ApiError> {
    let exchange = captured(&context, &id)?;
    let (mut after, mut limit) = (0, DEFAULT_LIMIT);
    for (name, value) in url::form_urlencoded::parse(query.as_deref().unwrap_or_default().as_bytes()) {
        let number = || {
            let message = format!("`{name}` must be a whole number.");
            value.parse::<u64>().map_err(|_| ApiError::from(Error::new(Code::QueryInvalid, message)))
        };
        match name.as_ref() {
            "after" => after = number()?,
            "limit" => limit = usize::try_from(number()?).unwrap_or(usize::MAX).min(MAX_LIMIT),
            _ => {
                let shown: String = name.chars().take(40).collect();
                return Err(Error::new(Code::QueryUnknown, format!("There is no parameter `{shown}` here.")).into());
            }
        }
    }
    Ok(json::ok(&view::frames(&exchange, after, limit)))
}
