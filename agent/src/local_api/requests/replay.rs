//! Sending a captured request again, changed or not, straight to the local service or through the edge.

use super::{ApiError, wire};
use crate::{
    capture::{
        exchange::shown_id,
        replay::{Changes, Headers},
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

/// A replay may bring a body along.
const LARGEST: usize = 32 << 20;

/// 204 as the contract says; `Location` names the new captured request.
pub(crate) async fn replay(State(context): State<Arc<AgentContext>>, body: Body) -> Result<Response, ApiError> {
    let mut body = wire::object_within(body, LARGEST).await?;
    let Some(id) = wire::text(&mut body, "id")? else {
        return Err(Error::new(Code::FieldMissing, "`id` is missing: name the captured request to replay.").into());
    };
    let tunnel = wire::text(&mut body, "tunnel_name")?.filter(|name| !name.is_empty());
    let through = wire::text(&mut body, "through")?;
    let edge = match through.as_deref() {
        None | Some("local") => None,
        Some("edge") => Some(EdgeClient::new(&context.config().settings)),
        Some(_) => return Err(invalid("`through` must be `local` (the default) or `edge`.")),
    };
    let changes = changes(&mut body)?;
    wire::nothing_else(&body)?;
    let again = ReplayRequest { id: &id, tunnel: tunnel.as_deref(), changes: &changes, edge: edge.as_ref() };
    let made = context.tunnels.replay(again).await?;
    Ok(match made {
        Some(id) => {
            let place = format!("/api/requests/http/{}", shown_id(id));
            (StatusCode::NO_CONTENT, [(header::LOCATION, place)]).into_response()
        }
        None => StatusCode::NO_CONTENT.into_response(),
    })
}

fn changes(body: &mut Map<String, Json>) -> Result<Changes, ApiError> {
    let method = wire::text(body, "method")?;
    let path = wire::text(body, "path")?;
    let headers = headers(body.shift_remove("headers"))?;
    let text = wire::text(body, "body")?.map(String::into_bytes);
    let coded = match wire::text(body, "body_base64")? {
        Some(coded) => Some(STANDARD.decode(coded).map_err(|_| invalid("`body_base64` is not valid base64."))?),
        None => None,
    };
    if text.is_some() && coded.is_some() {
        return Err(invalid("Give `body` or `body_base64`, not both."));
    }
    Ok(Changes { method, path, headers, body: text.or(coded) })
}

/// An object changes the headers it names (text, a list of texts, or null to leave one out); a list of
/// `[name, value]` replaces all of them.
fn headers(written: Option<Json>) -> Result<Headers, ApiError> {
    let wrong = || {
        invalid(
            "`headers` must be an object of names with a text, a list of texts or null, or a list of [name, value] pairs.",
        )
    };
    match written {
        None | Some(Json::Null) => Ok(Headers::Same),
        Some(Json::Object(named)) => {
            let values = |value: Json| match value {
                Json::Null => Ok(Vec::new()),
                Json::String(text) => Ok(vec![text]),
                Json::Array(items) => items.into_iter().map(|item| text(item).ok_or_else(wrong)).collect(),
                _ => Err(wrong()),
            };
            let pairs = named.into_iter().map(|(name, value)| Ok((name, values(value)?)));
            pairs.collect::<Result<_, ApiError>>().map(Headers::Some)
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
            items.into_iter().map(pair).collect::<Result<_, ApiError>>().map(Headers::All)
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
