//! Changes the headers of an answer, last of all before it goes to the visitor: no other stage sees what it did.

use super::{
    Trace, Visit,
    headers::{Changes, Facts},
};
use hyper::{HeaderMap, StatusCode};
use postern_api::headers::variables::Variable;
use std::time::Instant;

const NAME: &str = "response_headers";

/// What the values of an answer's headers will need of its request.
pub(super) fn facts(changes: Option<&Changes>, visit: &mut Visit<'_>) -> Facts {
    changes.map_or_else(Facts::default, |changes| Facts::of(changes.wanted(), visit))
}

/// Changes one answer.
pub(super) fn stage(
    changes: Option<&Changes>,
    facts: Facts,
    status: StatusCode,
    headers: &mut HeaderMap,
    trace: &mut Trace,
) {
    let Some(changes) = changes else { return };
    let (began, mut facts) = (Instant::now(), facts);
    if changes.wanted().contains(&Variable::Status) {
        facts.add(Variable::Status, status.as_str());
    }
    changes.apply(headers, &facts);
    trace.record(NAME, None, true, began);
}
