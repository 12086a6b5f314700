//! Changes the headers of a request, after all other stages and before the backend.

use super::{
    Visit,
    headers::{Changes, Facts},
};
use std::time::Instant;

const NAME: &str = "request_headers";

/// Changes one request. Headers written by the edge, such as `X-Forwarded-For`, can be removed like any other.
pub(super) fn stage(changes: Option<&Changes>, visit: &mut Visit<'_>) {
    let Some(changes) = changes else { return };
    let began = Instant::now();
    let facts = Facts::of(changes.variables_used(), visit);
    changes.apply(&mut visit.parts.headers, &facts);
    visit.trace.record(NAME, None, true, began);
}
