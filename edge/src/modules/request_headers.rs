//! Changes the headers of a request, after all other stages and before the backend.

use super::{
    RequestContext,
    headers::{Changes, Facts},
};
use tokio::time::Instant;

const NAME: &str = "request_headers";

/// The variables that the values of the request headers use, from the request as the visitor sent it.
pub(super) fn facts(changes: Option<&Changes>, context: &mut RequestContext<'_>) -> Option<Facts> {
    changes.map(|changes| Facts::of(changes.variables_used(), context))
}

/// Changes one request. Headers written by the edge, such as `X-Forwarded-For`, can be removed like any other.
pub(super) fn stage(changes: Option<&Changes>, facts: Option<Facts>, context: &mut RequestContext<'_>) {
    let (Some(changes), Some(facts)) = (changes, facts) else { return };
    let began = Instant::now();
    changes.apply(&mut context.parts.headers, &facts);
    context.trace.record(NAME, None, true, began);
}
