//! The handlers: from a request to an operation and back, for any kind and any module.

use super::{
    Shared,
    answer::{Refusal, json, written},
    body, query,
};
use crate::{
    resources::{Address, Caller, HostRules, ModuleRules, Part, Rules, parent_of},
    views::{Ending, Seen},
};
use axum::{
    Extension,
    extract::{Path, Request, State},
    response::{IntoResponse, Response},
};
use http::{StatusCode, Uri};
use postern_api::{
    Id, Result,
    resource::{Resource, SessionCommand, SessionCommandBody, list_uri},
};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::sync::Arc;

type Answer = Result<Response, Refusal>;

/// The parameters of a collection's path.
#[derive(Deserialize)]
pub(super) struct Collection {
    edge_id: Option<String>,
}

/// The parameters of an item's path.
#[derive(Deserialize)]
pub(super) struct Item {
    edge_id: Option<String>,
    id: String,
}

impl Item {
    fn address<R: Resource>(&self) -> Result<Address<R>> {
        Address::parse(self.edge_id.as_deref(), &self.id)
    }
}

pub(super) async fn create<R: Rules>(
    State(shared): State<Arc<Shared>>,
    Extension(caller): Extension<Caller>,
    Path(collection): Path<Collection>,
    request: Request,
) -> Answer {
    query::none(request.uri())?;
    caller.may_touch::<R>()?;
    let parent = parent_of::<R>(collection.edge_id.as_deref())?;
    let body: R::Create = body::read(request).await?;
    json(StatusCode::CREATED, &shared.resources.create::<R>(&caller, parent.as_ref(), body).await?)
}

pub(super) async fn list<R: Rules>(
    State(shared): State<Arc<Shared>>,
    Extension(caller): Extension<Caller>,
    uri: Uri,
) -> Answer {
    let paging = query::searching::<R>(&uri)?;
    let page = shared.resources.list::<R>(&caller, paging.before.as_ref(), paging.limit, &paging.search).await?;
    let next = page.before.map(|before| query::next(&before.any(), paging.limit, &paging.search));
    json(StatusCode::OK, &shown(R::PATH, R::LIST, &page.records, next, shared.resources.base_url())?)
}

pub(super) async fn read<R: Rules>(
    State(shared): State<Arc<Shared>>,
    Extension(caller): Extension<Caller>,
    Path(item): Path<Item>,
    uri: Uri,
) -> Answer {
    query::none(&uri)?;
    Ok(written(StatusCode::OK, shared.resources.answer::<R>(&caller, &item.address()?, uri.path()).await?))
}

pub(super) async fn update<R: Rules>(
    State(shared): State<Arc<Shared>>,
    Extension(caller): Extension<Caller>,
    Path(item): Path<Item>,
    request: Request,
) -> Answer {
    query::none(request.uri())?;
    caller.may_touch::<R>()?;
    let at = item.address::<R>()?;
    let body: R::Update = body::read(request).await?;
    json(StatusCode::OK, &shared.resources.update::<R>(&caller, &at, body).await?)
}

pub(super) async fn delete<R: Rules>(
    State(shared): State<Arc<Shared>>,
    Extension(caller): Extension<Caller>,
    Path(item): Path<Item>,
    uri: Uri,
) -> Answer {
    query::none(&uri)?;
    shared.resources.delete::<R>(&caller, &item.address()?).await?;
    Ok(StatusCode::NO_CONTENT.into_response())
}

pub(super) async fn put_module<O: HostRules<M>, M: ModuleRules>(
    State(shared): State<Arc<Shared>>,
    Extension(caller): Extension<Caller>,
    Path(item): Path<Item>,
    request: Request,
) -> Answer {
    query::none(request.uri())?;
    let at = item.address::<O>()?;
    let module: M = body::read_module(request).await?;
    json(StatusCode::OK, &shared.resources.put_module::<O, M>(&caller, &at, module).await?)
}

pub(super) async fn get_module<O: HostRules<M>, M: ModuleRules>(
    State(shared): State<Arc<Shared>>,
    Extension(caller): Extension<Caller>,
    Path(item): Path<Item>,
    uri: Uri,
) -> Answer {
    query::none(&uri)?;
    json(StatusCode::OK, &shared.resources.get_module::<O, M>(&caller, &item.address()?).await?)
}

pub(super) async fn delete_module<O: HostRules<M>, M: ModuleRules>(
    State(shared): State<Arc<Shared>>,
    Extension(caller): Extension<Caller>,
    Path(item): Path<Item>,
    uri: Uri,
) -> Answer {
    query::none(&uri)?;
    shared.resources.delete_module::<O, M>(&caller, &item.address()?).await?;
    Ok(StatusCode::NO_CONTENT.into_response())
}

pub(super) async fn delete_part<P: Part>(
    State(shared): State<Arc<Shared>>,
    Extension(caller): Extension<Caller>,
    Path(item): Path<Item>,
    uri: Uri,
) -> Answer {
    query::none(&uri)?;
    shared.resources.remove_part::<P>(&caller, &item.address()?).await?;
    Ok(StatusCode::NO_CONTENT.into_response())
}

pub(super) async fn look<V: Seen>(
    State(shared): State<Arc<Shared>>,
    Extension(caller): Extension<Caller>,
    uri: Uri,
) -> Answer {
    let paging = query::paging::<V>(&uri)?;
    let page = shared.resources.look::<V>(&caller, paging.before.as_ref(), paging.limit).await?;
    let next = page.before.map(|before| query::next(&before.any(), paging.limit, &paging.search));
    json(StatusCode::OK, &shown(V::PATH, V::LIST, &page.records, next, shared.resources.base_url())?)
}

pub(super) async fn look_at<V: Seen>(
    State(shared): State<Arc<Shared>>,
    Extension(caller): Extension<Caller>,
    Path(item): Path<Item>,
    uri: Uri,
) -> Answer {
    query::none(&uri)?;
    json(StatusCode::OK, &shared.resources.look_at::<V>(&caller, &Id::parse(&item.id)?).await?)
}

pub(super) async fn end<V: Ending>(
    State(shared): State<Arc<Shared>>,
    Extension(caller): Extension<Caller>,
    Path(item): Path<Item>,
    uri: Uri,
) -> Answer {
    query::none(&uri)?;
    shared.resources.end::<V>(&caller, &Id::parse(&item.id)?).await?;
    Ok(StatusCode::NO_CONTENT.into_response())
}

pub(super) async fn decisions<R: Rules>(
    State(shared): State<Arc<Shared>>,
    Extension(caller): Extension<Caller>,
    Path(item): Path<Item>,
    uri: Uri,
) -> Answer {
    query::none(&uri)?;
    let at = item.address::<R>()?;
    let refused = shared.resources.refused::<R>(&caller, &at).await?;
    let path = format!("{}/{}/decisions", R::PATH, at.id);
    json(StatusCode::OK, &shown(&path, "decisions", &refused, None, shared.resources.base_url())?)
}

pub(super) async fn dependents<R: Rules>(
    State(shared): State<Arc<Shared>>,
    Extension(caller): Extension<Caller>,
    Path(item): Path<Item>,
    uri: Uri,
) -> Answer {
    query::none(&uri)?;
    let at = item.address::<R>()?;
    let dependents = shared.resources.dependents::<R>(&caller, &at).await?;
    let path = format!("{}/{}/dependents", R::PATH, at.id);
    json(StatusCode::OK, &shown(&path, "dependents", &dependents, None, shared.resources.base_url())?)
}

pub(super) async fn facts(State(shared): State<Arc<Shared>>, uri: Uri) -> Answer {
    query::none(&uri)?;
    json(StatusCode::OK, &shared.resources.facts())
}

pub(super) async fn status(State(shared): State<Arc<Shared>>, uri: Uri) -> Answer {
    query::none(&uri)?;
    json(StatusCode::OK, &shared.resources.status().await?)
}

pub(super) async fn traffic(State(shared): State<Arc<Shared>>, uri: Uri) -> Answer {
    query::none(&uri)?;
    json(StatusCode::OK, &shown("/traffic", "traffic", &shared.resources.traffic(), None, shared.resources.base_url())?)
}

pub(super) async fn traffic_of(State(shared): State<Arc<Shared>>, Path(item): Path<Item>, uri: Uri) -> Answer {
    query::none(&uri)?;
    json(StatusCode::OK, &shared.resources.traffic_of(&item.id)?)
}

pub(super) async fn command(
    command: SessionCommand,
    shared: Arc<Shared>,
    caller: Caller,
    item: Item,
    request: Request,
) -> Answer {
    query::none(request.uri())?;
    let id = Id::parse(&item.id)?;
    let SessionCommandBody {} = body::read_if_any(request).await?;
    shared.resources.command(&caller, &id, command).await?;
    Ok(StatusCode::NO_CONTENT.into_response())
}

/// The body of a list. `next` is the query of the next page.
fn shown(
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
        postern_api::Error::new(postern_api::Code::Internal, format!("The answer could not be written: {error}."))
    })?;
    Ok(Map::from_iter([
        (member.to_owned(), Value::Array(records)),
        ("uri".to_owned(), uri.into()),
        ("next_page_uri".to_owned(), next.into()),
    ]))
}
