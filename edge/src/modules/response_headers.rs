//! Changes the headers of a response, after all other stages and before the visitor.

use super::{
    RequestContext, Trace,
    headers::{Changes, Facts},
};
use hyper::{HeaderMap, StatusCode};
use postern_api::headers::variables::Variable;
use tokio::time::Instant;

const NAME: &str = "response_headers";

/// The variables of the request that the values of the response headers use.
pub(super) fn facts(changes: Option<&Changes>, context: &mut RequestContext<'_>) -> Facts {
    changes.map_or_else(Facts::default, |changes| Facts::of(changes.variables_used(), context))
}

/// Changes one response.
pub(super) fn stage(
    changes: Option<&Changes>,
    facts: Facts,
    status: StatusCode,
    headers: &mut HeaderMap,
    trace: &mut Trace,
) {
    let Some(changes) = changes else { return };
    let (began, mut facts) = (Instant::now(), facts);
    if changes.variables_used().contains(&Variable::Status) {
        facts.add(Variable::Status, status.as_str());
    }
    changes.apply(headers, &facts);
    trace.record(NAME, None, true, began);
}
