//! Connections to local services.

use super::{builtin, guard::Guard};
use crate::config::{
    LocalUpstream,
    local_address::{LocalAddress, LocalTransport},
    upstream_protocol::UpstreamProtocol,
    upstream_trust::UpstreamTrust,
};
use postern_api::{Code, Error};
use postern_tunnel::{message::AppProtocol, proxy};
use rustls::{
    ClientConfig, DigitallySignedStruct, SignatureScheme,
    client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier},
    crypto::CryptoProvider,
};
use rustls_pki_types::{CertificateDer, ServerName, UnixTime};
use std::{
    net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr},
    path::Path,
    sync::{Arc, OnceLock},
    time::Duration,
};
use tokio::{
    io::{AsyncRead, AsyncWrite, AsyncWriteExt},
    net::TcpStream,
};
use tokio_rustls::{TlsConnector, client::TlsStream};

/// Timeout for resolving and connecting to a local service, in total.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);

/// Connects to local services.
pub struct LocalDialer {
    guard: Arc<Guard>,
    provider: Arc<CryptoProvider>,
    verified: OnceLock<Result<TlsConnector, String>>,
    unverified: TlsConnector,
}

/// A connection to a local service.
pub enum LocalStream {
    /// Plain TCP.
    Plain(TcpStream),
    /// TLS.
    Tls(Box<TlsStream<TcpStream>>),
    /// A Unix socket, or a response of the agent itself.
    Other(Box<dyn LocalIo>),
}

/// A bidirectional byte stream.
pub trait LocalIo: AsyncRead + AsyncWrite + Unpin + Send {}

impl<T: AsyncRead + AsyncWrite + Unpin + Send> LocalIo for T {}

/// Options of a connection to a local service.
#[derive(Clone, Debug, Default)]
pub struct LocalConnectOptions {
    /// Negotiate HTTP/2 in the TLS handshake.
    http2: bool,
    /// Bytes that are sent first: a PROXY protocol header.
    preamble: Vec<u8>,
    /// Certificates to accept.
    trust: UpstreamTrust,
}

impl LocalConnectOptions {
    /// The options of a tunnel for a visitor that reached a public address.
    pub fn for_visitor(wire: &UpstreamProtocol, visitor: SocketAddr, reached: Option<SocketAddr>) -> Self {
        let preamble = wire.proxy_protocol.map(|version| proxy::encode(version, visitor, reached)).unwrap_or_default();
        LocalConnectOptions { http2: wire.app_protocol == AppProtocol::Http2, preamble, trust: wire.trust.clone() }
    }
}

impl LocalConnectOptions {
    /// The options of a tunnel for a probe, without a PROXY protocol header.
    pub fn probe(wire: &UpstreamProtocol) -> Self {
        LocalConnectOptions {
            http2: wire.app_protocol == AppProtocol::Http2,
            preamble: Vec::new(),
            trust: wire.trust.clone(),
        }
    }
}

impl LocalDialer {
    /// A dialer that obeys the guard.
    pub fn new(guard: Arc<Guard>) -> Self {
        let provider = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
        let unverified = ClientConfig::builder_with_provider(provider.clone())
            .with_safe_default_protocol_versions()
            .expect("the provider has suites for the default versions")
            .dangerous()
            .with_custom_certificate_verifier(Arc::new(AnyCertificate(provider.clone())))
            .with_no_client_auth();
        LocalDialer { guard, provider, verified: OnceLock::new(), unverified: TlsConnector::from(Arc::new(unverified)) }
    }

    /// Checks that a tunnel may lead to this upstream. A name that cannot be resolved now passes: the check is repeated
    /// at every connection.
    ///
    /// # Errors
    /// The errors of [`Guard::check`]; `ServiceUnreachable` for a folder that does not exist.
    pub async fn check(&self, upstream: &LocalUpstream) -> Result<(), Error> {
        let address = match upstream {
            LocalUpstream::Address(address) => address,
            LocalUpstream::Folder(path) => {
                return builtin::folder(path).map(drop).map_err(|error| no_folder(path, &error));
            }
            LocalUpstream::Socket(_) | LocalUpstream::Catch(_) => return Ok(()),
        };
        for target in resolve(address).await.unwrap_or_default() {
            self.guard.check(target)?;
        }
        Ok(())
    }

    /// Connects.
    ///
    /// # Errors
    /// `ServiceUnreachable` with the reason; `TunnelLoop` for the agent itself.
    pub async fn connect(&self, upstream: &LocalUpstream, options: &LocalConnectOptions) -> Result<LocalStream, Error> {
        let address = match upstream {
            LocalUpstream::Address(address) => address,
            LocalUpstream::Socket(path) => return socket(path, options).await,
            LocalUpstream::Folder(path) => {
                let stream = builtin::folder(path).map_err(|error| no_folder(path, &error))?;
                return Ok(LocalStream::Other(Box::new(stream)));
            }
            LocalUpstream::Catch(script) => return Ok(LocalStream::Other(Box::new(builtin::script(script)))),
        };
        match tokio::time::timeout(CONNECT_TIMEOUT, self.connect_any(address, options)).await {
            Ok(connected) => connected,
            Err(_) => Err(unreachable(address, "it does not respond")),
        }
    }

    async fn connect_any(&self, address: &LocalAddress, options: &LocalConnectOptions) -> Result<LocalStream, Error> {
        let targets = resolve(address)
            .await
            .map_err(|error| unreachable(address, &format!("its name cannot be resolved ({error})")))?;
        let mut last = "its name has no address".to_owned();
        for target in targets {
            self.guard.check(target).map_err(|mut error| {
                if error.code == Code::OwnListener {
                    error.code = Code::TunnelLoop;
                }
                error
            })?;
            match TcpStream::connect(target).await {
                Ok(mut stream) => {
                    // No other socket options: a local service that reads slowly must not be timed out.
                    let _ = stream.set_nodelay(true);
                    if let Err(error) = stream.write_all(&options.preamble).await {
                        return Err(unreachable(address, &reason(&error)));
                    }
                    return match address.transport {
                        LocalTransport::Plain => Ok(LocalStream::Plain(stream)),
                        LocalTransport::Tls => Box::pin(self.connect_tls(address, target, stream, options)).await,
                    };
                }
                Err(error) => {
                    let elsewhere = match error.kind() {
                        std::io::ErrorKind::ConnectionRefused => {
                            Box::pin(super::diagnosis::listens_elsewhere(target)).await
                        }
                        _ => None,
                    };
                    last = elsewhere.unwrap_or_else(|| reason(&error));
                }
            }
        }
        Err(unreachable(address, &last))
    }

    async fn connect_tls(
        &self,
        address: &LocalAddress,
        target: SocketAddr,
        stream: TcpStream,
        options: &LocalConnectOptions,
    ) -> Result<LocalStream, Error> {
        let name = ServerName::try_from(address.host.clone())
            .map_err(|_| unreachable(address, "its name is not valid in a certificate"))?;
        // Traffic to this machine does not cross a network, and development servers use self-signed certificates;
        // everywhere else the certificate must be valid.
        let connector = match &options.trust {
            UpstreamTrust::Authorities(authorities) => TlsConnector::from(authorities.config.clone()),
            UpstreamTrust::Any => self.unverified.clone(),
            UpstreamTrust::Default if target.ip().to_canonical().is_loopback() => self.unverified.clone(),
            UpstreamTrust::Default | UpstreamTrust::System => self.verifying(address)?,
        };
        let connecting = if options.http2 {
            connector.with_alpn(vec![b"h2".to_vec()]).connect(name, stream)
        } else {
            connector.connect(name, stream)
        };
        match connecting.await {
            Ok(stream) => Ok(LocalStream::Tls(Box::new(stream))),
            Err(error) => {
                let hint = match error.get_ref().and_then(|inner| inner.downcast_ref::<rustls::Error>()) {
                    Some(rustls::Error::InvalidCertificate(_)) => {
                        ". `verify_upstream_tls_cas` names the authorities to trust, `verify_upstream_tls: false` trusts any certificate"
                    }
                    _ => "",
                };
                Err(unreachable(address, &format!("TLS with it failed: {error}{hint}")))
            }
        }
    }

    /// TLS without verification, to find out whether a service speaks it.
    pub(super) fn unverified(&self) -> &TlsConnector {
        &self.unverified
    }

    fn verifying(&self, address: &LocalAddress) -> Result<TlsConnector, Error> {
        let made = self.verified.get_or_init(|| {
            let verifier =
                rustls_platform_verifier::Verifier::new(self.provider.clone()).map_err(|error| error.to_string())?;
            let config = ClientConfig::builder_with_provider(self.provider.clone())
                .with_safe_default_protocol_versions()
                .map_err(|error| error.to_string())?
                .dangerous()
                .with_custom_certificate_verifier(Arc::new(verifier))
                .with_no_client_auth();
            Ok(TlsConnector::from(Arc::new(config)))
        });
        made.clone()
            .map_err(|why| unreachable(address, &format!("the system's certificate store cannot be read: {why}")))
    }
}

#[cfg(unix)]
async fn socket(path: &Path, options: &LocalConnectOptions) -> Result<LocalStream, Error> {
    let unreachable_socket = |error: std::io::Error| {
        let (path, why) = (path.display(), reason(&error));
        let message = format!("The local service at the socket {path} cannot be reached: {why}. Is it running?");
        Error::new(Code::ServiceUnreachable, message)
    };
    let mut stream = tokio::net::UnixStream::connect(path).await.map_err(unreachable_socket)?;
    stream.write_all(&options.preamble).await.map_err(unreachable_socket)?;
    Ok(LocalStream::Other(Box::new(stream)))
}

#[cfg(not(unix))]
async fn socket(path: &Path, _: &LocalConnectOptions) -> Result<LocalStream, Error> {
    let message = format!("This system has no Unix sockets such as {}.", path.display());
    Err(Error::new(Code::ServiceUnreachable, message))
}

fn no_folder(path: &Path, error: &std::io::Error) -> Error {
    let message = format!("The folder {} cannot be served: {error}. Does it exist?", path.display());
    Error::new(Code::ServiceUnreachable, message)
}

fn unreachable(address: &LocalAddress, why: &str) -> Error {
    Error::new(
        Code::ServiceUnreachable,
        format!(
            "The local service at {} cannot be reached: {why}. Is it running, and is the address right?",
            address.authority()
        ),
    )
}

/// The reason without the operating system's error number.
fn reason(error: &std::io::Error) -> String {
    match error.kind() {
        std::io::ErrorKind::ConnectionRefused => "the connection was refused".to_owned(),
        _ => error.to_string(),
    }
}

async fn resolve(address: &LocalAddress) -> std::io::Result<Vec<SocketAddr>> {
    if let Ok(ip) = address.host.parse::<IpAddr>() {
        return Ok(vec![SocketAddr::new(ip, address.port)]);
    }
    if address.host.eq_ignore_ascii_case("localhost") {
        let both = [IpAddr::from(Ipv4Addr::LOCALHOST), IpAddr::from(Ipv6Addr::LOCALHOST)];
        return Ok(both.map(|ip| SocketAddr::new(ip, address.port)).to_vec());
    }
    // The system's resolver also accepts spellings such as 127.1 or 0x7f000001: the result is what the guard checks.
    Ok(tokio::net::lookup_host((address.host.as_str(), address.port)).await?.collect())
}

/// Accepts any certificate, but still checks that the peer holds its key.
#[derive(Debug)]
struct AnyCertificate(Arc<CryptoProvider>);

impl ServerCertVerifier for AnyCertificate {
    fn verify_server_cert(
        &self,
        _: &CertificateDer<'_>,
        _: &[CertificateDer<'_>],
        _: &ServerName<'_>,
        _: &[u8],
        _: UnixTime,
    ) -> Result<ServerCertVerified, rustls::Error> {
        Ok(ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        dss: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        rustls::crypto::verify_tls12_signature(message, cert, dss, &self.0.signature_verification_algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        dss: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        rustls::crypto::verify_tls13_signature(message, cert, dss, &self.0.signature_verification_algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.0.signature_verification_algorithms.supported_schemes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn the_own_listener_is_refused_at_start_and_at_connect_time() {
        let guard = Arc::new(Guard::default());
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("listening");
        let own = listener.local_addr().expect("bound");
        guard.set_own(vec![own]);
        let dial = LocalDialer::new(guard);
        let port = own.port();
        for host in [
            "localhost",
            "LOCALHOST",
            "127.0.0.1",
            "127.0.0.9",
            "0.0.0.0",
            "[::1]",
            "[::ffff:127.0.0.1]",
            "127.1",
            "2130706433",
            "0x7f000001",
        ] {
            let text = format!("{host}:{port}");
            let address = LocalUpstream::Address(LocalAddress::parse(&text, true).expect(&text));
            assert_eq!(dial.check(&address).await.expect_err(&text).code, Code::OwnListener, "{text}");
            assert_eq!(
                dial.connect(&address, &LocalConnectOptions::default()).await.err().expect(&text).code,
                Code::TunnelLoop,
                "{text}"
            );
        }
    }

    #[tokio::test]
    async fn an_unreachable_service_is_reported_with_the_reason() {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("listening");
        let port = listener.local_addr().expect("bound").port();
        drop(listener);
        let dial = LocalDialer::new(Arc::default());
        let address =
            LocalAddress::parse(&format!("127.0.0.1:{port}"), true).map(LocalUpstream::Address).expect("valid");
        let error = dial.connect(&address, &LocalConnectOptions::default()).await.err().expect("down");
        assert_eq!(error.code, Code::ServiceUnreachable);
        assert!(error.message.contains("refused"), "{error}");
    }
}
