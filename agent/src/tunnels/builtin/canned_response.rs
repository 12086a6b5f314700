//! One answer, whatever is asked.

use super::Body;
use crate::config::script::Script;
use http_body_util::{BodyExt, Full};
use hyper::{Request, Response, body::Incoming};

/// Hears everything out, so that all of it can be looked at, and answers.
pub(super) async fn answer(script: &Script, request: Request<Incoming>) -> Response<Body> {
    let mut body = request.into_body();
    while let Some(Ok(_)) = body.frame().await {}
    let mut response = Response::new(Full::from(script.body.clone()).map_err(|never| match never {}).boxed_unsync());
    *response.status_mut() = script.status;
    *response.headers_mut() = script.headers.clone();
    response
}
