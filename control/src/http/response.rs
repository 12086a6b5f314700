//! Responses: JSON, errors included.

use axum::{
    body::Body,
    response::{IntoResponse, Response},
};
use bytes::Bytes;
use http::{HeaderValue, Method, StatusCode, Uri, header};
use postern_api::{Code, Error};
use serde::Serialize;

/// Most records are shorter.
const USUAL_BYTES: usize = 1024;

/// An error on its way to [`error_response`], which writes its body.
#[derive(Clone, Debug)]
pub(super) struct ErrorResponse(pub(super) Error);

impl<E: Into<Error>> From<E> for ErrorResponse {
    fn from(error: E) -> Self {
        ErrorResponse(error.into())
    }
}

impl IntoResponse for ErrorResponse {
    fn into_response(self) -> Response {
        let mut response =
            StatusCode::from_u16(self.0.status()).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR).into_response();
        response.extensions_mut().insert(self);
        response
    }
}

/// A response with a JSON body.
pub(super) fn json(status: StatusCode, body: &impl Serialize) -> Result<Response, ErrorResponse> {
    let mut text = Vec::with_capacity(USUAL_BYTES);
    serde_json::to_writer(&mut text, body)
        .map_err(|error| Error::new(Code::Internal, format!("The response could not be written: {error}.")))?;
    Ok(json_bytes(status, text.into()))
}

/// A response whose body is JSON already.
pub(super) fn json_bytes(status: StatusCode, text: Bytes) -> Response {
    let mut response = Response::new(Body::from(text));
    *response.status_mut() = status;
    response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
    response
}

pub(super) async fn no_such_path(uri: Uri) -> ErrorResponse {
    let path: String = uri.path().chars().take(200).collect();
    ErrorResponse(Error::new(Code::NotFound, format!("There is nothing at `{path}`.")))
}

/// Takes the error out of a response. Refusals of the router are errors too.
pub(super) fn error_of(response: &mut Response, method: &Method, path: &str) -> Option<Error> {
    if let Some(ErrorResponse(error)) = response.extensions_mut().remove() {
        return Some(error);
    }
    let shown: String = path.chars().take(200).collect();
    match response.status() {
        StatusCode::METHOD_NOT_ALLOWED => {
            let allowed =
                response.headers().get(header::ALLOW).and_then(|allow| allow.to_str().ok()).unwrap_or_default();
            let sentence = format!("`{method}` is not allowed at `{shown}`; allowed methods: {allowed}.");
            Some(Error::new(Code::MethodNotAllowed, sentence))
        }
        status if status.is_client_error() => {
            Some(Error::new(Code::HeaderInvalid, format!("The request to `{shown}` could not be read ({status}).")))
        }
        status if status.is_server_error() => Some(Code::Internal.into()),
        _ => None,
    }
}

/// Response with the body of an error. The `Allow` header of the former response is kept.
pub(super) fn error_response(former: Response, error: Error) -> Response {
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
    response
}
