//! Opens a stream for a connection that is not HTTP.

use super::{Candidates, OriginServer, OriginStream, StreamSpec, UpstreamCandidate};
use crate::refusal::{Fault, Refusal};
use postern_api::{Code, Error};

/// Opens a stream to the first candidate that can be dialed. With `certain`, even the last one counts only when the
/// local service has accepted it.
pub(crate) async fn open(
    candidates: Candidates,
    spec: StreamSpec,
    certain: bool,
) -> Result<(OriginStream, OriginServer), Refusal> {
    let mut left = candidates.len();
    let mut last = None;
    for candidate in candidates {
        left -= 1;
        let UpstreamCandidate::Dial(origin) = candidate else {
            let message = "An HTTP response backend cannot serve connections that are not HTTP.";
            last = Some(Refusal::new(Fault::Route, Error::new(Code::BackendMissing, message)));
            continue;
        };
        match origin.open(spec, certain || left > 0).await {
            Ok(stream) => return Ok((stream, origin)),
            Err(refusal) => last = Some(refusal),
        }
    }
    Err(last.unwrap_or_else(|| Refusal::new(Fault::Route, Code::BackendMissing)))
}
