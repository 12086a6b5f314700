//! Handlers, generic over kinds and modules: from a request to an operation, and from its result to a response.

use super::{
    ApiState, body,
    query::{next_page_query, page_query, range_query, reject_query, request_query, search_query},
    response::{ErrorResponse, json, json_bytes},
};
use crate::{
    Gathered,
    resources::{Access, Caller, HostRules, ModuleRules, RecordPath, RemovablePart, Rules, Scope, parse_parent},
    views::{DeletableView, ViewSource},
};
use axum::{
    Extension,
    extract::{Path, Request, State},
    response::{IntoResponse, Response},
};
use http::{HeaderValue, StatusCode, Uri};
use postern_api::{
    Id, Result, WARNING_HEADER,
    resource::{NodeName, RecentRequest, ReservedDomain, Resource, SessionCommand, SessionCommandBody, list_uri},
};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::sync::Arc;

pub(super) type HandlerResult = Result<Response, ErrorResponse>;

/// Path parameters of a collection.
#[derive(Deserialize)]
pub(super) struct CollectionPath {
    edge_id: Option<String>,
}

/// Path parameters of an item.
#[derive(Deserialize)]
pub(super) struct ItemPath {
    edge_id: Option<String>,
    pub(super) id: String,
}

impl ItemPath {
    fn record_path<R: Resource>(&self) -> Result<RecordPath<R>> {
        RecordPath::parse(self.edge_id.as_deref(), &self.id)
    }
}

pub(super) async fn create<R: Rules>(
    State(state): State<Arc<ApiState>>,
    Extension(caller): Extension<Caller>,
    Path(collection): Path<CollectionPath>,
    request: Request,
) -> HandlerResult {
    reject_query(request.uri())?;
    caller.check_kind_access::<R>(Access::Change)?;
    let parent = parse_parent::<R>(collection.edge_id.as_deref())?;
    let body: R::Create = body::read(request).await?;
    json(StatusCode::CREATED, &state.resources.create::<R>(&caller, parent.as_ref(), body).await?)
}

pub(super) async fn list<R: Rules>(
    State(state): State<Arc<ApiState>>,
    Extension(caller): Extension<Caller>,
    uri: Uri,
) -> HandlerResult {
    let query = search_query::<R>(&uri)?;
    let page = state.resources.list::<R>(&caller, query.before.as_ref(), query.limit, &query.search).await?;
    let next = page.before.map(|before| next_page_query(&before.any(), query.limit, &query.search));
    json(StatusCode::OK, &list_body(R::PATH, R::LIST, &page.records, next, state.resources.base_url())?)
}

pub(super) async fn read<R: Rules>(
    State(state): State<Arc<ApiState>>,
    Extension(caller): Extension<Caller>,
    Path(item): Path<ItemPath>,
    uri: Uri,
) -> HandlerResult {
    reject_query(&uri)?;
    Ok(json_bytes(StatusCode::OK, state.resources.get_body::<R>(&caller, &item.record_path()?, uri.path()).await?))
}

pub(super) async fn update<R: Rules>(
    State(state): State<Arc<ApiState>>,
    Extension(caller): Extension<Caller>,
    Path(item): Path<ItemPath>,
    request: Request,
) -> HandlerResult {
    reject_query(request.uri())?;
    caller.check_kind_access::<R>(Access::Change)?;
    let at = item.record_path::<R>()?;
    let body: R::Update = body::read(request).await?;
    json(StatusCode::OK, &state.resources.update::<R>(&caller, &at, body).await?)
}

pub(super) async fn delete<R: Rules>(
    State(state): State<Arc<ApiState>>,
    Extension(caller): Extension<Caller>,
    Path(item): Path<ItemPath>,
    uri: Uri,
) -> HandlerResult {
    reject_query(&uri)?;
    state.resources.delete::<R>(&caller, &item.record_path()?).await?;
    Ok(StatusCode::NO_CONTENT.into_response())
}

pub(super) async fn put_module<O: HostRules<M>, M: ModuleRules>(
    State(state): State<Arc<ApiState>>,
    Extension(caller): Extension<Caller>,
    Path(item): Path<ItemPath>,
    request: Request,
) -> HandlerResult {
    reject_query(request.uri())?;
    let at = item.record_path::<O>()?;
    caller.check_kind_access::<O>(Access::Change)?;
    let module: M = body::read_module(request).await?;
    let warning = module.warning(&state.resources);
    let mut response = json(StatusCode::OK, &state.resources.put_module::<O, M>(&caller, &at, module).await?)?;
    if let Some(warning) = warning {
        response.headers_mut().insert(WARNING_HEADER, HeaderValue::from_static(warning));
    }
    Ok(response)
}

pub(super) async fn get_module<O: HostRules<M>, M: ModuleRules>(
    State(state): State<Arc<ApiState>>,
    Extension(caller): Extension<Caller>,
    Path(item): Path<ItemPath>,
    uri: Uri,
) -> HandlerResult {
    reject_query(&uri)?;
    json(StatusCode::OK, &state.resources.get_module::<O, M>(&caller, &item.record_path()?).await?)
}

pub(super) async fn delete_module<O: HostRules<M>, M: ModuleRules>(
    State(state): State<Arc<ApiState>>,
    Extension(caller): Extension<Caller>,
    Path(item): Path<ItemPath>,
    uri: Uri,
) -> HandlerResult {
    reject_query(&uri)?;
    state.resources.delete_module::<O, M>(&caller, &item.record_path()?).await?;
    Ok(StatusCode::NO_CONTENT.into_response())
}

pub(super) async fn remove_part<P: RemovablePart>(
    State(state): State<Arc<ApiState>>,
    Extension(caller): Extension<Caller>,
    Path(item): Path<ItemPath>,
    uri: Uri,
) -> HandlerResult {
    reject_query(&uri)?;
    state.resources.remove_part::<P>(&caller, &item.record_path()?).await?;
    Ok(StatusCode::NO_CONTENT.into_response())
}

pub(super) async fn list_view<V: ViewSource>(
    State(state): State<Arc<ApiState>>,
    Extension(caller): Extension<Caller>,
    uri: Uri,
) -> HandlerResult {
    let query = page_query::<V>(&uri)?;
    let page = state.resources.list_view::<V>(&caller, query.before.as_ref(), query.limit).await?;
    let next = page.before.map(|before| next_page_query(&before.any(), query.limit, &query.search));
    let body = list_body(V::PATH, V::LIST, &page.records, next, state.resources.base_url())?;
    json(StatusCode::OK, &with_missing(body, &page.nodes_missing))
}

pub(super) async fn get_view<V: ViewSource>(
    State(state): State<Arc<ApiState>>,
    Extension(caller): Extension<Caller>,
    Path(item): Path<ItemPath>,
    uri: Uri,
) -> HandlerResult {
    reject_query(&uri)?;
    json(StatusCode::OK, &state.resources.get_view::<V>(&caller, &Id::parse(&item.id)?).await?)
}

pub(super) async fn delete_view<V: DeletableView>(
    State(state): State<Arc<ApiState>>,
    Extension(caller): Extension<Caller>,
    Path(item): Path<ItemPath>,
    uri: Uri,
) -> HandlerResult {
    reject_query(&uri)?;
    state.resources.delete_view::<V>(&caller, &Id::parse(&item.id)?).await?;
    Ok(StatusCode::NO_CONTENT.into_response())
}

pub(super) async fn decisions<R: Rules>(
    State(state): State<Arc<ApiState>>,
    Extension(caller): Extension<Caller>,
    Path(item): Path<ItemPath>,
    uri: Uri,
) -> HandlerResult {
    reject_query(&uri)?;
    let at = item.record_path::<R>()?;
    let refused = state.resources.decisions::<R>(&caller, &at).await?;
    whole_list(&at, "decisions", &refused, state.resources.base_url())
}

/// The last requests of an edge or a route.
pub(super) async fn requests<R: Rules>(
    State(state): State<Arc<ApiState>>,
    Extension(caller): Extension<Caller>,
    Path(item): Path<ItemPath>,
    uri: Uri,
) -> HandlerResult {
    let filter = request_query(&uri)?;
    let requests = state.resources.requests::<R>(&caller, &item.record_path()?, filter).await?;
    request_list(&uri, requests, state.resources.base_url())
}

/// The last requests of everything.
pub(super) async fn requests_in_all(
    State(state): State<Arc<ApiState>>,
    Extension(caller): Extension<Caller>,
    uri: Uri,
) -> HandlerResult {
    let filter = request_query(&uri)?;
    caller.check_scope(Access::See, Scope::Shared)?;
    request_list(&uri, state.resources.requests_in_all(filter).await, state.resources.base_url())
}

/// The last requests of a tunnel.
pub(super) async fn tunnel_requests(
    State(state): State<Arc<ApiState>>,
    Extension(caller): Extension<Caller>,
    Path(item): Path<ItemPath>,
    uri: Uri,
) -> HandlerResult {
    let filter = request_query(&uri)?;
    let requests = state.resources.tunnel_requests(&caller, &Id::parse(&item.id)?, filter).await?;
    request_list(&uri, requests, state.resources.base_url())
}

fn request_list(uri: &Uri, (requests, missing): Gathered<Vec<RecentRequest>>, base_url: &str) -> HandlerResult {
    let body = list_body(uri.path(), "requests", &requests, None, base_url)?;
    json(StatusCode::OK, &with_missing(body, &missing))
}

/// Records in DNS that a reserved domain needs.
pub(super) async fn domain_records(
    State(state): State<Arc<ApiState>>,
    Extension(caller): Extension<Caller>,
    Path(item): Path<ItemPath>,
    uri: Uri,
) -> HandlerResult {
    reject_query(&uri)?;
    let at = item.record_path::<ReservedDomain>()?;
    let records = state.resources.domain_records(&caller, &at).await?;
    whole_list(&at, "dns_records", &records, state.resources.base_url())
}

pub(super) async fn dependents<R: Rules>(
    State(state): State<Arc<ApiState>>,
    Extension(caller): Extension<Caller>,
    Path(item): Path<ItemPath>,
    uri: Uri,
) -> HandlerResult {
    reject_query(&uri)?;
    let at = item.record_path::<R>()?;
    let dependents = state.resources.dependents::<R>(&caller, &at).await?;
    whole_list(&at, "dependents", &dependents, state.resources.base_url())
}

pub(super) async fn facts(
    State(state): State<Arc<ApiState>>,
    Extension(caller): Extension<Caller>,
    uri: Uri,
) -> HandlerResult {
    reject_query(&uri)?;
    json(StatusCode::OK, &state.resources.facts(&caller))
}

pub(super) async fn status(
    State(state): State<Arc<ApiState>>,
    Extension(caller): Extension<Caller>,
    uri: Uri,
) -> HandlerResult {
    reject_query(&uri)?;
    caller.check_scope(Access::See, Scope::Shared)?;
    json(StatusCode::OK, &state.resources.status().await?)
}

pub(super) async fn traffic(
    State(state): State<Arc<ApiState>>,
    Extension(caller): Extension<Caller>,
    uri: Uri,
) -> HandlerResult {
    reject_query(&uri)?;
    caller.check_scope(Access::See, Scope::Shared)?;
    let (traffic, missing) = state.resources.traffic().await;
    let body = list_body("/traffic", "traffic", &traffic, None, state.resources.base_url())?;
    json(StatusCode::OK, &with_missing(body, &missing))
}

pub(super) async fn traffic_of(
    State(state): State<Arc<ApiState>>,
    Extension(caller): Extension<Caller>,
    Path(item): Path<ItemPath>,
    uri: Uri,
) -> HandlerResult {
    reject_query(&uri)?;
    caller.check_scope(Access::See, Scope::Shared)?;
    json(StatusCode::OK, &state.resources.traffic_of(&item.id).await?)
}

pub(super) async fn traffic_series(
    State(state): State<Arc<ApiState>>,
    Extension(caller): Extension<Caller>,
    Path(item): Path<ItemPath>,
    uri: Uri,
) -> HandlerResult {
    let range = range_query(&uri)?;
    caller.check_scope(Access::See, Scope::Shared)?;
    json(StatusCode::OK, &state.resources.traffic_series(&item.id, range).await?)
}

pub(super) async fn traffic_series_in_all(
    State(state): State<Arc<ApiState>>,
    Extension(caller): Extension<Caller>,
    uri: Uri,
) -> HandlerResult {
    let range = range_query(&uri)?;
    caller.check_scope(Access::See, Scope::Shared)?;
    json(StatusCode::OK, &state.resources.traffic_series_in_all(range).await)
}

pub(super) async fn command(
    command: SessionCommand,
    state: Arc<ApiState>,
    caller: Caller,
    item: ItemPath,
    request: Request,
) -> HandlerResult {
    reject_query(request.uri())?;
    let id = Id::parse(&item.id)?;
    let SessionCommandBody {} = body::read_optional(request).await?;
    state.resources.command(&caller, &id, command).await?;
    Ok(StatusCode::NO_CONTENT.into_response())
}

/// Names the nodes whose records are missing in a list.
fn with_missing(mut body: Map<String, Value>, missing: &[NodeName]) -> Map<String, Value> {
    if !missing.is_empty() {
        let name = |node: &NodeName| serde_json::json!({ "id": node.id, "name": node.name });
        body.insert("nodes_missing".to_owned(), missing.iter().map(name).collect());
    }
    body
}

/// A list that belongs to a record, in one page.
fn whole_list<R: Resource>(
    at: &RecordPath<R>,
    member: &str,
    records: &[impl Serialize],
    base_url: &str,
) -> HandlerResult {
    let path = format!("{}/{}/{member}", R::PATH, at.id);
    json(StatusCode::OK, &list_body(&path, member, records, None, base_url)?)
}

/// Body of a list. `next` is the query of the next page.
pub(super) fn list_body(
    path: &str,
    member: &str,
    records: &[impl Serialize],
    next: Option<String>,
    base_url: &str,
) -> Result<Map<String, Value>> {
    let uri = list_uri(base_url, path);
    let next = next.map(|query| format!("{uri}?{query}"));
    let records = records.iter().map(serde_json::to_value).collect::<Result<Vec<_>, _>>();
    let records = records.map_err(|error| {
        postern_api::Error::new(postern_api::Code::Internal, format!("The response could not be written: {error}."))
    })?;
    Ok(Map::from_iter([
        (member.to_owned(), Value::Array(records)),
        ("uri".to_owned(), uri.into()),
        ("next_page_uri".to_owned(), next.into()),
    ]))
}
