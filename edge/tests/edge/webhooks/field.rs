//! A real edge with a route for each provider, a test clock, and a service that echoes bodies.

use super::senders::{HOST, Hook, TOPIC, secret_of};
use crate::kit::{
    World,
    edges::{address, below, https, to},
    in_time, visitor,
};
use bytes::Bytes;
use http_body_util::{BodyExt, Full};
use hyper::{Request, Response, StatusCode, body::Incoming, service::service_fn};
use hyper_util::rt::TokioIo;
use postern_api::{
    Secret,
    module::WebhookVerification,
    published::{HttpsRoute, Settings},
    webhooks::Provider,
};
use postern_edge::SigningCertificates;
use std::{
    convert::Infallible,
    net::SocketAddr,
    sync::{
        Arc, Mutex,
        atomic::{AtomicI64, AtomicU64, AtomicUsize, Ordering},
    },
};
use tokio::{net::TcpListener, task::JoinHandle};

pub(crate) struct Field {
    pub(crate) world: World,
    clock: Arc<AtomicI64>,
    numbers: AtomicU64,
    passed: AtomicUsize,
    service: Service,
    sender: tokio::sync::Mutex<hyper::client::conn::http2::SendRequest<Full<Bytes>>>,
}

/// A response with accessors for tests.
pub(crate) struct WebhookResponse {
    pub(crate) status: StatusCode,
    pub(crate) headers: hyper::HeaderMap,
    pub(crate) body: Bytes,
}

impl WebhookResponse {
    pub(crate) fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    pub(crate) fn code(&self) -> &str {
        self.headers.get("postern-error-code").map_or("none", |code| code.to_str().unwrap())
    }
}

/// A webhook route for a provider.
pub(crate) fn route(path: &str, provider: &str, secret: &str) -> Arc<HttpsRoute> {
    let secret = (!secret.is_empty()).then(|| Secret::new(secret));
    let module = WebhookVerification { enabled: true, provider: provider.to_owned(), secret };
    below(path, Settings { webhook_verification: Some(module), ..to("bkdsc_1") })
}

impl Field {
    pub(crate) async fn of_all_providers() -> Field {
        let route = |provider: &Provider| {
            route(&format!("/{}", provider.name()), provider.name(), &secret_of(*provider, "right"))
        };
        Field::of(&Provider::ALL.iter().map(route).collect::<Vec<_>>(), Topic).await
    }

    pub(crate) async fn of(routes: &[Arc<HttpsRoute>], certificates: impl SigningCertificates + 'static) -> Field {
        Field::with(routes, certificates, |_| {}).await
    }

    pub(crate) async fn with(
        routes: &[Arc<HttpsRoute>],
        certificates: impl SigningCertificates + 'static,
        change: impl FnOnce(&mut postern_edge::Settings),
    ) -> Field {
        let clock = Arc::new(AtomicI64::new(1_700_000_000));
        let now = clock.clone();
        let world = World::with(|settings| {
            settings.clock =
                Arc::new(move || jiff::Timestamp::from_second(now.load(Ordering::Relaxed)).expect("a moment"));
            settings.signing_certificates = Arc::new(certificates);
            change(settings);
        })
        .await;
        let service = Service::start().await;
        world.backends([("bkdsc_1", address(service.address))]).await;
        world.https_edge(https(&[HOST], routes)).await;
        let sender = tokio::sync::Mutex::new(visitor::http2(&world, HOST).await);
        let (numbers, passed) = (AtomicU64::new(1), AtomicUsize::new(0));
        Field { world, clock, numbers, passed, service, sender }
    }

    pub(crate) fn second(&self) -> i64 {
        self.clock.load(Ordering::Relaxed)
    }

    /// Moves the clock forward or back.
    pub(crate) fn pass(&self, seconds: i64) {
        self.clock.fetch_add(seconds, Ordering::Relaxed);
    }

    pub(crate) fn number(&self) -> u64 {
        self.numbers.fetch_add(1, Ordering::Relaxed)
    }

    /// Number of requests that the service received.
    pub(crate) fn received(&self) -> usize {
        self.service.received.lock().unwrap().len()
    }

    /// Number of responses with status 200.
    pub(crate) fn passed(&self) -> usize {
        self.passed.load(Ordering::Relaxed)
    }

    pub(crate) fn last_received(&self) -> ReceivedRequest {
        self.service.received.lock().unwrap().last().cloned().expect("a request")
    }

    /// Sends to the route of a provider.
    pub(crate) async fn send(&self, route: &str, hook: &Hook) -> WebhookResponse {
        let mut request = Request::builder().method(hook.method).uri(format!("https://{HOST}/{route}{}", hook.rest));
        for (name, value) in &hook.headers {
            request = request.header(name, value);
        }
        self.request(request.body(Full::from(hook.body.clone())).expect("a request")).await
    }

    /// Sends over HTTP/2.
    pub(crate) async fn request(&self, request: Request<Full<Bytes>>) -> WebhookResponse {
        let sending = self.sender.lock().await.send_request(request);
        let response = in_time(sending).await.expect("an response");
        let (parts, body) = visitor::whole(response).await;
        if parts.status == StatusCode::OK {
            self.passed.fetch_add(1, Ordering::Relaxed);
        }
        WebhookResponse { status: parts.status, headers: parts.headers, body }
    }
}

/// The signing certificate of the test topic.
pub(crate) struct Topic;

impl SigningCertificates for Topic {
    fn fetch<'a>(&'a self, host: &'a str, path: &'a str) -> futures::future::BoxFuture<'a, std::io::Result<Vec<u8>>> {
        let known = (host, path) == ("sns.us-east-1.amazonaws.com", "/SimpleNotificationService-0123456789abcdef.pem");
        let response = if known { Ok(TOPIC.1.clone().into_bytes()) } else { Err(std::io::Error::other("not there")) };
        Box::pin(async move { response })
    }
}

/// Requests of the service.
#[derive(Clone, Debug)]
pub(crate) struct ReceivedRequest {
    pub(crate) target: String,
    pub(crate) headers: hyper::HeaderMap,
    pub(crate) body: Bytes,
    pub(crate) trailers: Option<hyper::HeaderMap>,
}

/// Echoes every body.
struct Service {
    address: SocketAddr,
    received: Arc<Mutex<Vec<ReceivedRequest>>>,
    task: JoinHandle<()>,
}

impl Service {
    async fn start() -> Service {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let (address, received) = (listener.local_addr().unwrap(), Arc::new(Mutex::new(Vec::new())));
        let recorded = received.clone();
        let task = tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let recorded = recorded.clone();
                let service = service_fn(move |request| respond(request, recorded.clone()));
                tokio::spawn(
                    hyper::server::conn::http1::Builder::new().serve_connection(TokioIo::new(stream), service),
                );
            }
        });
        Service { address, received, task }
    }
}

async fn respond(
    request: Request<Incoming>,
    received: Arc<Mutex<Vec<ReceivedRequest>>>,
) -> Result<Response<Full<Bytes>>, Infallible> {
    let (parts, body) = request.into_parts();
    let Ok(collected) = body.collect().await else {
        return Ok(Response::builder().status(StatusCode::BAD_REQUEST).body(Full::default()).expect("an response"));
    };
    let trailers = collected.trailers().cloned();
    let body = collected.to_bytes();
    let (target, headers) = (parts.uri.to_string(), parts.headers);
    received.lock().unwrap().push(ReceivedRequest { target, headers, body: body.clone(), trailers });
    Ok(Response::new(Full::new(body)))
}

impl Drop for Service {
    fn drop(&mut self) {
        self.task.abort();
    }
}
