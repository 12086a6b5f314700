//! Handlers of console sessions: sign-in with the API key of the call, who is signed in, sign-out here and everywhere.

use super::{ApiState, handlers::HandlerResult, query::reject_query, response::json, same_origin, session_cookie};
use crate::resources::Caller;
use axum::{
    Extension,
    extract::{Request, State},
    response::{IntoResponse, Response},
};
use http::{HeaderValue, StatusCode, header, request::Parts};
use postern_api::{Code, Error, resource::ConsoleSession};
use std::sync::Arc;

/// Session that a call is made in.
type OfCall = Extension<Option<ConsoleSession>>;

pub(super) async fn sign_in(
    State(state): State<Arc<ApiState>>,
    Extension(caller): Extension<Caller>,
    Extension(session): OfCall,
    request: Request,
) -> HandlerResult {
    let (parts, _) = request.into_parts();
    reject_query(&parts.uri)?;
    if session.is_some() {
        let sentence = "A session begins with an API key, not with another session: `Authorization: Bearer <API_KEY>`.";
        return Err(Error::new(Code::KeyMissing, sentence).into());
    }
    same_origin::check_origin(&parts)?;
    let (resources, secure) = (&state.resources, session_cookie::is_secure(&parts));
    let (token, session) = resources.sign_in(&caller, secure).await?;
    let cookie = session_cookie::set(&parts, secure, &token, resources.settings.console_sessions.lifetime);
    Ok(with_cookies(json(StatusCode::CREATED, &session)?, cookie))
}

pub(super) async fn read_current(Extension(session): OfCall, request: Request) -> HandlerResult {
    reject_query(request.uri())?;
    json(StatusCode::OK, &session.ok_or_else(no_session)?)
}

pub(super) async fn sign_out(
    State(state): State<Arc<ApiState>>,
    Extension(caller): Extension<Caller>,
    Extension(session): OfCall,
    request: Request,
) -> HandlerResult {
    reject_query(request.uri())?;
    let session = session.ok_or_else(no_session)?;
    state.resources.sign_out(&caller, &session.id).await?;
    Ok(signed_out(&request.into_parts().0))
}

pub(super) async fn sign_out_everywhere(
    State(state): State<Arc<ApiState>>,
    Extension(caller): Extension<Caller>,
    request: Request,
) -> HandlerResult {
    reject_query(request.uri())?;
    state.resources.sign_out_everywhere(&caller).await?;
    Ok(signed_out(&request.into_parts().0))
}

/// A response without a body that removes the cookies of the request.
fn signed_out(parts: &Parts) -> Response {
    let cookie = session_cookie::find(parts).and_then(|cookie| session_cookie::removed(parts, cookie.secure));
    with_cookies(StatusCode::NO_CONTENT.into_response(), cookie)
}

fn with_cookies(mut response: Response, cookies: impl IntoIterator<Item = HeaderValue>) -> Response {
    for cookie in cookies {
        response.headers_mut().append(header::SET_COOKIE, cookie);
    }
    response
}

fn no_session() -> Error {
    Error::new(Code::NotFound, "This call is not made in a session of the console, but with an API key.")
}
