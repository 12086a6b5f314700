//! The agent's local API and the inspector page, on a loopback address, without a login.
//!
//! Because there is no login, [`guard`] stands in front of every path.

mod configuration;
mod configured;
mod diagnosis;
mod endpoints;
mod error;
mod events;
mod guard;
mod pages;
mod ports;
mod requests;
mod status;
mod tunnels;
mod wire;

pub use error::ApiError;

use crate::{config::settings::WebAddress, context::AgentContext};
use axum::{
    Router,
    extract::Request,
    http::{HeaderValue, StatusCode, header},
    middleware::{self, Next},
    response::{IntoResponse, Response},
    routing::{get, post, put},
    serve::ListenerExt,
};
use postern_api::{Code, Error};
use serde_json::json;
use std::{net::SocketAddr, sync::Arc};
use tokio::net::TcpListener;

/// The usual port, and the ports tried after it. 4041 belongs to the server's management API.
const PORTS: [u16; 12] = [4040, 4042, 4043, 4044, 4045, 4046, 4047, 4048, 4049, 4050, 4051, 4052];

/// Listens where the configuration says; `None` if it says nowhere.
///
/// # Errors
/// `ListenFailed` with the address, the reason and a fix.
pub async fn listen(web: &WebAddress) -> Result<Option<(TcpListener, SocketAddr)>, Error> {
    let refuse = |what: &str, error: &std::io::Error| {
        let why = match error.kind() {
            std::io::ErrorKind::AddrInUse => "another program (another agent?) listens there".to_owned(),
            _ => error.to_string(),
        };
        Error::new(
            Code::ListenFailed,
            format!(
                "The local API cannot listen on {what}: {why}. Choose another address with web_addr or --web-addr, or `false` for none."
            ),
        )
    };
    let mut last = std::io::Error::from(std::io::ErrorKind::AddrInUse);
    match web {
        WebAddress::Off => return Ok(None),
        WebAddress::At(address) => match TcpListener::bind((address.host.as_str(), address.port)).await {
            Ok(listener) => return bound(listener).map(Some),
            Err(error) => return Err(refuse(&address.to_string(), &error)),
        },
        WebAddress::Usual => {
            for port in PORTS {
                match TcpListener::bind(("127.0.0.1", port)).await {
                    Ok(listener) => return bound(listener).map(Some),
                    Err(error) => last = error,
                }
            }
        }
    }
    Err(refuse(&format!("127.0.0.1, ports {} to {}", PORTS[0], PORTS[PORTS.len() - 1]), &last))
}

fn bound(listener: TcpListener) -> Result<(TcpListener, SocketAddr), Error> {
    let address = listener.local_addr().map_err(|error| Error::new(Code::ListenFailed, error.to_string()))?;
    Ok((listener, address))
}

/// Answers requests until the agent stops.
pub async fn serve(listener: TcpListener, context: Arc<AgentContext>) {
    let stop = context.stop.clone();
    // Lists go out piece by piece: none waits until the one before is confirmed.
    let listener = listener.tap_io(|stream| {
        let _ = stream.set_nodelay(true);
    });
    let served = axum::serve(listener, router(context)).with_graceful_shutdown(stop.cancelled_owned()).await;
    if let Err(error) = served {
        tracing::error!(%error, "the local API has ended");
    }
}

/// Everything the agent answers, guards included.
pub fn router(context: Arc<AgentContext>) -> Router {
    Router::new()
        .route("/api", get(root))
        .route("/api/", get(root))
        .route("/api/status", get(status::show))
        .route("/api/events", get(events::follow))
        .route("/api/tunnels", get(tunnels::list).post(tunnels::start))
        .route("/api/tunnels/{name}", get(tunnels::detail).delete(tunnels::stop))
        .route("/api/endpoints", get(endpoints::list).post(endpoints::start))
        .route("/api/endpoints/{name}", get(endpoints::detail).put(endpoints::replace).delete(endpoints::stop))
        .route("/api/requests/http", get(requests::list).post(requests::replay::replay).delete(requests::clear))
        .route("/api/requests/http/summaries", get(requests::summaries))
        .route(
            "/api/requests/http/{id}",
            get(requests::detail).patch(requests::marks::mark).delete(requests::marks::delete),
        )
        .route("/api/requests/http/{id}/request/body", get(requests::body::request))
        .route("/api/requests/http/{id}/response/body", get(requests::body::response))
        .route("/api/requests/http/{id}/frames", get(requests::frames::list))
        .route("/api/requests/http/{id}/curl", get(requests::export::as_curl))
        .route("/api/requests/har", get(requests::export::as_har).post(requests::export::import))
        .route("/api/configured", get(configured::list))
        .route("/api/configured/{name}", put(configured::save).delete(configured::remove))
        .route("/api/configured/{name}/start", post(configured::start))
        .route("/api/configured/{name}/stop", post(configured::stop))
        .route("/api/configured/{name}/sample", post(configured::sample))
        .route("/api/configuration", get(configuration::show).put(configuration::save))
        .route("/api/configuration/check", post(configuration::check))
        .route("/api/diagnosis", post(diagnosis::run))
        .route("/api/ports", get(ports::list))
        .route("/api/ports/{port}", get(ports::detail))
        .fallback(pages::show)
        .method_not_allowed_fallback(wrong_method)
        .layer(middleware::from_fn(headers))
        .layer(middleware::from_fn_with_state(context.clone(), guard::stand))
        .with_state(context)
}

async fn root() -> Response {
    wire::ok(&json!({
        "uri": "/api/",
        "tunnels_uri": "/api/tunnels",
        "endpoints_uri": "/api/endpoints",
        "requests_uri": "/api/requests/http",
        "summaries_uri": "/api/requests/http/summaries",
        "har_uri": "/api/requests/har",
        "configured_uri": "/api/configured",
        "configuration_uri": "/api/configuration",
        "ports_uri": "/api/ports",
        "status_uri": "/api/status",
        "events_uri": "/api/events",
    }))
}

async fn wrong_method() -> ApiError {
    Error::from(Code::MethodNotAllowed).into()
}

/// Headers of every answer: nothing is guessed, framed, leaked or kept.
async fn headers(request: Request, next: Next) -> Response {
    let api = request.uri().path().starts_with("/api");
    let mut response = next.run(request).await;
    harden(&mut response, api);
    response
}

/// Adds them.
fn harden(response: &mut Response, api: bool) {
    postern_pages::harden(response.headers_mut());
    if api {
        response.headers_mut().entry(header::CACHE_CONTROL).or_insert(HeaderValue::from_static("no-store"));
    }
}

/// An empty success.
fn no_content() -> Response {
    StatusCode::NO_CONTENT.into_response()
}
