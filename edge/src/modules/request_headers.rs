//! Changes the headers of a request, after all other stages and before the backend.

use super::{
    RequestContext,
    headers::{Changes, Facts},
};
use tokio::time::Instant;

const NAME: &str = "request_headers";

/// Changes one request. Headers written by the edge, such as `X-Forwarded-For`, can be removed like any other.
pub(super) fn stage(changes: Option<&Changes>, context: &mut RequestContext<'_>) {
    let Some(changes) = changes else { return };
    let began = Instant::now();
    let facts = Facts::of(changes.variables_used(), context);
    changes.apply(&mut context.parts.headers, &facts);
    context.trace.record(NAME, None, true, began);
}
