//! Why a local service does not answer, as a sentence with a fix: it listens elsewhere, speaks TLS, or is slow.

use crate::{
    capture::MissingResponse,
    config::address::{LocalAddress, Transport},
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

/// How long another address of this machine may take.
const NEARBY: Duration = Duration::from_millis(250);
/// How long a handshake with a service that may speak TLS may take.
const HANDSHAKE: Duration = Duration::from_secs(1);
/// A service is asked whether it speaks TLS no more often than this.
const APART: Duration = Duration::from_secs(5);
/// A service that is silent for so long is slow rather than gone.
const SLOW: Duration = Duration::from_secs(5);
/// How a message begins by which TLS says that it cannot go on: an alert, of version 3.
const ALERT: [u8; 2] = [0x15, 3];

/// Finds reasons; remembers what it has asked services lately.
#[derive(Default)]
pub struct Reasons {
    asked: Mutex<Option<(LocalAddress, Instant, bool)>>,
}

/// Where else a service listens that refused a connection to one of this machine's addresses.
pub(super) async fn listens_elsewhere(target: SocketAddr) -> Option<String> {
    let loopback = [IpAddr::from(Ipv4Addr::LOCALHOST), IpAddr::from(Ipv6Addr::LOCALHOST)];
    if !target.ip().is_loopback() && !is_own(target.ip()) {
        return None;
    }
    for ip in loopback.into_iter().filter(|ip| *ip != target.ip()) {
        let other = SocketAddr::new(ip, target.port());
        if matches!(timeout(NEARBY, TcpStream::connect(other)).await, Ok(Ok(_))) {
            return Some(format!("nothing listens on {target}, but on {other} something does; write {other} as addr"));
        }
    }
    None
}

/// Only this machine's addresses can be bound.
fn is_own(address: IpAddr) -> bool {
    std::net::UdpSocket::bind(SocketAddr::new(address, 0)).is_ok()
}

impl Reasons {
    /// Why a request over plain HTTP got no answer, if there is more to say than that.
    pub(super) async fn of(
        &self,
        silence: &MissingResponse,
        address: &LocalAddress,
        tls: &TlsConnector,
    ) -> Option<String> {
        let authority = address.authority();
        if address.transport == Transport::Plain
            && (silence.first_bytes.starts_with(&ALERT)
                || (silence.first_bytes.is_empty() && silence.waited < SLOW && self.speaks_tls(address, tls).await))
        {
            return Some(format!(
                "The local service at {authority} speaks TLS, and the tunnel spoke plain HTTP to it. Write https://{authority} as addr."
            ));
        }
        (silence.waited >= SLOW).then(|| {
            format!(
                "The local service at {authority} had not answered after {:.0} s, when the wait was over. It took the connection, so it runs: look there for what it is waiting for.",
                silence.waited.as_secs_f64()
            )
        })
    }

    async fn speaks_tls(&self, address: &LocalAddress, tls: &TlsConnector) -> bool {
        let Ok(name) = ServerName::try_from(address.host.clone()) else { return false };
        if let Some((_, _, spoke)) = self.asked().filter(|(of, at, _)| of == address && at.elapsed() < APART) {
            return spoke;
        }
        let ask = async {
            let stream = TcpStream::connect((address.host.as_str(), address.port)).await.ok()?;
            tls.connect(name, stream).await.ok()
        };
        let spoke = matches!(timeout(HANDSHAKE, ask).await, Ok(Some(_)));
        *self.asked.lock().unwrap_or_else(PoisonError::into_inner) = Some((address.clone(), Instant::now(), spoke));
        spoke
    }

    fn asked(&self) -> Option<(LocalAddress, Instant, bool)> {
        self.asked.lock().unwrap_or_else(PoisonError::into_inner).clone()
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
    async fn an_alert_of_tls_and_a_long_silence_speak_for_themselves() {
        let address = LocalAddress::parse("127.0.0.1:9", true).expect("valid");
        let of = async |first: &[u8], seconds| {
            let silence = MissingResponse { first_bytes: first.to_vec(), waited: Duration::from_secs(seconds) };
            Reasons::default().of(&silence, &address, &connector()).await
        };
        assert!(of(&[0x15, 3, 1, 0, 2, 2, 70], 0).await.expect("TLS").contains("Write https://127.0.0.1:9 as addr."));
        assert!(of(b"", 31).await.expect("slow").contains("had not answered after 31 s"));
        assert_eq!(of(b"SSH-2.0", 0).await, None);
        assert_eq!(of(b"", 0).await, None, "nobody is there to be asked");
    }
}
