//! Probing the protocol of a service with one `HEAD /` and at most one TLS ClientHello (RFC 8446 section 4.1.2).

use postern_api::local::PortProtocol;
use rustls::{ClientConfig, ClientConnection, RootCertStore, crypto::aws_lc_rs};
use rustls_pki_types::ServerName;
use std::{net::SocketAddr, sync::Arc, time::Duration};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
    time::timeout,
};

/// Time for a connection to a service on this machine, and for its response to a ClientHello.
const CONNECT_TIMEOUT: Duration = Duration::from_millis(700);
/// Time for a response: a development server may have to build its page first.
const RESPONSE_TIMEOUT: Duration = Duration::from_secs(3);
/// Bytes that are read of a response: the first of its headers.
const MAX_RESPONSE_BYTES: usize = 4096;
/// The first byte of a TLS record: alert or handshake (RFC 8446 section 5.1).
const TLS_RECORD_TYPES: [u8; 2] = [0x15, 0x16];
const MAX_SOFTWARE_NAME_CHARS: usize = 40;

/// The result of a probe.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct ProbeResult {
    /// The protocol; `None` if nothing accepts the connection.
    pub(super) speaks: Option<PortProtocol>,
    /// The software it names in its headers.
    pub(super) software: Option<String>,
    /// It accepted the request and sent no response in time: the protocol is a guess.
    pub(super) silent: bool,
}

impl ProbeResult {
    pub(super) fn new(speaks: PortProtocol) -> ProbeResult {
        ProbeResult { speaks: Some(speaks), ..ProbeResult::default() }
    }
}

/// Probes a service.
pub(super) async fn probe(address: SocketAddr) -> ProbeResult {
    let request = format!(
        "HEAD / HTTP/1.1\r\nHost: localhost:{}\r\nUser-Agent: postern/{}\r\nAccept: */*\r\nConnection: close\r\n\r\n",
        address.port(),
        env!("CARGO_PKG_VERSION")
    );
    let Some(response) = exchange(address, request.as_bytes(), RESPONSE_TIMEOUT).await else {
        return ProbeResult::default();
    };
    let received = &response.received;
    let refused = received.starts_with(b"HTTP/1.1 400") || received.starts_with(b"HTTP/1.0 400");
    if received.starts_with(b"HTTP/") && !refused {
        return ProbeResult { software: software(received), ..ProbeResult::new(PortProtocol::Http) };
    }
    // A banner: a service that sends bytes first speaks neither HTTP nor TLS.
    if !received.is_empty() && !refused && !TLS_RECORD_TYPES.contains(&received[0]) {
        return ProbeResult::new(PortProtocol::Tcp);
    }
    let greeted = match client_hello() {
        Some(hello) => exchange(address, &hello, CONNECT_TIMEOUT).await.unwrap_or_default(),
        None => ProbeResponse::default(),
    };
    match greeted.received.first() {
        Some(0x16) => ProbeResult::new(PortProtocol::Https),
        _ if refused => ProbeResult { software: software(received), ..ProbeResult::new(PortProtocol::Http) },
        _ => ProbeResult { silent: response.timed_out && received.is_empty(), ..ProbeResult::new(PortProtocol::Tcp) },
    }
}

#[derive(Default)]
struct ProbeResponse {
    received: Vec<u8>,
    /// It had not ended in time.
    timed_out: bool,
}

/// Sends bytes and reads the response: `None` if the connection fails, empty if nothing arrives in time.
async fn exchange(address: SocketAddr, bytes: &[u8], limit: Duration) -> Option<ProbeResponse> {
    let mut stream = timeout(CONNECT_TIMEOUT, TcpStream::connect(address)).await.ok()?.ok()?;
    let mut received = Vec::new();
    let exchange = async {
        stream.write_all(bytes).await?;
        let mut piece = [0; 1024];
        while received.len() < MAX_RESPONSE_BYTES && !received.windows(4).any(|end| end == b"\r\n\r\n") {
            let count = stream.read(&mut piece).await?;
            if count == 0 {
                break;
            }
            received.extend_from_slice(&piece[..count]);
            if received.first().is_some_and(|first| TLS_RECORD_TYPES.contains(first)) {
                break;
            }
        }
        Ok::<(), std::io::Error>(())
    };
    let timed_out = timeout(limit, exchange).await.is_err();
    Some(ProbeResponse { received, timed_out })
}

/// A ClientHello. No certificate is checked: a service that responds with a handshake record speaks TLS.
fn client_hello() -> Option<Vec<u8>> {
    let config = ClientConfig::builder_with_provider(Arc::new(aws_lc_rs::default_provider()))
        .with_safe_default_protocol_versions()
        .ok()?
        .with_root_certificates(RootCertStore::empty())
        .with_no_client_auth();
    let mut connection =
        ClientConnection::new(Arc::new(config), ServerName::try_from("localhost").expect("a name")).ok()?;
    let mut bytes = Vec::new();
    connection.write_tls(&mut bytes).ok()?;
    Some(bytes)
}

/// The first word of `Server` or `X-Powered-By`, without its version.
fn software(answer: &[u8]) -> Option<String> {
    let mut headers = [httparse::EMPTY_HEADER; 64];
    let mut head = httparse::Response::new(&mut headers);
    head.parse(answer).ok()?;
    let named = |wanted: &str| {
        let header = head.headers.iter().find(|header| header.name.eq_ignore_ascii_case(wanted))?;
        let text = std::str::from_utf8(header.value).ok()?;
        let name = text.split(['/', ' ', '(']).next().unwrap_or_default();
        let plain =
            !name.is_empty() && name.len() <= MAX_SOFTWARE_NAME_CHARS && name.chars().all(|c| c.is_ascii_graphic());
        plain.then(|| name.to_owned())
    };
    named("x-powered-by").or_else(|| named("server"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use rcgen::generate_simple_self_signed;
    use rustls::ServerConfig;
    use rustls_pki_types::PrivateKeyDer;
    use tokio::net::TcpListener;
    use tokio_rustls::TlsAcceptor;

    async fn responds(answer: &'static [u8]) -> SocketAddr {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("listening");
        let address = listener.local_addr().expect("bound");
        tokio::spawn(async move {
            while let Ok((mut stream, _)) = listener.accept().await {
                let mut heard = [0; 2048];
                let _ = stream.read(&mut heard).await;
                let _ = stream.write_all(answer).await;
            }
        });
        address
    }

    #[tokio::test]
    async fn the_protocol_of_a_service_is_recognized() {
        let result = probe(responds(b"HTTP/1.1 404 Not Found\r\nX-Powered-By: Express\r\n\r\n").await).await;
        assert_eq!(result, ProbeResult { software: Some("Express".into()), ..ProbeResult::new(PortProtocol::Http) });
        let result = probe(responds(b"HTTP/1.1 400 Bad Request\r\nServer: strict/2\r\n\r\n").await).await;
        assert_eq!(result.speaks, Some(PortProtocol::Http), "a strict server of HTTP");
        assert_eq!(probe(responds(b"SSH-2.0-OpenSSH_9.2\r\n").await).await.speaks, Some(PortProtocol::Tcp));
        assert_eq!(
            probe(responds(b"").await).await,
            ProbeResult::new(PortProtocol::Tcp),
            "it closed the connection without a byte"
        );
    }

    #[tokio::test]
    async fn a_slow_first_response_is_waited_for() {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("listening");
        let address = listener.local_addr().expect("bound");
        tokio::spawn(async move {
            while let Ok((mut stream, _)) = listener.accept().await {
                tokio::time::sleep(CONNECT_TIMEOUT * 2).await;
                let _ = stream.write_all(b"HTTP/1.1 200 OK\r\n\r\n").await;
            }
        });
        assert_eq!(probe(address).await, ProbeResult::new(PortProtocol::Http));
    }

    #[tokio::test]
    async fn tls_is_recognized_with_any_certificate() {
        let made = generate_simple_self_signed(["localhost".to_owned()]).expect("made");
        let key = PrivateKeyDer::try_from(made.signing_key.serialize_der()).expect("a key");
        let config = ServerConfig::builder_with_provider(Arc::new(aws_lc_rs::default_provider()))
            .with_safe_default_protocol_versions()
            .expect("versions")
            .with_no_client_auth()
            .with_single_cert(vec![made.cert.der().clone()], key)
            .expect("a server");
        let acceptor = TlsAcceptor::from(Arc::new(config));
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("listening");
        let address = listener.local_addr().expect("bound");
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(acceptor.accept(stream));
            }
        });
        assert_eq!(probe(address).await.speaks, Some(PortProtocol::Https));
    }

    #[tokio::test]
    async fn a_closed_port_has_no_protocol() {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("listening");
        let address = listener.local_addr().expect("bound");
        drop(listener);
        assert_eq!(probe(address).await, ProbeResult::default());
    }

    #[test]
    fn a_software_name_is_one_plain_word() {
        let of = |value: &str| software(format!("HTTP/1.1 200 OK\r\nServer: {value}\r\n\r\n").as_bytes());
        assert_eq!(of("SimpleHTTP/0.6 Python/3.11").as_deref(), Some("SimpleHTTP"));
        assert_eq!(of(""), None);
        assert_eq!(of(&"x".repeat(200)), None);
    }
}
