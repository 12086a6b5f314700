//! Interim responses of the local service: 100 lets the visitor's body through, others are passed on.

use crate::{
    frontend::VisitorConnection,
    http::{RequestBody, expectation},
};
use hyper::{Request, StatusCode, Version, ext::on_informational, header};

/// Has the interim responses to a request heeded. `expects` tells whether the visitor waits to be told that it may
/// send the body.
pub(super) fn accept_interim(
    request: &mut Request<RequestBody>,
    connection: &VisitorConnection,
    version: Version,
    expects: bool,
) {
    let forwards_expectation = expects && request.body().is_arriving();
    if forwards_expectation {
        request.headers_mut().insert(header::EXPECT, expectation::CONTINUE);
    }
    // hyper offers no way to send interim responses over HTTP/2; such visitors send their body when they like.
    if version != Version::HTTP_11 {
        return;
    }
    let signal = forwards_expectation.then(|| request.body_mut().hold());
    let visitor = connection.interim.clone();
    on_informational(request, move |response| match response.status() {
        // hyper tells the visitor as soon as the body is read.
        StatusCode::CONTINUE => {
            if let Some(signal) = &signal {
                signal.give();
            }
        }
        StatusCode::SWITCHING_PROTOCOLS => {}
        status => visitor.put(status, response.headers()),
    });
}
