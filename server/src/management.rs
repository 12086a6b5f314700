//! Paths of the management API besides the resources: health, metrics, description, console.

use crate::ip_access::IpAccess;
use axum::{
    Router,
    body::{Body, Bytes},
    extract::Request,
    http::{Method, StatusCode, header},
    response::{IntoResponse, Redirect, Response},
    routing::{any, get},
};
use futures::stream;
use metrics_exporter_prometheus::PrometheusHandle;
use postern_api::{Code, Error, resource::RestrictionType};
use postern_control::{ServedDescription, StoreSignals, store::Health};
use postern_pages::Pages;
use std::{
    convert::Infallible,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};
use tower::ServiceExt;

/// The console, below a path of its own, so that its files cannot collide with resources.
const CONSOLE: Pages = Pages {
    start: "console.html",
    others: &[],
    not_built: "<h1>This Postern server is running</h1><p>The console was not built into this program. Run \
        <code>make build</code> and start the server again.</p><p>The management API works without it, \
        with the API key in <code>admin.key</code> in the server's data folder.</p>",
};

/// Whether the server accepts new work, and what is known of its store.
#[derive(Clone, Debug, Default)]
pub(crate) struct Readiness {
    ready: Arc<AtomicBool>,
    store: Option<StoreSignals>,
}

impl Readiness {
    /// Not ready yet; with a store that several programs could use.
    pub(crate) fn with_store(store: Option<StoreSignals>) -> Self {
        Readiness { ready: Arc::default(), store }
    }

    /// Sets the readiness.
    pub(crate) fn set(&self, ready: bool) {
        self.ready.store(ready, Ordering::Release);
    }

    /// What health checks are told. A server whose store is away serves visitors on, so it is healthy.
    fn report(&self) -> serde_json::Value {
        let mut report = serde_json::json!({ "status": "ok", "version": env!("CARGO_PKG_VERSION") });
        if let Some(store) = &self.store {
            report["store"] = match *store.health.borrow() {
                Health::Reachable => "reachable".into(),
                Health::Away => "away".into(),
            };
            report["registered"] = (*store.registered.borrow()).into();
        }
        report
    }
}

/// Router of `--api-addr`: the resources of `control`, and the pages that need no key. `observe` updates the gauges
/// before they are rendered.
pub(crate) fn api_router(
    control: Router,
    description: ServedDescription,
    readiness: Readiness,
    ip_access: IpAccess,
    metrics: PrometheusHandle,
    observe: impl Fn() + Clone + Send + Sync + 'static,
) -> Router {
    let render_metrics = move || {
        let (metrics, observe) = (metrics.clone(), observe.clone());
        async move {
            observe();
            ([(header::CONTENT_TYPE, "text/plain; version=0.0.4; charset=utf-8")], metrics.render())
        }
    };
    public_router(control, description, readiness, ip_access).route("/metrics", get(render_metrics))
}

/// Router of `--api-host` on the HTTPS listener: without metrics, which are not public.
pub(crate) fn public_router(
    control: Router,
    description: ServedDescription,
    readiness: Readiness,
    ip_access: IpAccess,
) -> Router {
    let health = move || {
        let readiness = readiness.clone();
        async move { health(&readiness) }
    };
    let console = move |request: Request| {
        let admitted = ip_access.admit(RestrictionType::Dashboard, request.extensions());
        async move { admitted.map_or_else(|error| refusal(&error), |()| console(request.uri().path())) }
    };
    let resources = control.clone();
    let root = async move |request: Request| match wants_page(&request) {
        true => Redirect::temporary("/console/").into_response(),
        false => resources.oneshot(request).await.unwrap_or_else(|never| match never {}),
    };
    let description = async move || describe(&description);
    Router::new()
        .route("/", any(root))
        .route("/healthz", get(health))
        .route("/openapi.json", get(description))
        .route("/console", get(console.clone()))
        .route("/console/", get(console.clone()))
        .route("/console/{*path}", get(console))
        .method_not_allowed_fallback(async || refusal(&Code::MethodNotAllowed.into()))
        .fallback_service(control)
}

/// The description of the API.
fn describe(description: &ServedDescription) -> Response {
    let parts = description.parts();
    let length = parts.iter().map(Bytes::len).sum::<usize>();
    let headers = [(header::CONTENT_TYPE, "application/json".to_owned()), (header::CONTENT_LENGTH, length.to_string())];
    (headers, Body::from_stream(stream::iter(parts.map(Ok::<_, Infallible>)))).into_response()
}

/// Whether a browser asks for a page, whose user is looking for the console.
fn wants_page(request: &Request) -> bool {
    let accepts = request.headers().get_all(header::ACCEPT).iter().filter_map(|value| value.to_str().ok());
    request.method() == Method::GET && accepts.into_iter().any(|accept| accept.contains("text/html"))
}

fn health(readiness: &Readiness) -> Response {
    if readiness.ready.load(Ordering::Acquire) {
        axum::Json(readiness.report()).into_response()
    } else {
        refusal(&Code::ServerDraining.into())
    }
}

/// A file of the console. The page uses relative paths, so its own path must end with a slash.
fn console(path: &str) -> Response {
    match path.strip_prefix("/console/") {
        Some(file) => CONSOLE.show(file),
        None => Redirect::permanent("/console/").into_response(),
    }
}

/// An error as a response.
pub(crate) fn refusal(error: &Error) -> Response {
    let status = StatusCode::from_u16(error.status()).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    (status, axum::Json(error.body())).into_response()
}

#[cfg(test)]
mod tests {
    use super::*;
    use http::Request;
    use metrics_exporter_prometheus::PrometheusBuilder;

    fn resources() -> Router {
        Router::new().fallback(async || "resources")
    }

    async fn get(router: Router, path: &str) -> (u16, String) {
        let request = Request::get(path).body(Body::empty()).expect("a request");
        let response = router.oneshot(request).await.expect("a response");
        let status = response.status().as_u16();
        let body = axum::body::to_bytes(response.into_body(), 1 << 20).await.expect("a body");
        (status, String::from_utf8_lossy(&body).into_owned())
    }

    fn open_access() -> IpAccess {
        let (_publish, published) = tokio::sync::watch::channel(Arc::default());
        IpAccess::new(published, postern_edge::Geo::default())
    }

    fn description() -> ServedDescription {
        ServedDescription::new("https://api.test")
    }

    fn all(readiness: &Readiness) -> Router {
        let handle = PrometheusBuilder::new().build_recorder().handle();
        api_router(resources(), description(), readiness.clone(), open_access(), handle, || {})
    }

    #[tokio::test]
    async fn health_follows_readiness() {
        let readiness = Readiness::default();
        let (status, body) = get(all(&readiness), "/healthz").await;
        assert!(status == 503 && body.contains("ERR_POSTERN_117"), "{status} {body}");
        readiness.set(true);
        assert_eq!(get(all(&readiness), "/healthz").await.0, 200);
    }

    #[tokio::test]
    async fn a_store_that_is_away_is_told_and_no_reason_to_send_visitors_elsewhere() {
        let (tell, health) = tokio::sync::watch::channel(Health::Reachable);
        let (forget, registered) = tokio::sync::watch::channel(true);
        let readiness = Readiness::with_store(Some(StoreSignals { health, registered }));
        readiness.set(true);
        let (status, body) = get(all(&readiness), "/healthz").await;
        assert!(status == 200 && body.contains("\"store\":\"reachable\""), "{body}");
        tell.send_replace(Health::Away);
        forget.send_replace(false);
        let (status, body) = get(all(&readiness), "/healthz").await;
        assert!(status == 200 && body.contains("\"store\":\"away\""), "{body}");
        assert!(body.contains("\"registered\":false"), "{body}");
    }

    #[tokio::test]
    async fn pages_need_no_key_and_the_rest_goes_to_the_resources() {
        let readiness = Readiness::default();
        assert_eq!(get(all(&readiness), "/metrics").await.0, 200);
        let (status, description) = get(all(&readiness), "/openapi.json").await;
        let described: serde_json::Value = serde_json::from_str(&description).expect("JSON");
        assert!(status == 200 && described["servers"][0]["url"] == "https://api.test", "{status} {described}");
        assert_eq!(get(all(&readiness), "/console").await.0, 308);
        for place in ["/console/", "/console/edges"] {
            let (status, page) = get(all(&readiness), place).await;
            assert!(status == 200 && page.starts_with("<!doctype html>"), "{place}: {status} {page}");
        }
        assert_eq!(get(all(&readiness), "/console/inspector.html").await.0, 404, "the agent's page");
        assert_eq!(get(all(&readiness), "/edges/tcp").await.1, "resources");
    }

    #[tokio::test]
    async fn a_browser_at_the_root_is_led_to_the_console() {
        let ask = async |request: http::request::Builder| {
            let request = request.uri("/").body(Body::empty()).expect("a request");
            let response = all(&Readiness::default()).oneshot(request).await.expect("a response");
            let target =
                response.headers().get(header::LOCATION).map(|value| value.to_str().expect("a path").to_owned());
            (response.status().as_u16(), target)
        };
        let browser = "text/html,application/xhtml+xml;q=0.9,*/*;q=0.8";
        let get = || Request::builder().method("GET");
        assert_eq!(ask(get().header("Accept", browser)).await, (307, Some("/console/".to_owned())));
        for other in [get(), get().header("Accept", "*/*"), Request::builder().method("POST").header("Accept", browser)]
        {
            assert_eq!(ask(other).await, (200, None), "the resources respond");
        }
    }

    #[tokio::test]
    async fn the_public_router_has_no_metrics() {
        let router = public_router(resources(), description(), Readiness::default(), open_access());
        assert_eq!(get(router, "/metrics").await.1, "resources");
    }
}
