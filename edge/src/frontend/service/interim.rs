//! Interim responses of the local service: 100 lets the visitor's body through, others are passed on.

use crate::{
    frontend::VisitorConnection,
    http::{InterimReceiver, RequestBody, expectation},
};
use hyper::{Request, Version, header};

/// Where the interim responses to a request go; `None` if they are dropped. `expects` tells whether the visitor waits to
/// be told that it may send the body.
pub(super) fn accept_interim(
    request: &mut Request<RequestBody>,
    connection: &VisitorConnection,
    version: Version,
    expects: bool,
) -> Option<InterimReceiver> {
    let forwards_expectation = expects && request.body().is_arriving();
    if forwards_expectation {
        request.headers_mut().insert(header::EXPECT, expectation::CONTINUE);
    }
    // hyper offers no way to send interim responses over HTTP/2; such visitors send their body when they like.
    if version != Version::HTTP_11 {
        return None;
    }
    let signal = forwards_expectation.then(|| request.body_mut().hold());
    Some(InterimReceiver::new(connection.interim.clone(), signal))
}
