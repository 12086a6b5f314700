//! Limits before the first phase: requests over a limit are refused at the lowest cost.

use super::{
    EdgeState,
    outcome::{LoggedRequest, write_record},
};
use crate::{
    frontend::{VisitorConnection, error_pages},
    http::{OpenRequest, VisitorBody},
    refusal::{Fault, Refusal},
    telemetry::{AccessRecord, Trace, metrics},
    upstream::ResponseBody,
};
use hyper::{
    Request, Response, Version,
    header::{self, HeaderValue},
};
use postern_api::{Code, Error};
use std::time::Duration;

/// The `Retry-After` of a request over the limit.
const RETRY_AFTER: Duration = Duration::from_secs(1);

/// The refusal of a request over a limit. Otherwise the request gets a permit, which `open` holds.
pub(super) fn over_limit(state: &EdgeState, connection: &VisitorConnection, open: &mut OpenRequest) -> Option<Refusal> {
    match (&connection.over_limit, state.requests.acquire(1)) {
        (None, Some(permit)) => {
            open.hold(permit);
            None
        }
        (None, None) => Some(too_many_requests()),
        (Some(over_limit), _) => {
            // Requests that are open already are finished before the connection ends.
            over_limit.close.cancel();
            Some(over_limit.reason.refusal())
        }
    }
}

fn too_many_requests() -> Refusal {
    let message = "The server serves as many requests as it can at the moment. Try again in a moment.";
    Refusal::new(Fault::Us, Error::new(Code::EdgeBusy, message)).retry_after(RETRY_AFTER)
}

/// The response to a request over a limit. The refusal is written to the access log only, which never blocks.
pub(super) fn refuse(
    refusal: &Refusal,
    connection: &VisitorConnection,
    request: &Request<VisitorBody>,
    record: &AccessRecord,
) -> Response<ResponseBody> {
    let (mut trace, head) = (Trace::default(), LoggedRequest::new(request));
    metrics::refusal(None, refusal.error.code);
    write_record(record, connection, &head, refusal.status(), &mut trace, Some(refusal));
    let mut response = error_pages::response(refusal, head.format, trace.id());
    if request.version() < Version::HTTP_2 {
        // The body of the request is not read, so the next request could not be found.
        response.headers_mut().insert(header::CONNECTION, HeaderValue::from_static("close"));
    }
    response
}
