//! Changes the headers of an answer, last of all before it goes to the visitor: no other stage sees what it did.

use super::{
    Visit,
    headers::{Changes, Facts},
};
use hyper::{HeaderMap, StatusCode};
use postern_api::headers::variables::Variable;

/// What the values of an answer's headers will need of its request.
pub(super) fn facts(changes: Option<&Changes>, visit: &mut Visit<'_>) -> Facts {
    changes.map_or_else(Facts::default, |changes| Facts::of(changes.wanted(), visit))
}

/// Changes one answer.
pub(super) fn stage(changes: Option<&Changes>, facts: &mut Facts, status: StatusCode, headers: &mut HeaderMap) {
    let Some(changes) = changes else { return };
    if changes.wanted().contains(&Variable::Status) {
        facts.add(Variable::Status, status.as_str());
    }
    changes.apply(headers, facts);
}
