//! JSON bodies of requests and responses.

use super::ApiError;
use axum::{
    body::{Body, to_bytes},
    http::{StatusCode, header},
    response::{IntoResponse, Response},
};
use postern_api::{Code, Error};
use serde::Serialize;
use serde_json::{Map, Value as Json};

/// The most bytes of an ordinary request body.
const MAX_BODY_BYTES: usize = 256 * 1024;

/// 200 with a body.
pub(super) fn ok(value: &impl Serialize) -> Response {
    response(StatusCode::OK, value)
}

/// A status with a body.
pub(super) fn response(status: StatusCode, value: &impl Serialize) -> Response {
    let body = serde_json::to_vec(value).expect("plain data is JSON");
    (status, [(header::CONTENT_TYPE, "application/json")], body).into_response()
}

/// The body of a request, which must be an object.
pub(super) async fn object(body: Body) -> Result<Map<String, Json>, ApiError> {
    object_within(body, MAX_BODY_BYTES).await
}

/// Like [`object`], with another limit in bytes.
pub(super) async fn object_within(body: Body, limit: usize) -> Result<Map<String, Json>, ApiError> {
    let bytes = to_bytes(body, limit).await.map_err(|_| {
        Error::new(Code::BodyTooLarge, format!("The body could not be read, or it is larger than {limit} bytes."))
    })?;
    match serde_json::from_slice(&bytes) {
        Ok(Json::Object(members)) => Ok(members),
        Ok(_) => Err(Error::new(Code::BodyMalformed, "The body must be a JSON object.").into()),
        Err(error) => Err(Error::new(Code::BodyMalformed, format!("The body is not valid JSON: {error}.")).into()),
    }
}

/// Removes a member that must be text.
pub(super) fn take_text(members: &mut Map<String, Json>, name: &str) -> Result<Option<String>, ApiError> {
    match members.shift_remove(name) {
        None | Some(Json::Null) => Ok(None),
        Some(Json::String(text)) => Ok(Some(text)),
        Some(_) => Err(Error::new(Code::FieldInvalid, format!("`{name}` must be text.")).into()),
    }
}

/// Rejects members that were not removed before.
pub(super) fn reject_unknown(members: &Map<String, Json>) -> Result<(), ApiError> {
    match members.keys().next() {
        None => Ok(()),
        Some(name) => {
            let shown: String = name.chars().take(60).collect();
            Err(Error::new(Code::FieldUnknown, format!("There is no field `{shown}` here.")).into())
        }
    }
}
