//! Replays of captured requests, changed or not, to the local service or through the edge.

use super::{ApiError, json};
use crate::{
    capture::{
        exchange::shown_id,
        replay_request::{ReplayChanges, ReplayHeaderChanges},
    },
    context::AgentContext,
    tunnels::{edge_client::EdgeClient, replay::ReplayRequest},
};
use axum::{
    body::Body,
    extract::State,
    http::{StatusCode, header},
    response::{IntoResponse, Response},
};
use base64::{Engine, engine::general_purpose::STANDARD};
use postern_api::{Code, Error};
use serde_json::{Map, Value as Json};
use std::sync::Arc;

/// The most bytes of a request, which may hold another body in Base64.
const MAX_BODY_BYTES: usize = 32 << 20;

/// 204; `Location` names the new captured request.
pub(crate) async fn replay(State(context): State<Arc<AgentContext>>, body: Body) -> Result<Response, ApiError> {
    let mut body = json::object_within(body, MAX_BODY_BYTES).await?;
    let Some(id) = json::take_text(&mut body, "id")? else {
        return Err(Error::new(Code::FieldMissing, "`id` is missing: name the captured request to replay.").into());
    };
    let tunnel = json::take_text(&mut body, "tunnel_name")?.filter(|name| !name.is_empty());
    let through = json::take_text(&mut body, "through")?;
    let edge = match through.as_deref() {
        None | Some("local") => None,
        Some("edge") => Some(EdgeClient::new(&context.config().settings)),
        Some(_) => return Err(invalid("`through` must be `local` (the default) or `edge`.")),
    };
    let changes = changes(&mut body)?;
    json::reject_unknown(&body)?;
    let replay = ReplayRequest { id: &id, tunnel: tunnel.as_deref(), changes: &changes, edge: edge.as_ref() };
    let made = context.tunnels.replay(replay).await?;
    Ok(match made {
        Some(id) => {
            let location = format!("/api/requests/http/{}", shown_id(id));
            (StatusCode::NO_CONTENT, [(header::LOCATION, location)]).into_response()
        }
        None => StatusCode::NO_CONTENT.into_response(),
    })
}

fn changes(body: &mut Map<String, Json>) -> Result<ReplayChanges, ApiError> {
    let method = json::take_text(body, "method")?;
    let path = json::take_text(body, "path")?;
    let headers = headers(body.shift_remove("headers"))?;
    let text = json::take_text(body, "body")?.map(String::into_bytes);
    let coded = match json::take_text(body, "body_base64")? {
        Some(coded) => Some(STANDARD.decode(coded).map_err(|_| invalid("`body_base64` is not valid base64."))?),
        None => None,
    };
    if text.is_some() && coded.is_some() {
        return Err(invalid("Give `body` or `body_base64`, not both."));
    }
    Ok(ReplayChanges { method, path, headers, body: text.or(coded) })
}

/// An object changes the headers it names (text, a list of texts, or null to leave one out); a list of
/// `[name, value]` replaces all of them.
fn headers(written: Option<Json>) -> Result<ReplayHeaderChanges, ApiError> {
    let wrong = || {
        invalid(
            "`headers` must be an object of names with a text, a list of texts or null, or a list of [name, value] pairs.",
        )
    };
    match written {
        None | Some(Json::Null) => Ok(ReplayHeaderChanges::Unchanged),
        Some(Json::Object(named)) => {
            let values = |value: Json| match value {
                Json::Null => Ok(Vec::new()),
                Json::String(text) => Ok(vec![text]),
                Json::Array(items) => items.into_iter().map(|item| text(item).ok_or_else(wrong)).collect(),
                _ => Err(wrong()),
            };
            let pairs = named.into_iter().map(|(name, value)| Ok((name, values(value)?)));
            pairs.collect::<Result<_, ApiError>>().map(ReplayHeaderChanges::Named)
        }
        Some(Json::Array(items)) => {
            let pair = |item: Json| match item {
                Json::Array(parts) => {
                    let parts: Option<Vec<String>> = parts.into_iter().map(text).collect();
                    let [name, value]: [String; 2] = parts.and_then(|parts| parts.try_into().ok()).ok_or_else(wrong)?;
                    Ok((name, value))
                }
                _ => Err(wrong()),
            };
            items.into_iter().map(pair).collect::<Result<_, ApiError>>().map(ReplayHeaderChanges::Replaced)
        }
        Some(_) => Err(wrong()),
    }
}

fn text(value: Json) -> Option<String> {
    match value {
        Json::String(text) => Some(text),
        _ => None,
    }
}

fn invalid(message: &str) -> ApiError {
    Error::new(Code::FieldInvalid, message).into()
}
