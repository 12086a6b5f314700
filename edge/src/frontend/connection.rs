//! One visitor's connection, HTTP/1.1 or HTTP/2, from its first request to its last.

mod http1;
mod http2;

use super::{EdgeState, VisitorConnection};
use crate::http::HttpGuard;
use futures::future::BoxFuture;
use http1::serve_http1;
use http2::serve_http2;
use std::{pin::Pin, sync::Arc};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio_util::sync::CancellationToken;

/// Serves requests until the visitor leaves, or until `stop`: then the open ones are finished.
///
/// The future is built here and not in an `async fn`: what idles is the connection in one box, without room for what was
/// moved into it, or for the other protocol.
pub(crate) fn serve<S>(
    stream: S,
    http2: bool,
    connection: VisitorConnection,
    state: Arc<EdgeState>,
    stop: CancellationToken,
) -> BoxFuture<'static, ()>
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let connection = Arc::new(connection);
    let guard = HttpGuard::new(stream, http2, connection.requests.clone(), &state.limits)
        .with_interim(connection.interim.clone());
    // With TLS the end of the input is that of the connection.
    let guard = Box::new(if connection.visitor.is_tls() { guard } else { guard.with_half_close() });
    if http2 {
        Box::pin(async move { log_end(serve_http2(guard, &connection, &state, stop).await, &connection) })
    } else {
        Box::pin(async move { log_end(serve_http1(guard, &connection, &state, stop).await, &connection) })
    }
}

/// Begins a connection and serves it, if its beginning says what serves it. The beginning is boxed by itself, so that its memory
/// is freed when it is done, and an idle connection has no room for it.
pub(crate) fn begin_and_serve(
    beginning: impl Future<Output = Option<BoxFuture<'static, ()>>>,
) -> impl Future<Output = ()> {
    let beginning = Box::pin(beginning);
    async move {
        let begun = beginning.await;
        if let Some(serving) = begun {
            serving.await;
        }
    }
}

/// Boxes a future and constructs it in its box. `Box::pin` would construct it on the stack and copy all of it, also the room for what it
/// does later, so that each request would write to memory that it does not use.
fn boxed_in_place<F: Future>(future: impl FnOnce() -> F) -> Pin<Box<F>> {
    let room = Box::new_uninit();
    Box::into_pin(Box::write(room, future()))
}

fn log_end(outcome: Result<(), impl std::fmt::Display>, connection: &VisitorConnection) {
    if let Err(error) = outcome {
        tracing::debug!(visitor = %connection.visitor.address, %error, "visitor's connection broke");
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        access::Access,
        frontend::service::serve_request,
        http::Visitor,
        limits::{CurrentLimits, Quota},
        net::{ConnectionLimiter, Proxies},
        routing::Routing,
        settings::Settings,
        tcp::Ports,
        tls::{Certificates, TlsConfigs},
        tunnels::TunnelRegistry,
        upstream::Backends,
    };
    use postern_api::host::HostName;
    use postern_tunnel::TlsStream;
    use std::time::Duration;
    use tokio::{
        io::{AsyncReadExt, AsyncWriteExt, DuplexStream},
        sync::watch,
    };

    struct NoCertificates;

    impl Certificates for NoCertificates {
        fn resolve(
            &self,
            _name: Option<&HostName>,
            _local: std::net::IpAddr,
        ) -> Option<Arc<rustls::sign::CertifiedKey>> {
            None
        }
    }

    /// An edge that publishes nothing.
    fn edge_state() -> Arc<EdgeState> {
        let settings = Settings::loopback(HostName::parse("localhost").expect("a name"));
        let limits = CurrentLimits::new(settings.limits.clone());
        let backends = Arc::new(Backends::new(1));
        let access = Arc::new(Access::default());
        let limiter = ConnectionLimiter::new(&settings.limits, 0, Proxies::default());
        let ports = Ports::new(settings.tcp_addr, limiter, backends.clone(), access.clone(), Arc::default());
        let configs = TlsConfigs::new(Arc::new(NoCertificates), settings.challenges.clone()).expect("ticket keys");
        let logins = Arc::new(settings.logins(443));
        let routing = Arc::new(Routing::new(
            Arc::new(configs),
            settings.module_state(&limits, logins.clone(), Arc::default(), Arc::default()),
        ));
        let (_publish, published) = watch::channel(Arc::default());
        let registry = Arc::new(TunnelRegistry::new(
            settings.registry(&limits, 443, 80),
            published,
            backends,
            routing.clone(),
            ports,
            access.clone(),
        ));
        Arc::new(EdgeState {
            logins,
            identity_headers: None,
            registry,
            routing,
            access,
            api: None,
            challenges: crate::tls::challenges::Challenges::default(),
            requests: Quota::new(1),
            limits: settings.limits.clone(),
            https_port: 443,
        })
    }

    fn visitor_connection() -> VisitorConnection {
        let address = std::net::SocketAddr::from(([127, 0, 0, 1], 1));
        VisitorConnection::new(Visitor::new(address, postern_tunnel::message::Scheme::Https), None)
    }

    fn size_of_returned<A, F>(_: &impl Fn(A) -> F) -> usize {
        std::mem::size_of::<F>()
    }

    /// The memory of an idle visitor besides that of TLS.
    #[tokio::test]
    async fn an_idle_connection_is_small() {
        type Guard<S> = HttpGuard<TlsStream<S>>;
        let (state, visitor, stop) = (edge_state(), Arc::new(visitor_connection()), CancellationToken::new);
        let http1 = |guard: Box<Guard<DuplexStream>>| serve_http1(guard, &visitor, &state, stop());
        let http2 = |guard: Box<Guard<DuplexStream>>| serve_http2(guard, &visitor, &state, stop());
        let (http1, http2) = (size_of_returned(&http1), size_of_returned(&http2));
        assert!(http1 < 768, "{http1} bytes");
        assert!(http2 < 288, "{http2} bytes");
        let guard = std::mem::size_of::<Guard<tokio::net::TcpStream>>();
        assert!(guard <= 384, "{guard} bytes");
    }

    /// Requests between pauses after which a connection has released its buffers, split where a pause could do harm.
    #[tokio::test(start_paused = true)]
    async fn a_quiet_connection_serves_further_requests() {
        const GET: &str = "GET / HTTP/1.1\r\nHost: nothing.localhost\r\n\r\n";
        const POST: &str = "POST / HTTP/1.1\r\nHost: nothing.localhost\r\nContent-Length: 4\r\n\r\nbody";
        let table: &[&[&str]] = &[
            &[GET],
            &["GET / HT", "TP/1.1\r\nHost: nothing.localhost\r\n", "\r\n"],
            &["\r\n", GET],
            &["\r", "\n", GET],
            &[POST],
            &[GET],
        ];
        let (mut far, near) = tokio::io::duplex(64 * 1024);
        let stop = CancellationToken::new();
        let serving = tokio::spawn(serve(near, false, visitor_connection(), edge_state(), stop.clone()));
        for (number, pieces) in table.iter().enumerate() {
            for piece in *pieces {
                far.write_all(piece.as_bytes()).await.expect("taken");
                tokio::time::sleep(Duration::from_secs(2)).await;
            }
            let response = tokio::time::timeout(Duration::from_secs(1), read_response(&mut far)).await;
            assert!(response.expect("a response").starts_with("HTTP/1.1 404"), "request {number}");
        }
        tokio::time::sleep(Duration::from_secs(2)).await;
        stop.cancel();
        serving.await.expect("a quiet connection is closed");
        assert_eq!(far.read(&mut [0; 16]).await.expect("an end"), 0);
    }

    const SETTINGS_ACK: &[u8] = &[0, 0, 0, 4, 1, 0, 0, 0, 0];

    /// GET https://a/ on a stream.
    fn request(stream: u8) -> Vec<u8> {
        [&b"\0\0\x06\x01\x05\0\0\0"[..], &[stream], b"\x82\x87\x84\x41\x01a"].concat()
    }

    /// A client of HTTP/2 that has had the response to its request, but has not acknowledged the SETTINGS of the edge.
    async fn http2_client(stop: &CancellationToken) -> (DuplexStream, tokio::task::JoinHandle<()>) {
        let (mut far, near) = tokio::io::duplex(64 * 1024);
        let serving = tokio::spawn(serve(near, true, visitor_connection(), edge_state(), stop.clone()));
        // The preface, SETTINGS, and a wide window.
        far.write_all(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0").await.expect("taken");
        far.write_all(b"\0\0\x04\x08\0\0\0\0\0\0\x10\0\0").await.expect("taken");
        far.write_all(&request(1)).await.expect("taken");
        tokio::time::sleep(Duration::from_millis(100)).await;
        (far, serving)
    }

    /// Such a client that has sent nothing for so long that the edge has released its codec.
    async fn quiet_http2_client(stop: &CancellationToken) -> (DuplexStream, tokio::task::JoinHandle<()>) {
        let (mut far, serving) = http2_client(stop).await;
        // SETTINGS at the beginning, and those that have it empty its table.
        for pause in [400, 2000] {
            tokio::time::sleep(Duration::from_millis(pause)).await;
            far.write_all(SETTINGS_ACK).await.expect("taken");
        }
        tokio::time::sleep(Duration::from_secs(10)).await;
        assert!(!serving.is_finished());
        (far, serving)
    }

    /// How long the edge keeps the codec of a connection without a stream, while so many connections have one.
    async fn codec_kept_for(connections: usize) -> Duration {
        // SETTINGS by which the client is to empty its table of fields.
        const EMPTIED: &[u8] = &[0, 0, 6, 4, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0];
        let stop = CancellationToken::new();
        let mut clients = futures::future::join_all((0..connections).map(|_| http2_client(&stop))).await;
        for (far, _) in &mut clients {
            far.write_all(SETTINGS_ACK).await.expect("taken");
        }
        let (began, last) = (tokio::time::Instant::now(), &mut clients.last_mut().expect("a client").0);
        let mut received = Vec::new();
        while !received.ends_with(EMPTIED) {
            assert!(last.read_buf(&mut received).await.expect("read") > 0, "{received:x?}");
        }
        began.elapsed()
    }

    #[tokio::test(start_paused = true)]
    async fn a_crowd_over_http2_keeps_its_codecs_for_a_shorter_time() {
        let (alone, in_crowd) = (codec_kept_for(1).await, codec_kept_for(300).await);
        assert!(alone >= Duration::from_secs(1), "{alone:?}");
        assert!(in_crowd < Duration::from_millis(500), "{in_crowd:?}");
    }

    #[tokio::test(start_paused = true)]
    async fn a_quiet_connection_over_http2_ends_with_goaway() {
        // The last stream, and no error.
        const GOAWAY: &[u8] = &[0, 0, 8, 7, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0];
        for is_stopped in [true, false] {
            let (stop, began) = (CancellationToken::new(), tokio::time::Instant::now());
            let (mut far, serving) = quiet_http2_client(&stop).await;
            if is_stopped {
                stop.cancel();
            }
            let mut received = Vec::new();
            far.read_to_end(&mut received).await.expect("an end");
            assert!(received.ends_with(GOAWAY), "{received:x?}");
            assert!(is_stopped || began.elapsed() >= edge_state().limits.idle);
            drop(far);
            serving.await.expect("the edge");
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_request_that_crosses_the_end_of_a_quiet_connection_is_served() {
        let stop = CancellationToken::new();
        let (mut far, serving) = quiet_http2_client(&stop).await;
        stop.cancel();
        tokio::time::sleep(Duration::from_millis(500)).await;
        far.write_all(&request(3)).await.expect("taken");
        let mut received = Vec::new();
        far.read_to_end(&mut received).await.expect("an end");
        // HEADERS of the response.
        let head = received.windows(9).find(|window| window[3] == 1 && window[5..] == [0, 0, 0, 3]);
        assert!(head.is_some(), "{received:x?}");
        drop(far);
        serving.await.expect("the edge");
    }

    async fn read_response(stream: &mut DuplexStream) -> String {
        let (mut received, mut piece) = (Vec::new(), [0; 4096]);
        loop {
            let size = stream.read(&mut piece).await.expect("read");
            received.extend_from_slice(&piece[..size]);
            let text = String::from_utf8_lossy(&received).into_owned();
            let Some((head, body)) = text.split_once("\r\n\r\n") else { continue };
            let length =
                head.lines().find_map(|line| line.to_ascii_lowercase().strip_prefix("content-length: ")?.parse().ok());
            if body.len() >= length.unwrap_or(0) {
                return text;
            }
        }
    }

    fn future_bytes<A, B, C, F>(_serve: impl Fn(A, B, C) -> F) -> usize {
        std::mem::size_of::<F>()
    }

    /// The memory of a request that waits for its upstream, besides the buffers of its connections.
    #[test]
    fn an_open_request_is_small() {
        let request = future_bytes(serve_request);
        assert!(request <= 3584, "{request} bytes");
    }
}
