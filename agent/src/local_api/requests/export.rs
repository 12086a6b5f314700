//! Captured requests for other programs: as a command for `curl`, as HAR files, and HAR files back again.

use super::{ApiError, captured, json, query, search};
use crate::{
    capture::export::{Secrets, curl, har},
    context::AgentContext,
};
use axum::{
    body::{Body, Bytes, to_bytes},
    extract::{Path, RawQuery, State},
    http::{StatusCode, header},
    response::{IntoResponse, Response},
};
use postern_api::{
    Code, Error,
    local::{CurlCommand, HarImport, ReplayPath},
};
use std::{convert::Infallible, sync::Arc};

/// The most bytes of an imported file.
const MAX_FILE_BYTES: usize = 64 << 20;

pub(crate) async fn as_curl(
    State(context): State<Arc<AgentContext>>,
    Path(id): Path<String>,
    RawQuery(query): RawQuery,
) -> Result<Response, ApiError> {
    let mut through = ReplayPath::Edge;
    let mut shown = false;
    for (name, value) in url::form_urlencoded::parse(query.as_deref().unwrap_or_default().as_bytes()) {
        match (name.as_ref(), value.as_ref()) {
            ("through", "edge") => through = ReplayPath::Edge,
            ("through", "local") => through = ReplayPath::Local,
            ("through", _) => return Err(invalid("`through` must be `edge` or `local`.")),
            ("secrets", value) => shown = secrets(value)?,
            _ => return Err(unknown(&name)),
        }
    }
    let exchange = captured(&context, &id)?;
    let base = context.tunnels.base_of(&exchange, through == ReplayPath::Local)?;
    let rules = context.store.rules();
    let secrets = if shown { Secrets::Shown } else { Secrets::Hidden(context.store.redactor(), &rules) };
    let command = curl::command(&exchange, &base, secrets)?;
    let secrets = if shown { "show" } else { "hide" };
    Ok(json::ok(&CurlCommand { command, through, secrets: secrets.into() }))
}

pub(crate) async fn as_har(
    State(context): State<Arc<AgentContext>>,
    RawQuery(query): RawQuery,
) -> Result<Response, ApiError> {
    let (selection, others) = query::parse_with(query.as_deref().unwrap_or_default(), &["secrets"])?;
    let shown = match others.first() {
        Some((_, value)) => secrets(value)?,
        None => false,
    };
    let mut page = search(&context, selection).await?;
    // Files are in the order of time.
    page.found.reverse();
    let rules = context.store.rules();
    let entries = page.found.into_iter().enumerate().map(move |(index, exchange)| {
        let comma = if index > 0 { "," } else { "" };
        let secrets = if shown { Secrets::Shown } else { Secrets::Hidden(context.store.redactor(), &rules) };
        format!("{comma}{}", har::entry(&exchange, secrets))
    });
    let pieces = [har::header()].into_iter().chain(entries).chain([har::footer().to_owned()]);
    let stream = futures::stream::iter(pieces.map(|piece| Ok::<_, Infallible>(Bytes::from(piece))));
    let headers = [
        (header::CONTENT_TYPE, "application/json"),
        (header::CONTENT_DISPOSITION, "attachment; filename=\"postern.har\""),
    ];
    Ok((headers, Body::from_stream(stream)).into_response())
}

pub(crate) async fn import(State(context): State<Arc<AgentContext>>, body: Body) -> Result<Response, ApiError> {
    let file = to_bytes(body, MAX_FILE_BYTES).await.map_err(|_| {
        let message = format!("The file could not be read, or it is larger than {} MiB.", MAX_FILE_BYTES >> 20);
        Error::new(Code::BodyTooLarge, message)
    })?;
    let reading = tokio::task::spawn_blocking(move || har::import(&context.store, &file));
    let imported = reading.await.map_err(|_| Error::new(Code::Internal, "The import was interrupted."))??;
    Ok(json::response(StatusCode::CREATED, &HarImport { imported: imported as u64 }))
}

fn secrets(value: &str) -> Result<bool, ApiError> {
    match value {
        "show" => Ok(true),
        "hide" => Ok(false),
        _ => Err(invalid("`secrets` must be `hide` (the default) or `show`.")),
    }
}

fn invalid(message: &str) -> ApiError {
    Error::new(Code::QueryInvalid, message).into()
}

fn unknown(name: &str) -> ApiError {
    let shown: String = name.chars().take(40).collect();
    Error::new(Code::QueryUnknown, format!("There is no parameter `{shown}` here.")).into()
}
