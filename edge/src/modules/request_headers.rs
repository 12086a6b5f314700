//! Changes the headers of a request, last of all before it goes to the backend: no other stage sees what it did.

use super::{
    Visit,
    headers::{Changes, Facts},
};
use std::time::Instant;

const NAME: &str = "request_headers";

/// Changes one request. What the edge itself wrote, such as `X-Forwarded-For`, may be removed like anything else.
pub(super) fn stage(changes: Option<&Changes>, visit: &mut Visit<'_>) {
    let Some(changes) = changes else { return };
    let began = Instant::now();
    let facts = Facts::of(changes.wanted(), visit);
    changes.apply(&mut visit.parts.headers, &facts);
    visit.trace.record(NAME, None, true, began);
}
