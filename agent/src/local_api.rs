//! The agent's local API and the inspector page, on a loopback address, without a login.
//!
//! Because there is no login, [`guard`] checks every request first.

mod configuration;
mod configured;
mod diagnosis;
mod endpoints;
mod error;
mod events;
mod guard;
mod json;
mod openapi;
mod pages;
mod ports;
mod requests;
mod routes;
mod status;
mod tunnels;

pub use error::ApiError;
pub use routes::description;

use crate::{config::settings::WebAddress, context::AgentContext};
use axum::{
    Router,
    extract::Request,
    http::{HeaderValue, StatusCode, header},
    middleware::{self, Next},
    response::{IntoResponse, Response},
    routing::get,
    serve::ListenerExt,
};
use postern_api::{Code, Error};
use std::{net::SocketAddr, sync::Arc};
use tokio::net::TcpListener;

/// The default port and the ports that are tried after it. 4041 belongs to the server's management API.
const DEFAULT_PORTS: [u16; 12] = [4040, 4042, 4043, 4044, 4045, 4046, 4047, 4048, 4049, 4050, 4051, 4052];

/// Listens on the configured address; `None` if the API is off.
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
            for port in DEFAULT_PORTS {
                match TcpListener::bind(("127.0.0.1", port)).await {
                    Ok(listener) => return bound(listener).map(Some),
                    Err(error) => last = error,
                }
            }
        }
    }
    Err(refuse(&format!("127.0.0.1, ports {} to {}", DEFAULT_PORTS[0], DEFAULT_PORTS[DEFAULT_PORTS.len() - 1]), &last))
}

fn bound(listener: TcpListener) -> Result<(TcpListener, SocketAddr), Error> {
    let address = listener.local_addr().map_err(|error| Error::new(Code::ListenFailed, error.to_string()))?;
    Ok((listener, address))
}

/// Serves requests until the agent stops.
pub async fn serve(listener: TcpListener, context: Arc<AgentContext>) {
    let stop = context.stop.clone();
    // Lists are sent in pieces, and no piece waits for the acknowledgement of the one before.
    let listener = listener.tap_io(|stream| {
        let _ = stream.set_nodelay(true);
    });
    let served = axum::serve(listener, router(context)).with_graceful_shutdown(stop.cancelled_owned()).await;
    if let Err(error) = served {
        tracing::error!(%error, "the local API has ended");
    }
}

/// The router of the local API and the pages, with the guard in front.
pub fn router(context: Arc<AgentContext>) -> Router {
    routes::router()
        .route("/api", get(routes::index))
        .fallback(pages::show)
        .method_not_allowed_fallback(wrong_method)
        .layer(middleware::from_fn(security_headers))
        .layer(middleware::from_fn_with_state(context.clone(), guard::enforce))
        .with_state(context)
}

async fn wrong_method() -> ApiError {
    Error::from(Code::MethodNotAllowed).into()
}

/// Adds the security headers to every response.
async fn security_headers(request: Request, next: Next) -> Response {
    let api = request.uri().path().starts_with("/api");
    let mut response = next.run(request).await;
    add_security_headers(&mut response, api);
    response
}

/// Forbids framing, sniffing and referrers, and caching of the API.
fn add_security_headers(response: &mut Response, api: bool) {
    postern_pages::harden(response.headers_mut());
    if api {
        response.headers_mut().entry(header::CACHE_CONTROL).or_insert(HeaderValue::from_static("no-store"));
    }
}

/// An empty response.
fn no_content() -> Response {
    StatusCode::NO_CONTENT.into_response()
}
