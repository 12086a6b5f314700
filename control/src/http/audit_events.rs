//! Handlers of audit events.

use super::{
    ApiState,
    handlers::{HandlerResult, ItemPath, list_body},
    put_back::put_back,
    query::{audit_query, next_audit_query, reject_query},
    response::json,
};
use crate::resources::{
    Access, Caller, Scope,
    audit::{EVENTS, audit_event},
    view_not_found,
};
use axum::{
    Extension,
    extract::{Path, State},
};
use http::{StatusCode, Uri};
use postern_api::{
    Id, Result,
    resource::{AuditEvent, View},
};
use std::sync::Arc;

/// The events show what all users did, so they are for administrators only.
fn check_access(caller: &Caller) -> Result<()> {
    caller.check_scope(Access::See, Scope::Everything)
}

fn complete(event: AuditEvent) -> AuditEvent {
    AuditEvent { put_back: put_back(&event), ..event }
}

pub(super) async fn list(
    State(state): State<Arc<ApiState>>,
    Extension(caller): Extension<Caller>,
    uri: Uri,
) -> HandlerResult {
    let (query, filter) = audit_query(&uri)?;
    check_access(&caller)?;
    let page = state.resources.audit_events(&filter, query.before.as_ref(), query.limit).await?;
    let next = page.before.map(|before| next_audit_query(&before.any(), query.limit, &filter));
    let events: Vec<AuditEvent> = page.events.into_iter().map(complete).collect();
    let base_url = state.resources.base_url();
    json(StatusCode::OK, &list_body(AuditEvent::PATH, AuditEvent::LIST, &events, next, base_url)?)
}

pub(super) async fn read(
    State(state): State<Arc<ApiState>>,
    Extension(caller): Extension<Caller>,
    Path(item): Path<ItemPath>,
    uri: Uri,
) -> HandlerResult {
    reject_query(&uri)?;
    check_access(&caller)?;
    let id = Id::<AuditEvent>::parse(&item.id)?;
    let entry = state.resources.store.get(&format!("{EVENTS}{id}")).await?;
    let event = entry.and_then(|entry| audit_event(&entry, state.resources.base_url()));
    json(StatusCode::OK, &complete(event.ok_or_else(|| view_not_found(&id))?))
}
