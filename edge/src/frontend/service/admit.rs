//! Phase 1, admit: brings a request into its one canonical form, or refuses it.

use super::{EdgeState, RequestedUpgrade};
use crate::{
    http::{canonical, too_many_fields},
    refusal::Refusal,
};
use hyper::{Request, body::Incoming, http::request::Parts};

/// A request in canonical form: origin-form target, exactly one `Host`, one way to read where it ends.
pub(super) struct AdmittedRequest {
    pub(super) parts: Parts,
    pub(super) body: Incoming,
    pub(super) upgrade: Option<RequestedUpgrade>,
}

/// Admits a request, or refuses what two programs could understand in two ways.
pub(super) fn admit(state: &EdgeState, request: Request<Incoming>) -> Result<AdmittedRequest, Refusal> {
    let mut request = request;
    let upgrade = RequestedUpgrade::take(&mut request);
    let (mut parts, body) = request.into_parts();
    if parts.headers.len() > state.limits.headers {
        return Err(too_many_fields(state.limits.headers));
    }
    canonical::reduce(&parts.method, &mut parts.uri, parts.version, &mut parts.headers)?;
    Ok(AdmittedRequest { parts, body, upgrade })
}
