//! Answers: JSON for everything, errors included, and an operation id with each.

use axum::{
    extract::Request,
    middleware::Next,
    response::{IntoResponse, Response},
};
use futures::FutureExt;
use http::{HeaderName, HeaderValue, Method, StatusCode, Uri, header};
use postern_api::{AnyId, Code, Error, id::ksuid};
use serde::Serialize;
use std::{panic::AssertUnwindSafe, time::Instant};

static OPERATION_ID: HeaderName = HeaderName::from_static("postern-operation-id");

/// An error on its way out. [`finish`] gives it its body.
#[derive(Clone, Debug)]
pub(super) struct Refusal(pub(super) Error);

/// Who called, for the log.
#[derive(Clone, Debug)]
pub(super) struct By(pub(super) AnyId);

impl<E: Into<Error>> From<E> for Refusal {
    fn from(error: E) -> Self {
        Refusal(error.into())
    }
}

impl IntoResponse for Refusal {
    fn into_response(self) -> Response {
        let mut response =
            StatusCode::from_u16(self.0.status()).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR).into_response();
        response.extensions_mut().insert(self);
        response
    }
}

/// An answer with a JSON body.
pub(super) fn json(status: StatusCode, body: &impl Serialize) -> Result<Response, Refusal> {
    let text = serde_json::to_vec(body)
        .map_err(|error| Error::new(Code::Internal, format!("The answer could not be written: {error}.")))?;
    let content_type = (header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
    Ok((status, [content_type], text).into_response())
}

pub(super) async fn no_such_path(uri: Uri) -> Refusal {
    let path: String = uri.path().chars().take(200).collect();
    Refusal(Error::new(Code::NotFound, format!("There is nothing at `{path}`.")))
}

/// The outermost step: gives the call an id, catches panics, writes the bodies of errors, notes down what happened.
pub(super) async fn finish(request: Request, next: Next) -> Response {
    let started = Instant::now();
    let operation = format!("op_{}", ksuid(jiff::Timestamp::now().as_second(), rand::random()));
    let (method, path) = (request.method().clone(), request.uri().path().to_owned());
    let mut response = match AssertUnwindSafe(next.run(request)).catch_unwind().await {
        Ok(response) => response,
        Err(_) => {
            tracing::error!(%operation, %method, %path, "a handler panicked");
            Refusal(Error::new(
                Code::Internal,
                "Something went wrong inside the server. Its log knows more under the operation id.",
            ))
            .into_response()
        }
    };
    if let Some(error) = error_of(&mut response, &method, &path) {
        response = written(response, error.with("operation_id", &operation));
    }
    let headers = response.headers_mut();
    if let Ok(value) = HeaderValue::from_str(&operation) {
        headers.insert(OPERATION_ID.clone(), value);
    }
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    let by = response.extensions().get::<By>().map(|by| by.0.to_string());
    let (status, took) = (response.status().as_u16(), started.elapsed());
    let code = response.extensions().get::<Code>().map(ToString::to_string);
    if status >= 500 {
        tracing::warn!(%operation, %method, %path, status, code, by, ?took, "management call failed");
    } else {
        tracing::debug!(%operation, %method, %path, status, code, by, ?took, "management call");
    }
    response
}

/// The error of an answer; what the router refused by itself is one too.
fn error_of(response: &mut Response, method: &Method, path: &str) -> Option<Error> {
    if let Some(Refusal(error)) = response.extensions_mut().remove() {
        return Some(error);
    }
    let shown: String = path.chars().take(200).collect();
    match response.status() {
        StatusCode::METHOD_NOT_ALLOWED => {
            let allowed =
                response.headers().get(header::ALLOW).and_then(|allow| allow.to_str().ok()).unwrap_or_default();
            let sentence = format!("`{method}` is not offered at `{shown}`; these are: {allowed}.");
            Some(Error::new(Code::MethodNotAllowed, sentence))
        }
        status if status.is_client_error() => {
            Some(Error::new(Code::HeaderInvalid, format!("The request to `{shown}` could not be read ({status}).")))
        }
        status if status.is_server_error() => Some(Code::Internal.into()),
        _ => None,
    }
}

/// The answer that says an error. Headers that were set before, such as `Allow`, stay.
fn written(former: Response, error: Error) -> Response {
    let (former, _) = former.into_parts();
    let status = StatusCode::from_u16(error.status()).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    let mut response = (status, error.body().to_string()).into_response();
    response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
    if let Some(allow) = former.headers.get(header::ALLOW) {
        response.headers_mut().insert(header::ALLOW, allow.clone());
    }
    if status == StatusCode::UNAUTHORIZED {
        response.headers_mut().insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
    }
    if let Some(by) = former.extensions.get::<By>() {
        response.extensions_mut().insert(by.clone());
    }
    response.extensions_mut().insert(error.code);
    response
}
