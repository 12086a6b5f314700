//! A local service with prior-knowledge HTTP/2, and visitors who stream to it.

use super::{World, visitor::tls};
use bytes::Bytes;
use futures::{SinkExt, channel::mpsc};
use http_body_util::{BodyExt, StreamBody, combinators::UnsyncBoxBody};
use hyper::{
    HeaderMap, Request, Response,
    body::{Frame, Incoming},
    client::conn::http2::SendRequest,
    http::request::Parts,
    service::service_fn,
};
use hyper_util::rt::{TokioExecutor, TokioIo};
use std::{
    convert::Infallible,
    net::SocketAddr,
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering},
    },
};
use tokio::{net::TcpListener, sync::Notify, task::JoinHandle};

/// Echoes the body chunk by chunk, with `grpc-status: 0` at the end.
pub(crate) struct H2c {
    pub(crate) address: SocketAddr,
    pub(crate) records: Arc<H2cRecords>,
    /// Ends every connection gracefully.
    goodbye: Arc<Notify>,
    task: JoinHandle<()>,
}

/// Records of the service.
#[derive(Default)]
pub(crate) struct H2cRecords {
    pub(crate) connections: AtomicUsize,
    pub(crate) ended: AtomicUsize,
    /// Requests that were canceled before the response.
    pub(crate) given_up: AtomicUsize,
    /// Requests that wait for one another.
    pub(crate) waiting: AtomicUsize,
    pub(crate) heads: Mutex<Vec<Parts>>,
}

/// The stream of a visitor.
pub(crate) type Stream = StreamBody<mpsc::Receiver<Result<Frame<Bytes>, Infallible>>>;

impl H2c {
    pub(crate) async fn start() -> H2c {
        H2c::allowing(None).await
    }

    /// A service with a limit of concurrent requests per connection.
    pub(crate) async fn allowing(streams: Option<u32>) -> H2c {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let records: Arc<H2cRecords> = Arc::default();
        let goodbye: Arc<Notify> = Arc::default();
        let leaving = goodbye.clone();
        let recorded = records.clone();
        let task = tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                recorded.connections.fetch_add(1, Ordering::SeqCst);
                let (records, ending, leaving) = (recorded.clone(), recorded.clone(), leaving.clone());
                let service = service_fn(move |request| respond(request, records.clone()));
                let mut builder = hyper::server::conn::http2::Builder::new(TokioExecutor::new());
                let mut connection =
                    Box::pin(builder.max_concurrent_streams(streams).serve_connection(TokioIo::new(stream), service));
                tokio::spawn(async move {
                    tokio::select! {
                        _ = &mut connection => {}
                        () = leaving.notified() => {
                            connection.as_mut().graceful_shutdown();
                            let _ = connection.await;
                        }
                    }
                    ending.ended.fetch_add(1, Ordering::SeqCst);
                });
            }
        });
        H2c { address, records, goodbye, task }
    }

    pub(crate) fn connections(&self) -> usize {
        self.records.connections.load(Ordering::SeqCst)
    }

    /// Ends the current connections gracefully and accepts new ones.
    pub(crate) fn say_goodbye(&self) {
        self.goodbye.notify_waiters();
    }
}

impl Drop for H2c {
    fn drop(&mut self) {
        self.task.abort();
    }
}

struct GivenUp(Option<Arc<H2cRecords>>);

impl Drop for GivenUp {
    fn drop(&mut self) {
        if let Some(records) = &self.0 {
            records.given_up.fetch_add(1, Ordering::SeqCst);
        }
    }
}

async fn respond(
    request: Request<Incoming>,
    records: Arc<H2cRecords>,
) -> Result<Response<UnsyncBoxBody<Bytes, hyper::Error>>, Infallible> {
    let (parts, body) = request.into_parts();
    let path = parts.uri.path().to_owned();
    records.heads.lock().unwrap().push(parts);
    let mut given_up = GivenUp(Some(records.clone()));
    match path.split_once('/').and_then(|(_, path)| path.split_once('/')) {
        // Responds once this many requests have arrived.
        Some(("together", count)) => {
            records.waiting.fetch_add(1, Ordering::SeqCst);
            let count: usize = count.parse().unwrap();
            super::until("so many are here together", || records.waiting.load(Ordering::SeqCst) >= count).await;
        }
        Some(("never", _)) => std::future::pending().await,
        _ => {}
    }
    given_up.0 = None;
    let mut trailers = HeaderMap::new();
    trailers.insert("grpc-status", "0".parse().unwrap());
    trailers.insert("grpc-message", "fine".parse().unwrap());
    let body = body.with_trailers(async { Some(Ok(trailers)) }).boxed_unsync();
    Ok(Response::builder().header("content-type", "application/grpc").body(body).unwrap())
}

/// A visitor who streams over HTTP/2.
pub(crate) async fn streaming(world: &World, name: &str) -> SendRequest<Stream> {
    let stream = tls(world, name, &[b"h2"]).await;
    let (sender, connection) =
        hyper::client::conn::http2::handshake(TokioExecutor::new(), TokioIo::new(stream)).await.unwrap();
    tokio::spawn(connection);
    sender
}

/// The two ends of a body.
pub(crate) fn stream() -> (mpsc::Sender<Result<Frame<Bytes>, Infallible>>, Stream) {
    let (sender, receiver) = mpsc::channel(8);
    (sender, StreamBody::new(receiver))
}

pub(crate) async fn send_data(to: &mut mpsc::Sender<Result<Frame<Bytes>, Infallible>>, text: &'static str) {
    to.send(Ok(Frame::data(Bytes::from_static(text.as_bytes())))).await.unwrap();
}
