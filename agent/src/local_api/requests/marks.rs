//! What the owner does to one captured request: pin it, write a note beside it, delete it.

use super::{ApiError, no_content, one, wire};
use crate::context::AgentContext;
use axum::{
    body::Body,
    extract::{Path, State},
    response::Response,
};
use postern_api::{Code, Error};
use serde_json::Value as Json;
use std::sync::Arc;

/// Characters of a note.
const LONGEST_NOTE: usize = 2000;

/// Answers with the line of the list.
pub(crate) async fn mark(
    State(context): State<Arc<AgentContext>>,
    Path(id): Path<String>,
    body: Body,
) -> Result<Response, ApiError> {
    let mut body = wire::object(body).await?;
    let exchange = one(&context, &id)?;
    let pinned = match body.shift_remove("pinned") {
        None => None,
        Some(Json::Bool(pinned)) => Some(pinned),
        Some(_) => return Err(Error::new(Code::FieldInvalid, "`pinned` must be true or false.").into()),
    };
    let named = body.contains_key("note");
    let note = wire::text(&mut body, "note")?.filter(|note| !note.is_empty());
    wire::nothing_else(&body)?;
    if note.as_ref().is_some_and(|note| note.chars().count() > LONGEST_NOTE) {
        let message = format!("`note` can have {LONGEST_NOTE} characters; shorten it.");
        return Err(Error::new(Code::FieldInvalid, message).into());
    }
    context.store.mark(&exchange, pinned, named.then_some(note.as_deref()));
    Ok(wire::ok(&exchange.summary()))
}

pub(crate) async fn delete(
    State(context): State<Arc<AgentContext>>,
    Path(id): Path<String>,
) -> Result<Response, ApiError> {
    one(&context, &id)?;
    context.store.remove(&id);
    Ok(no_content())
}
