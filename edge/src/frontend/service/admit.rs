//! Phase 1, admit: brings a request into its one canonical form, or refuses it.

use super::{EdgeState, ProtocolChange};
use crate::{
    http::{VisitorBody, canonical, headers, too_many_fields},
    refusal::{Fault, Refusal},
};
use hyper::{Request, http::request::Parts};
use postern_api::{Code, Error};

/// A request in canonical form: origin-form target, exactly one `Host`, one way to read where it ends.
pub(super) struct AdmittedRequest {
    pub(super) parts: Parts,
    pub(super) body: VisitorBody,
    pub(super) upgrade: Option<ProtocolChange>,
    /// How often the request has passed an edge.
    pub(super) hops: usize,
}

/// Admits a request, or refuses what two programs could understand in two ways.
pub(super) fn admit(state: &EdgeState, request: Request<VisitorBody>) -> Result<AdmittedRequest, Refusal> {
    let mut request = request;
    let upgrade = ProtocolChange::take(&mut request);
    let (mut parts, body) = request.into_parts();
    if parts.headers.len() > state.limits.headers {
        return Err(too_many_fields(state.limits.headers));
    }
    let hops = headers::hops(&parts.headers);
    if hops >= headers::MAX_HOPS {
        return Err(request_loop(hops));
    }
    canonical::reduce(&parts.method, &mut parts.uri, parts.version, &mut parts.headers)?;
    Ok(AdmittedRequest { parts, body, upgrade, hops })
}

fn request_loop(hops: usize) -> Refusal {
    let message = format!(
        "The request has come through a Postern server {hops} times already. The local service of this address leads back to \
         the server; let the tunnel forward to the service itself."
    );
    Refusal::new(Fault::Route, Error::new(Code::RequestLoop, message))
}
