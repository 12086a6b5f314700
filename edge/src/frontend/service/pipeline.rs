//! Phase 3, pipeline: cleans the headers of a request, and runs the modules of its route or tunnel.

use super::{AdmittedRequest, EdgeState, ProtocolChange, RequestDestination, interim::accept_interim};
use crate::{
    frontend::VisitorConnection,
    http::{RequestBody, RequestedUpgrade, expectation::expects_continue, headers},
    modules::{Identity, RequestContext, ResponseContext, StageOutcome, WebsocketHandshake},
    refusal::Refusal,
    telemetry::{AccessRecord, Trace},
    upstream::{ResponseBody, SentRequest},
};
use hyper::{
    HeaderMap, Request, Response, Version,
    header::{self, HeaderValue},
};
use postern_logins::Logins;
use std::sync::Arc;

/// The result of this phase.
#[expect(clippy::large_enum_variant, reason = "it is moved once per request, and a box would be allocated for each")]
pub(super) enum PipelineOutcome {
    /// The request goes on; with what the modules need to know about its response.
    Passed(PipelineRequest, Option<ResponseContext>),
    /// A module answered in place of the upstream.
    Answered(Box<Response<ResponseBody>>),
}

/// A request as the upstream receives it.
pub(super) struct PipelineRequest {
    pub(super) sent: SentRequest,
    pub(super) upgrade: Option<RequestedUpgrade>,
    /// Set when the visitor's WebSocket messages are carried as a stream of bytes.
    pub(super) websocket: Option<WebsocketHandshake>,
}

/// Runs the modules that stand between the visitor and the upstream.
pub(super) async fn run_pipeline(
    state: &EdgeState,
    connection: &VisitorConnection,
    request: AdmittedRequest,
    destination: &RequestDestination,
    trace: &mut Trace,
    record: &Arc<AccessRecord>,
) -> Result<PipelineOutcome, Refusal> {
    let AdmittedRequest { mut parts, body, upgrade, hops } = request;
    let (protocol, upgrade) = match upgrade {
        Some(ProtocolChange { protocol, upgrade }) => (Some(protocol), Some(upgrade)),
        None => (None, None),
    };
    let (version, expects) = (parts.version, expects_continue(parts.version, &parts.headers));
    prepare_headers(state, connection, destination, parts.version, protocol, &mut parts.headers)?;
    let (body, progress) = RequestBody::of(body, &parts.headers, &state.limits);
    let mut body = body.counted(record).without(state.identity_headers.as_ref());
    if let RequestDestination::Route(_, route) = destination {
        trace.on_route(&route.counter);
        trace.leads_to(route.backend_id());
    }
    let mut passed = None;
    if let Some(pipeline) = destination.pipeline() {
        let mut context = RequestContext {
            visitor: &connection.visitor,
            geo: &state.access.geo,
            parts: &mut parts,
            body: &mut body,
            trace,
            identity: Identity::default(),
        };
        passed = match pipeline.check_request(&mut context).await? {
            StageOutcome::Passed(passed) => Some(passed),
            StageOutcome::Answered(response) => return Ok(PipelineOutcome::Answered(response)),
        };
    }
    // The session cookies of all realms stay between the visitor and this endpoint.
    for realm in destination.realms() {
        Logins::strip_cookies(realm, &mut parts.headers);
    }
    headers::add_hop(&mut parts.headers, parts.version, hops);
    parts.version = Version::HTTP_11;
    let websocket = passed.as_mut().and_then(|passed| passed.websocket.take());
    let mut request = Request::from_parts(parts, body);
    let interim = accept_interim(&mut request, connection, version, expects);
    let request = PipelineRequest { sent: SentRequest { request, progress, interim }, upgrade, websocket };
    Ok(PipelineOutcome::Passed(request, passed))
}

/// Removes headers that visitors must not send, and adds those that describe the visitor.
fn prepare_headers(
    state: &EdgeState,
    connection: &VisitorConnection,
    destination: &RequestDestination,
    version: Version,
    protocol: Option<HeaderValue>,
    headers: &mut HeaderMap,
) -> Result<(), Refusal> {
    let host = headers.get(header::HOST).cloned().ok_or_else(|| Refusal::invalid("The request has no Host header."))?;
    headers::clean_request(headers);
    if let Some(identity_headers) = &state.identity_headers {
        identity_headers.strip(headers);
    }
    if version == Version::HTTP_2 {
        join_cookies(headers);
    }
    if let Some(protocol) = protocol {
        headers::restore_upgrade(headers, protocol);
    }
    connection.visitor.add_forwarding_headers(headers, &host);
    headers.extend(destination.client_identity(connection).iter().cloned());
    Ok(())
}

/// Joins cookies into one header: HTTP/2 may send them one by one (RFC 9113, section 8.2.3).
fn join_cookies(headers: &mut HeaderMap) {
    let cookies: Vec<&[u8]> = headers.get_all(header::COOKIE).iter().map(HeaderValue::as_bytes).collect();
    if cookies.len() > 1
        && let Ok(joined) = HeaderValue::from_bytes(&cookies.join(&b"; "[..]))
    {
        headers.insert(header::COOKIE, joined);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cookies_sent_one_by_one_become_one_header() {
        let mut headers = HeaderMap::new();
        headers.append(header::COOKIE, HeaderValue::from_static("a=1"));
        headers.append(header::COOKIE, HeaderValue::from_static("b=2"));
        join_cookies(&mut headers);
        assert_eq!(headers.get_all(header::COOKIE).iter().collect::<Vec<_>>(), ["a=1; b=2"]);
    }
}
