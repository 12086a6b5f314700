//! One visitor's connection, HTTP/1.1 or HTTP/2, from its first request to its last.

use crate::{
    frontend::{
        EdgeState, VisitorConnection,
        connection_end::{settled, stopped},
        error_pages,
        service::serve_request,
    },
    http::{HttpGuard, StreamExecutor, http1},
    limits::Limits,
    telemetry::{metrics, request_id},
};
use hyper::{server::conn::http2, service::service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use std::{
    pin::{Pin, pin},
    sync::{Arc, atomic::Ordering},
    task::Poll,
    time::Duration,
};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio_util::sync::CancellationToken;

/// Flow-control windows of an HTTP/2 connection: bytes that may wait unread (RFC 9113, section 5.2).
const STREAM_WINDOW_BYTES: u32 = 1024 * 1024;
const CONNECTION_WINDOW_BYTES: u32 = 4 * 1024 * 1024;
const SEND_BUFFER_BYTES: usize = 128 * 1024;
/// Requests that were reset before they were accepted; well-behaved clients have a few at most.
const MAX_PENDING_RESETS: usize = 20;

/// Serves requests until the visitor leaves, or until `stop`: then the open ones are finished.
pub(crate) async fn serve<S>(
    stream: S,
    http2: bool,
    connection: VisitorConnection,
    state: Arc<EdgeState>,
    stop: CancellationToken,
) where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let connection = Arc::new(connection);
    let guard = HttpGuard::new(stream, http2, connection.requests.clone(), &state.limits)
        .with_interim(connection.interim.clone());
    // With TLS the end of the input is that of the connection.
    let guard = if connection.visitor.is_tls() { guard } else { guard.with_half_close() };
    // Each protocol in a box of its own: an idle connection must not occupy the room the other one needs.
    let outcome = if http2 {
        Box::pin(serve_http2(guard, &connection, &state, stop)).await
    } else {
        Box::pin(serve_http1(guard, &connection, &state, stop)).await
    };
    if let Err(error) = outcome {
        tracing::debug!(visitor = %connection.visitor.address, %error, "visitor's connection broke");
    }
}

async fn serve_http1<S>(
    guard: HttpGuard<S>,
    connection: &Arc<VisitorConnection>,
    state: &Arc<EdgeState>,
    stop: CancellationToken,
) -> hyper::Result<()>
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let service = {
        let (state, connection) = (state.clone(), connection.clone());
        service_fn(move |request| serve_request(state.clone(), connection.clone(), request))
    };
    let refused = guard.refused();
    let mut http_connection = http1(&state.limits).serve_connection(TokioIo::new(guard), service).with_upgrades();
    let mut stopping = pin!(stopped(&stop, &connection.requests));
    let mut shutting_down = false;
    let outcome = std::future::poll_fn(|cx| {
        loop {
            let is_fresh = connection.requests.started() == 0;
            if !shutting_down && stopping.as_mut().poll(cx).is_ready() {
                shutting_down = true;
                Pin::new(&mut http_connection).graceful_shutdown();
            }
            match Pin::new(&mut http_connection).poll(cx) {
                // For a visitor that left, hyper would return an error here and send nothing.
                Poll::Pending if refused.load(Ordering::Relaxed) => return Poll::Ready(None),
                Poll::Pending if is_fresh && connection.requests.started() > 0 => {}
                outcome => return outcome.map(Some),
            }
        }
    })
    .await;
    if let Some(outcome) = outcome {
        return outcome;
    }
    let responding = connection.requests.is_responding();
    if let Some(parts) = http_connection.into_parts()
        && let Some((refusal, stream)) = parts.io.into_inner().into_refused()
    {
        metrics::refusal(None, refusal.error.code);
        tracing::debug!(visitor = %connection.visitor.address, code = %refusal.error.code, "{}", refusal.error.message);
        // In the middle of one response no other can be sent.
        if let Some(stream) = stream.filter(|_| !responding) {
            let response = error_pages::raw_response(&refusal, &request_id());
            Box::pin(send_final_response(stream, &response, &state.limits)).await;
        }
    }
    Ok(())
}

/// Writes the last response and waits a moment for the visitor to read it: closing at once, with bytes of
/// the visitor still unread, would make the kernel take them back.
async fn send_final_response<S: AsyncRead + AsyncWrite + Unpin>(mut stream: S, response: &[u8], limits: &Limits) {
    let closing = async {
        stream.write_all(response).await?;
        stream.shutdown().await?;
        let mut rest = [0; 4096];
        let mut budget = 2 * limits.head_bytes;
        while budget > 0 {
            match stream.read(&mut rest).await? {
                0 => break,
                read => budget = budget.saturating_sub(read),
            }
        }
        std::io::Result::Ok(())
    };
    let _ = tokio::time::timeout(Duration::from_secs(2), closing).await;
}

async fn serve_http2<S>(
    guard: HttpGuard<S>,
    connection: &Arc<VisitorConnection>,
    state: &Arc<EdgeState>,
    stop: CancellationToken,
) -> hyper::Result<()>
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let service = {
        let (state, connection) = (state.clone(), connection.clone());
        service_fn(move |request| serve_request(state.clone(), connection.clone(), request))
    };
    let (limits, activity, refused) = (&state.limits, guard.activity(), guard.refused());
    let mut http_connection = http2::Builder::new(StreamExecutor { stall: limits.stall })
        .timer(TokioTimer::new())
        .max_concurrent_streams(limits.streams)
        .max_pending_accept_reset_streams(MAX_PENDING_RESETS)
        .max_local_error_reset_streams(limits.resets)
        .initial_stream_window_size(STREAM_WINDOW_BYTES)
        .initial_connection_window_size(CONNECTION_WINDOW_BYTES)
        .max_send_buf_size(SEND_BUFFER_BYTES)
        .max_header_list_size(limits.head_bytes.try_into().unwrap_or(u32::MAX))
        .keep_alive_interval(Duration::from_secs(20))
        .keep_alive_timeout(Duration::from_secs(20))
        .serve_connection(TokioIo::new(guard), service);
    let mut stopping = pin!(stopped(&stop, &connection.requests));
    let mut settling = pin!(settled(&activity, &connection.requests));
    let mut shutting_down = false;
    std::future::poll_fn(|cx| {
        loop {
            let is_fresh = connection.requests.started() == 0;
            if !shutting_down && stopping.as_mut().poll(cx).is_ready() {
                shutting_down = true;
                Pin::new(&mut http_connection).graceful_shutdown();
            }
            let polled = Pin::new(&mut http_connection).poll(cx);
            if polled.is_ready() {
                return polled;
            }
            if connection.requests.excess_abandoned() > limits.resets {
                metrics::flood_ended();
                tracing::info!(visitor = %connection.visitor.address, "asks and gives up again and again; the connection is ended");
                return Poll::Ready(Ok(()));
            }
            if refused.load(Ordering::Relaxed) {
                metrics::flood_ended();
                tracing::info!(visitor = %connection.visitor.address, "sends frames that bring nothing any further; the connection is ended");
                return Poll::Ready(Ok(()));
            }
            if shutting_down {
                return settling.as_mut().poll(cx).map(Ok);
            }
            if !is_fresh || connection.requests.started() == 0 {
                return Poll::Pending;
            }
        }
    })
    .await
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        access::Access,
        http::{RequestLimiter, Visitor},
        net::{ConnectionLimiter, Proxies},
        routing::Routing,
        settings::Settings,
        tcp::Ports,
        tls::{Certificates, TlsConfigs},
        tunnels::TunnelRegistry,
        upstream::Backends,
    };
    use postern_api::host::HostName;
    use tokio::sync::watch;

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

    /// The memory of an idle visitor besides the buffers of TLS and hyper.
    #[tokio::test]
    async fn an_idle_connection_is_small() {
        let settings = Settings::loopback(HostName::parse("localhost").expect("a name"));
        let limits = settings.limits.clone();
        let backends = Arc::new(Backends::new(1));
        let access = Arc::new(Access::default());
        let limiter = ConnectionLimiter::new(1, 1, 0, Proxies::default());
        let ports = Ports::new(settings.tcp_addr, limiter, backends.clone(), access.clone());
        let configs = TlsConfigs::new(Arc::new(NoCertificates), settings.challenges.clone()).expect("ticket keys");
        let logins = Arc::new(settings.logins(443).expect("logins"));
        let routing = Arc::new(Routing::new(Arc::new(configs), settings.module_state(logins.clone(), Arc::default())));
        let (_publish, published) = watch::channel(Arc::default());
        let registry = Arc::new(TunnelRegistry::new(
            settings.registry(443, 80),
            published,
            backends,
            routing.clone(),
            ports,
            access.clone(),
        ));
        let state = Arc::new(EdgeState {
            logins,
            identity_headers: None,
            registry,
            routing,
            access,
            api: None,
            challenges: crate::tls::challenges::Challenges::default(),
            request_limiter: RequestLimiter::new(1),
            limits,
            https_port: 443,
        });
        let address = std::net::SocketAddr::from(([127, 0, 0, 1], 1));
        let visitor = Visitor::new(address, postern_tunnel::message::Scheme::Https);
        let visitor = Arc::new(VisitorConnection::new(visitor, None));
        let (_far, near) = tokio::io::duplex(64);
        let guard = HttpGuard::new(near, false, visitor.requests.clone(), &state.limits);
        let connection = std::mem::size_of_val(&serve_http1(guard, &visitor, &state, CancellationToken::new()));
        assert!(connection < 4096, "{connection} bytes");
    }

    fn future_bytes<A, B, C, F>(_serve: impl Fn(A, B, C) -> F) -> usize {
        std::mem::size_of::<F>()
    }

    /// The memory of a request that waits for its upstream, besides the buffers of hyper and of its stream.
    #[test]
    fn an_open_request_is_small() {
        let request = future_bytes(serve_request);
        assert!(request < 8192, "{request} bytes");
    }
}
