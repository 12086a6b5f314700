//! Diagnoses why a local service does not respond: it listens on another address, speaks TLS, or is slow.

use crate::{
    capture::MissingResponse,
    config::local_address::{LocalAddress, LocalTransport},
};
use rustls_pki_types::ServerName;
use std::{
    net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr},
    sync::{Mutex, PoisonError},
    time::Duration,
};
use tokio::{
    net::TcpStream,
    time::{Instant, timeout},
};
use tokio_rustls::TlsConnector;

/// Timeout for a connection to another address of this machine.
const LOOPBACK_PROBE_TIMEOUT: Duration = Duration::from_millis(250);
/// Timeout for the handshake that finds out whether a service speaks TLS.
const TLS_PROBE_TIMEOUT: Duration = Duration::from_secs(1);
/// Minimum time between two such probes.
const MIN_TLS_PROBE_INTERVAL: Duration = Duration::from_secs(5);
/// A service that is silent for this long is slow rather than gone.
const SLOW_RESPONSE_TIME: Duration = Duration::from_secs(5);
/// First bytes of a TLS alert record (RFC 8446, section 5.1; legacy version 3).
const TLS_ALERT_PREFIX: [u8; 2] = [0x15, 3];

/// Explains missing responses; caches the last TLS probe.
#[derive(Default)]
pub struct ResponseDiagnosis {
    last_probe: Mutex<Option<(LocalAddress, Instant, bool)>>,
}

/// Finds another loopback address on which a service listens that refused a connection to `target`.
pub(super) async fn listens_elsewhere(target: SocketAddr) -> Option<String> {
    let loopback = [IpAddr::from(Ipv4Addr::LOCALHOST), IpAddr::from(Ipv6Addr::LOCALHOST)];
    if !target.ip().is_loopback() && !is_own(target.ip()) {
        return None;
    }
    for ip in loopback.into_iter().filter(|ip| *ip != target.ip()) {
        let other = SocketAddr::new(ip, target.port());
        if matches!(timeout(LOOPBACK_PROBE_TIMEOUT, TcpStream::connect(other)).await, Ok(Ok(_))) {
            return Some(format!(
                "nothing listens on {target}, but a service listens on {other}; write {other} as addr"
            ));
        }
    }
    None
}

/// A socket can be bound only to addresses of this machine.
fn is_own(address: IpAddr) -> bool {
    std::net::UdpSocket::bind(SocketAddr::new(address, 0)).is_ok()
}

impl ResponseDiagnosis {
    /// Explains why a request over plain HTTP got no response, if the cause can be determined.
    pub(super) async fn explain(
        &self,
        missing: &MissingResponse,
        address: &LocalAddress,
        tls: &TlsConnector,
    ) -> Option<String> {
        let authority = address.authority();
        if address.transport == LocalTransport::Plain
            && (missing.first_bytes.starts_with(&TLS_ALERT_PREFIX)
                || (missing.first_bytes.is_empty()
                    && missing.waited < SLOW_RESPONSE_TIME
                    && self.probe_tls(address, tls).await))
        {
            return Some(format!(
                "The local service at {authority} speaks TLS, and the tunnel spoke plain HTTP to it. Write https://{authority} as addr."
            ));
        }
        (missing.waited >= SLOW_RESPONSE_TIME).then(|| {
            format!(
                "The local service at {authority} had not responded after {:.0} s, when the request was ended. It accepted the connection, so it runs: check what it is waiting for.",
                missing.waited.as_secs_f64()
            )
        })
    }

    async fn probe_tls(&self, address: &LocalAddress, tls: &TlsConnector) -> bool {
        let Ok(name) = ServerName::try_from(address.host.clone()) else { return false };
        if let Some((_, _, speaks_tls)) =
            self.last_probe().filter(|(probed, at, _)| probed == address && at.elapsed() < MIN_TLS_PROBE_INTERVAL)
        {
            return speaks_tls;
        }
        let probe = async {
            let stream = TcpStream::connect((address.host.as_str(), address.port)).await.ok()?;
            tls.connect(name, stream).await.ok()
        };
        let speaks_tls = matches!(timeout(TLS_PROBE_TIMEOUT, probe).await, Ok(Some(_)));
        *self.last_probe.lock().unwrap_or_else(PoisonError::into_inner) =
            Some((address.clone(), Instant::now(), speaks_tls));
        speaks_tls
    }

    fn last_probe(&self) -> Option<(LocalAddress, Instant, bool)> {
        self.last_probe.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;
    use tokio::net::TcpListener;

    fn connector() -> TlsConnector {
        let roots = rustls::RootCertStore::empty();
        let provider = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
        let config = rustls::ClientConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .expect("versions")
            .with_root_certificates(roots)
            .with_no_client_auth();
        TlsConnector::from(Arc::new(config))
    }

    #[tokio::test]
    async fn a_service_on_the_other_loopback_address_is_found() {
        let listener = TcpListener::bind("[::1]:0").await.expect("listening");
        let port = listener.local_addr().expect("bound").port();
        let why = listens_elsewhere(SocketAddr::from(([127, 0, 0, 1], port))).await.expect("found");
        assert!(why.ends_with(&format!("write [::1]:{port} as addr")), "{why}");
        drop(listener);
        assert_eq!(listens_elsewhere(SocketAddr::from(([127, 0, 0, 1], port))).await, None);
    }

    #[tokio::test]
    async fn a_tls_alert_and_a_slow_response_are_explained() {
        let address = LocalAddress::parse("127.0.0.1:9", true).expect("valid");
        let explain = async |first: &[u8], seconds| {
            let missing = MissingResponse {
                first_bytes: first.to_vec(),
                waited: Duration::from_secs(seconds),
                since_request: None,
            };
            ResponseDiagnosis::default().explain(&missing, &address, &connector()).await
        };
        assert!(
            explain(&[0x15, 3, 1, 0, 2, 2, 70], 0).await.expect("TLS").contains("Write https://127.0.0.1:9 as addr.")
        );
        assert!(explain(b"", 31).await.expect("slow").contains("had not responded after 31 s"));
        assert_eq!(explain(b"SSH-2.0", 0).await, None);
        assert_eq!(explain(b"", 0).await, None, "no service to probe");
    }
}
