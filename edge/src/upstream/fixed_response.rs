//! HTTP response backends: one fixed response, built once.

use crate::upstream::ResponseBody;
use bytes::Bytes;
use hyper::{
    HeaderMap, Response, StatusCode,
    header::{HeaderName, HeaderValue},
};
use postern_api::resource::HttpResponseBackend;

/// A response that is built already.
#[derive(Debug)]
pub(crate) struct FixedResponse {
    status: StatusCode,
    headers: HeaderMap,
    body: Bytes,
}

impl FixedResponse {
    pub(crate) fn of(backend: &HttpResponseBackend) -> Self {
        let header = |(name, value): (&String, &String)| {
            Some((HeaderName::try_from(name.as_str()).ok()?, HeaderValue::try_from(value.as_str()).ok()?))
        };
        FixedResponse {
            status: u16::try_from(backend.status_code)
                .ok()
                .and_then(|status| StatusCode::from_u16(status).ok())
                .unwrap_or(StatusCode::INTERNAL_SERVER_ERROR),
            headers: backend.headers.iter().filter_map(header).collect(),
            body: Bytes::copy_from_slice(backend.body.as_bytes()),
        }
    }

    /// The bytes of the body, for connections that are not HTTP.
    pub(crate) fn body(&self) -> &Bytes {
        &self.body
    }

    /// The response to one request.
    pub(crate) fn response(&self) -> Response<ResponseBody> {
        let mut response = Response::new(ResponseBody::full(self.body.clone()));
        *response.status_mut() = self.status;
        response.headers_mut().clone_from(&self.headers);
        response
    }
}
