//! Opens a stream for a connection that is not HTTP.

use super::{Candidates, FixedResponse, OriginServer, OriginStream, StreamSpec, UpstreamCandidate};
use crate::refusal::{Fault, Refusal};
use postern_api::{Code, Error};
use postern_tunnel::StreamKind;
use std::sync::Arc;

/// What serves a connection.
#[expect(clippy::large_enum_variant, reason = "taken apart as soon as it is returned")]
pub(crate) enum OpenedUpstream {
    /// A stream to an upstream.
    Stream(OriginStream, OriginServer),
    /// The body of a fixed response; only for connections whose bytes are not TLS.
    Fixed(Arc<FixedResponse>),
}

/// Opens a stream to the first candidate that can be dialed. The body of a fixed response serves connections whose bytes
/// are not TLS.
pub(crate) async fn open(candidates: Candidates, spec: StreamSpec) -> Result<OpenedUpstream, Refusal> {
    let takes_fixed = matches!(spec.kind, StreamKind::Tcp);
    open_first(candidates, spec, false, takes_fixed).await
}

/// Opens a stream to the first candidate whose local service has accepted it. Fixed responses are passed over.
pub(crate) async fn open_certain(
    candidates: Candidates,
    spec: StreamSpec,
) -> Result<(OriginStream, OriginServer), Refusal> {
    match open_first(candidates, spec, true, false).await? {
        OpenedUpstream::Stream(stream, origin) => Ok((stream, origin)),
        OpenedUpstream::Fixed(_) => Err(no_stream()),
    }
}

/// With `certain`, even the last candidate counts only when the local service has accepted the stream.
async fn open_first(
    candidates: Candidates,
    spec: StreamSpec,
    certain: bool,
    takes_fixed: bool,
) -> Result<OpenedUpstream, Refusal> {
    let mut left = candidates.len();
    let mut last = None;
    for candidate in candidates {
        left -= 1;
        let origin = match candidate {
            UpstreamCandidate::Dial(origin) => origin,
            UpstreamCandidate::Respond(fixed) if takes_fixed => return Ok(OpenedUpstream::Fixed(fixed)),
            UpstreamCandidate::Respond(_) => {
                last = Some(no_stream());
                continue;
            }
        };
        match origin.open(spec, certain || left > 0).await {
            Ok(stream) => return Ok(OpenedUpstream::Stream(stream, origin)),
            Err(refusal) => last = Some(refusal),
        }
    }
    Err(last.unwrap_or_else(|| Refusal::new(Fault::Route, Code::BackendMissing)))
}

fn no_stream() -> Refusal {
    let message = "An HTTP response backend cannot serve WebSockets, or TLS connections that do not end at the server.";
    Refusal::new(Fault::Route, Error::new(Code::BackendMissing, message))
}
