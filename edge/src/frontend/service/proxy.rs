//! Phase 4, proxy: sends a request to the first upstream that can be dialed, and turns its response into the visitor's.

use super::{EdgeState, PipelineRequest};
use crate::{
    frontend::{VisitorConnection, upgrade},
    http::{RequestedUpgrade, headers, max_forwards, response_framing},
    refusal::{Fault, Refusal},
    telemetry::{AccessRecord, Trace},
    upstream::{
        self, Candidates, OriginServer, OriginStream, ResponseBody, ResponseCarrier, StreamSpec, UpstreamBody,
        UpstreamResponse,
    },
};
use bytes::Bytes;
use hyper::{Method, Response, StatusCode, Version, header};
use postern_api::{Code, Error};
use postern_tunnel::StreamKind;
use std::{sync::Arc, time::Duration};

/// Sends the request and waits for the head of the response.
pub(super) async fn proxy(
    state: &EdgeState,
    connection: &Arc<VisitorConnection>,
    request: &mut PipelineRequest,
    candidates: Candidates,
    trace: &mut Trace,
    record: &Arc<AccessRecord>,
) -> Result<Response<ResponseBody>, Refusal> {
    if max_forwards::ends_here(&mut request.sent.request) {
        return final_recipient(request.sent.request.method());
    }
    let visitor = &connection.visitor;
    let kind = if request.websocket.is_some() { StreamKind::Tcp } else { StreamKind::Http };
    let spec = StreamSpec { kind, visitor: visitor.address, tls: visitor.is_tls(), reached: visitor.reached };
    if let Some(websocket) = request.websocket.take() {
        let Some(upgrade) = request.upgrade.take() else {
            return Err(Refusal::new(Fault::Visitor, Code::WebsocketExpected));
        };
        // Boxed: other requests must not hold room for it.
        let (stream, origin) = Box::pin(open_stream(candidates, spec, state.limits.answer)).await?;
        origin.mark_served(trace);
        upgrade::convert(connection.clone(), upgrade, stream, record.clone());
        return Ok(websocket.answer());
    }
    let visit = (spec, &connection.reached);
    let response = upstream::exchange(candidates, visit, &mut request.sent, state.limits.answer, trace).await?;
    if let UpstreamResponse::Origin { origin, .. } = &response {
        origin.mark_served(trace);
    }
    convert_response(response, connection, request.upgrade.take(), record)
}

/// The response to a request that `Max-Forwards` lets go no further.
fn final_recipient(method: &Method) -> Result<Response<ResponseBody>, Refusal> {
    if method != Method::OPTIONS {
        return Err(Refusal::new(Fault::Visitor, Code::TraceRefused));
    }
    let mut response = Response::new(ResponseBody::full(Bytes::new()));
    *response.status_mut() = StatusCode::NO_CONTENT;
    Ok(response)
}

/// Opens a stream and waits until the upstream has accepted it, within `timeout`.
async fn open_stream(
    candidates: Candidates,
    spec: StreamSpec,
    timeout: Duration,
) -> Result<(OriginStream, OriginServer), Refusal> {
    tokio::time::timeout(timeout, upstream::open_certain(candidates, spec)).await.map_err(|_| {
        let message = "The backend of this address did not take the connection in time.";
        Refusal::new(Fault::Service, Error::new(Code::UpstreamTimeout, message))
    })?
}

/// Cleans the response of an upstream; after a change of protocol both sides are joined.
fn convert_response(
    response: UpstreamResponse,
    connection: &Arc<VisitorConnection>,
    upgrade: Option<RequestedUpgrade>,
    record: &Arc<AccessRecord>,
) -> Result<Response<ResponseBody>, Refusal> {
    let (mut response, origin) = match response {
        UpstreamResponse::Fixed(fixed) => return Ok(fixed.response()),
        UpstreamResponse::Origin { response, origin } => (response, origin),
    };
    *response.version_mut() = Version::HTTP_11;
    if response.status() == StatusCode::SWITCHING_PROTOCOLS {
        let (parts, carrier) = response.into_parts();
        let (Some(upgrade), ResponseCarrier::Http1(upstream)) = (upgrade, carrier) else {
            let message = "The local service changed to another protocol without being asked to.";
            return Err(Refusal::new(Fault::Service, Error::new(Code::UpstreamInvalid, message)));
        };
        let protocol = parts.headers.get(header::UPGRADE).cloned();
        upgrade::join(connection.clone(), upgrade, *upstream, record.clone());
        let mut response = Response::from_parts(parts, ResponseBody::full(Bytes::new()));
        headers::clean_response(response.headers_mut());
        if let Some(protocol) = protocol {
            headers::restore_upgrade(response.headers_mut(), protocol);
        }
        return Ok(response);
    }
    response_framing::reduce(response.status(), response.headers_mut())?;
    headers::clean_response(response.headers_mut());
    Ok(response.map(|carrier| ResponseBody::upstream(UpstreamBody::new(carrier, origin))))
}
