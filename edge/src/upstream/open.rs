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

/// Opens a stream to the first candidate that can be dialed. With `certain`, even the last one counts only when the
/// local service has accepted it.
pub(crate) async fn open(candidates: Candidates, spec: StreamSpec, certain: bool) -> Result<OpenedUpstream, Refusal> {
    let mut left = candidates.len();
    let mut last = None;
    for candidate in candidates {
        left -= 1;
        let origin = match candidate {
            UpstreamCandidate::Dial(origin) => origin,
            UpstreamCandidate::Respond(fixed) if matches!(spec.kind, StreamKind::Tcp) => {
                return Ok(OpenedUpstream::Fixed(fixed));
            }
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

/// The refusal of a connection that a fixed response cannot serve.
pub(crate) fn no_stream() -> Refusal {
    let message = "An HTTP response backend cannot serve WebSockets, or TLS connections that do not end at the server.";
    Refusal::new(Fault::Route, Error::new(Code::BackendMissing, message))
}
