//! Annotations of captured requests: pin and note. Also their deletion.

use super::{ApiError, captured, json, no_content};
use crate::context::AgentContext;
use axum::{
    body::Body,
    extract::{Path, State},
    response::Response,
};
use postern_api::{Code, Error};
use serde_json::Value as Json;
use std::sync::Arc;

/// The most characters of a note.
const MAX_NOTE_CHARS: usize = 2000;

/// Responds with the short form.
pub(crate) async fn annotate(
    State(context): State<Arc<AgentContext>>,
    Path(id): Path<String>,
    body: Body,
) -> Result<Response, ApiError> {
    let mut body = json::object(body).await?;
    let exchange = captured(&context, &id)?;
    let pinned = match body.shift_remove("pinned") {
        None => None,
        Some(Json::Bool(pinned)) => Some(pinned),
        Some(_) => return Err(Error::new(Code::FieldInvalid, "`pinned` must be true or false.").into()),
    };
    let has_note = body.contains_key("note");
    let note = json::take_text(&mut body, "note")?.filter(|note| !note.is_empty());
    json::reject_unknown(&body)?;
    if note.as_ref().is_some_and(|note| note.chars().count() > MAX_NOTE_CHARS) {
        let message = format!("`note` can have {MAX_NOTE_CHARS} characters; shorten it.");
        return Err(Error::new(Code::FieldInvalid, message).into());
    }
    context.store.annotate(&exchange, pinned, has_note.then_some(note.as_deref()));
    Ok(json::ok(&exchange.summary()))
}

pub(crate) async fn delete(
    State(context): State<Arc<AgentContext>>,
    Path(id): Path<String>,
) -> Result<Response, ApiError> {
    captured(&context, &id)?;
    context.store.remove(&id);
    Ok(no_content())
}
