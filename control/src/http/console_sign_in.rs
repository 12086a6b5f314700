//! Sign-in to the console by an OpenID provider: what the sign-in page offers, the redirect to the provider, and the way back.
//! None of these paths needs a key.

use super::{
    ApiCaller, ApiState,
    response::json,
    session_cookie,
    sign_in_attempt::{self, Place, SignInAttempt},
    sign_in_page,
};
use crate::{
    console_provider::{BEGIN_PATH, CALLBACK_PATH, ConsoleProvider},
    resources::audit::{CallOrigin, refusals::RefusedCall},
};
use axum::{
    Router,
    extract::{ConnectInfo, Request, State},
    response::{IntoResponse, Response},
    routing::{MethodRouter, get},
};
use http::{HeaderValue, StatusCode, header, request::Parts};
use postern_api::{Code, Error, Result, id::ksuid};
use postern_logins::OpenIdResponse;
use serde_json::json;
use std::{net::SocketAddr, sync::Arc};

/// Path that says how people can sign in.
const OFFER_PATH: &str = "/console_sign_in";

/// The routes, which need no key.
pub(super) fn routes(state: &Arc<ApiState>) -> Router {
    let only = |handler: MethodRouter<Arc<ApiState>>| handler.fallback(method_not_allowed);
    Router::new()
        .route(OFFER_PATH, only(get(offer)))
        .route(BEGIN_PATH, only(get(begin)))
        .route(CALLBACK_PATH, only(get(finish)))
        .with_state(state.clone())
}

/// The provider, for the sign-in page.
async fn offer(State(state): State<Arc<ApiState>>, request: Request) -> Response {
    let (parts, _) = request.into_parts();
    if let Err(error) = admit(&state, &parts) {
        return refusal(&error);
    }
    let provider = state.resources.console_provider();
    let provider = provider.map(|provider| json!({ "name": provider.name(), "url": provider.begin_url() }));
    let response = json(StatusCode::OK, &json!({ "oidc": provider })).unwrap_or_else(IntoResponse::into_response);
    sign_in_page::private(response)
}

/// Sends a browser to the provider.
async fn begin(State(state): State<Arc<ApiState>>, request: Request) -> Response {
    let (parts, _) = request.into_parts();
    match try_begin(&state, &parts).await {
        Ok(response) => response,
        Err(error) => failure(&state, &parts, error),
    }
}

async fn try_begin(state: &ApiState, parts: &Parts) -> Result<Response> {
    admit(state, parts)?;
    let provider = provider_of(state)?;
    let (url, attempt) = provider.provider.begin(&provider.redirect_uri()).await?;
    let query = url::form_urlencoded::parse(parts.uri.query().unwrap_or_default().as_bytes());
    let place = query.filter(|(name, _)| name == "place").map(|(_, place)| Place::from_query(&place)).next();
    let attempt = SignInAttempt {
        attempt,
        place: place.unwrap_or_else(|| Place::from_query("/")),
        issuer: provider.settings.client.issuer.clone(),
        begun_at: postern_api::clock::now().as_second(),
    };
    let cookie = attempt.cookie(&state.resources.codec, parts, provider.is_secure())?;
    Ok(with_cookie(sign_in_page::redirect(url.as_str()), cookie))
}

/// Verifies what a browser brings back from the provider, and begins its session.
async fn finish(State(state): State<Arc<ApiState>>, request: Request) -> Response {
    let (parts, _) = request.into_parts();
    match try_finish(&state, &parts).await {
        Ok(response) => response,
        Err(Failed { error, is_over }) => {
            let removed = state.resources.console_provider().filter(|_| is_over);
            let removed = removed.and_then(|provider| sign_in_attempt::removed(&parts, provider.is_secure()).ok());
            let response = failure(&state, &parts, error);
            match removed {
                Some(cookie) => with_cookie(response, cookie),
                None => response,
            }
        }
    }
}

/// Why a sign-in was not finished.
struct Failed {
    error: Error,
    /// The attempt of this browser is over. A response that belongs to another one does not end it.
    is_over: bool,
}

impl From<Error> for Failed {
    fn from(error: Error) -> Self {
        Failed { error, is_over: false }
    }
}

async fn try_finish(state: &ApiState, parts: &Parts) -> Result<Response, Failed> {
    admit(state, parts)?;
    let provider = provider_of(state)?;
    let response = OpenIdResponse::from_query(parts.uri.query().unwrap_or_default());
    let (codec, now) = (&state.resources.codec, postern_api::clock::now().as_second());
    let attempt = SignInAttempt::of_browser(codec, parts, provider.is_secure(), now)?;
    if attempt.issuer != provider.settings.client.issuer || !attempt.attempt.is_answered_by(&response) {
        let message = "The response of the provider belongs to another sign-in than the one that this browser has begun. Begin \
                       it again.";
        return Err(Error::new(Code::LoginForeign, message).into());
    }
    let permit = provider.admit()?;
    provider.finish_once(attempt.attempt.state())?;
    let over = |error| Failed { error, is_over: true };
    let redirect_uri = provider.redirect_uri();
    let person = provider.provider.finish(&attempt.attempt, &response, &redirect_uri).await.map_err(over)?;
    drop(permit);
    let resources = &state.resources;
    let (token, session) = resources.sign_in_person(&provider, &person, &origin(parts)).await.map_err(over)?;
    tracing::info!(session = %session.id, user = %session.owner_id, "a user signed in to the console by the OpenID provider");
    let secure = provider.is_secure();
    let lifetime = resources.settings.console_sessions.lifetime;
    let cookie = session_cookie::set(parts, secure, &token, lifetime).ok_or_else(|| Error::from(Code::Internal))?;
    let response = sign_in_page::redirect(&provider.console_url(attempt.place.as_str()));
    Ok(with_cookie(with_cookie(response, cookie), sign_in_attempt::removed(parts, secure)?))
}

fn provider_of(state: &ApiState) -> Result<Arc<ConsoleProvider>> {
    state.resources.console_provider().ok_or_else(|| {
        Error::new(
            Code::LoginAddressUnknown,
            "This server has no OpenID provider for the console. Sign in with an API key, or let the operator set \
             `--console-oidc-issuer`.",
        )
    })
}

/// Checks that the address of the browser may use the API and the console.
fn admit(state: &ApiState, parts: &Parts) -> Result<()> {
    let Some(admission) = &state.admission else { return Ok(()) };
    let unknown = ApiCaller { key: String::new(), owner: String::new(), admin: false, console: true };
    admission(parts, &unknown)
}

/// The page about a failure, which is counted as a refusal of the API is.
fn failure(state: &ApiState, parts: &Parts, error: Error) -> Response {
    let resources = &state.resources;
    let (code, method, path) = (error.code, parts.method.as_str(), parts.uri.path());
    tracing::info!(%code, path, "a sign-in to the console by the OpenID provider failed");
    if matches!(error.status(), 401 | 403) && resources.settings.audited.refusals {
        resources.refusals.count(RefusedCall { caller: None, origin: origin(parts), code, method, path });
    }
    let console = match resources.console_provider() {
        Some(provider) => format!("{}/console/", provider.settings.address),
        None => "/console/".to_owned(),
    };
    sign_in_page::failed(&error, &console)
}

fn origin(parts: &Parts) -> CallOrigin {
    let address = parts.extensions.get::<ConnectInfo<SocketAddr>>().map(|ConnectInfo(peer)| peer.ip());
    let operation_id = format!("op_{}", ksuid(postern_api::clock::now().as_second(), rand::random()));
    CallOrigin { address, operation_id }
}

async fn method_not_allowed() -> Response {
    refusal(&Code::MethodNotAllowed.into())
}

fn refusal(error: &Error) -> Response {
    let status = StatusCode::from_u16(error.status()).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    sign_in_page::private(json(status, &error.body()).unwrap_or_else(IntoResponse::into_response))
}

fn with_cookie(mut response: Response, cookie: HeaderValue) -> Response {
    response.headers_mut().append(header::SET_COOKIE, cookie);
    response
}
