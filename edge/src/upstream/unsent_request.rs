//! Requests that could not be sent to a local service over HTTP/2, for the agent that captures its requests. Over
//! HTTP/1.1 the agent reads them from the stream that it refuses; a shared connection carries none before it is accepted.

use crate::{
    http::RequestBody,
    refusal::{Fault, Refusal},
    telemetry::Trace,
    upstream::{OriginServer, StreamSpec},
};
use http_body::Body as _;
use hyper::{Request, header};

/// Longer heads are not reported.
const MAX_HEAD_BYTES: usize = 16 * 1024;

/// Reports a request whose connection was refused by the local service, if its agent captures requests.
pub(crate) fn report(
    origin: &OriginServer,
    spec: StreamSpec,
    request: &Request<RequestBody>,
    refusal: &Refusal,
    trace: &mut Trace,
) {
    let OriginServer::Tunnel(tunnel) = origin else { return };
    if refusal.fault != Fault::Service || !tunnel.accepts_notes() {
        return;
    }
    if let Some(head) = head_text(request) {
        tunnel.report_unsent(spec, head, trace, &refusal.error);
    }
}

/// The head in the form of HTTP/1.1, without what is said about the connection.
fn head_text(request: &Request<RequestBody>) -> Option<String> {
    let mut head = format!("{} {} HTTP/1.1\r\n", request.method(), request.uri());
    for (name, value) in request.headers() {
        if [header::CONNECTION, header::UPGRADE, header::TRANSFER_ENCODING].contains(name) {
            continue;
        }
        head.push_str(name.as_str());
        head.push_str(": ");
        head.push_str(&String::from_utf8_lossy(value.as_bytes()));
        head.push_str("\r\n");
        if head.len() > MAX_HEAD_BYTES {
            return None;
        }
    }
    let has_length = request.headers().contains_key(header::CONTENT_LENGTH);
    // The body is not sent, so that the request is seen to be incomplete.
    head.push_str(if request.body().is_end_stream() || has_length {
        "\r\n"
    } else {
        "transfer-encoding: chunked\r\n\r\n"
    });
    Some(head)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_head_has_the_fields_of_the_request_but_nothing_of_the_connection() {
        let request = Request::put("/a?b=c").header("host", "h").header("connection", "upgrade").header("upgrade", "x");
        let request = request.header("x-y", "z").body(RequestBody::empty()).expect("a request");
        assert_eq!(head_text(&request).expect("short"), "PUT /a?b=c HTTP/1.1\r\nhost: h\r\nx-y: z\r\n\r\n");
    }

    #[test]
    fn a_head_that_no_message_could_carry_is_not_reported() {
        let long = "x".repeat(MAX_HEAD_BYTES);
        let request = Request::get("/").header("host", "h").header("x-y", long).body(RequestBody::empty());
        assert_eq!(head_text(&request.expect("a request")), None);
    }
}
