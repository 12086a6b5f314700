//! The same configured response to every request.

use super::BuiltinBody;
use crate::config::canned_response::CannedResponse;
use http_body_util::{BodyExt, Full};
use hyper::{Request, Response, body::Incoming};

/// Reads the whole request, so that it can be captured, and responds.
pub(super) async fn respond(script: &CannedResponse, request: Request<Incoming>) -> Response<BuiltinBody> {
    let mut body = request.into_body();
    while let Some(Ok(_)) = body.frame().await {}
    let mut response = Response::new(Full::from(script.body.clone()).map_err(|never| match never {}).boxed_unsync());
    *response.status_mut() = script.status;
    *response.headers_mut() = script.headers.clone();
    response
}
