//! Asking a service what it speaks, with one `HEAD /` and at most one greeting of TLS.

use rustls::{ClientConfig, ClientConnection, RootCertStore, crypto::aws_lc_rs};
use rustls_pki_types::ServerName;
use std::{net::SocketAddr, sync::Arc, time::Duration};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
    time::timeout,
};

/// In which a service on this machine takes a connection, or answers a greeting of TLS.
const PATIENCE: Duration = Duration::from_millis(700);
/// In which it answers a request: a development server may have to build its page first.
const PATIENCE_WITH_PAGES: Duration = Duration::from_secs(3);
/// What is read of an answer: its headers, at least the first of them.
const HEAD: usize = 4096;
/// How a message of TLS begins: an alert or a handshake.
const OF_TLS: [u8; 2] = [0x15, 0x16];
const LONGEST_NAME: usize = 40;

/// What a service says when it is asked.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Voice {
    /// `http`, `https`, `tcp`, or nothing where nothing answers.
    pub(super) speaks: Option<&'static str>,
    /// What it calls itself.
    pub(super) software: Option<String>,
    /// It took what was said and answered nothing in time: what it speaks is a guess.
    pub(super) silent: bool,
}

impl Voice {
    pub(super) fn of(speaks: &'static str) -> Voice {
        Voice { speaks: Some(speaks), ..Voice::default() }
    }
}

pub(super) async fn ask(address: SocketAddr) -> Voice {
    let request = format!(
        "HEAD / HTTP/1.1\r\nHost: localhost:{}\r\nUser-Agent: postern/{}\r\nAccept: */*\r\nConnection: close\r\n\r\n",
        address.port(),
        env!("CARGO_PKG_VERSION")
    );
    let Some(answer) = say(address, request.as_bytes(), PATIENCE_WITH_PAGES).await else { return Voice::default() };
    let heard = &answer.heard;
    let refused = heard.starts_with(b"HTTP/1.1 400") || heard.starts_with(b"HTTP/1.0 400");
    if heard.starts_with(b"HTTP/") && !refused {
        return Voice { software: software(heard), ..Voice::of("http") };
    }
    // A banner: who speaks first without being asked speaks neither HTTP nor TLS.
    if !heard.is_empty() && !refused && !OF_TLS.contains(&heard[0]) {
        return Voice::of("tcp");
    }
    let greeted = match hello() {
        Some(hello) => say(address, &hello, PATIENCE).await.unwrap_or_default(),
        None => Answer::default(),
    };
    match greeted.heard.first() {
        Some(0x16) => Voice::of("https"),
        _ if refused => Voice { software: software(heard), ..Voice::of("http") },
        _ => Voice { silent: answer.late && heard.is_empty(), ..Voice::of("tcp") },
    }
}

#[derive(Default)]
struct Answer {
    heard: Vec<u8>,
    /// It had not ended when patience did.
    late: bool,
}

/// What comes back; `None` where nobody takes the connection, nothing where nothing is said in time.
async fn say(address: SocketAddr, bytes: &[u8], patience: Duration) -> Option<Answer> {
    let mut stream = timeout(PATIENCE, TcpStream::connect(address)).await.ok()?.ok()?;
    let mut answer = Vec::new();
    let exchange = async {
        stream.write_all(bytes).await?;
        let mut piece = [0; 1024];
        while answer.len() < HEAD && !answer.windows(4).any(|end| end == b"\r\n\r\n") {
            let count = stream.read(&mut piece).await?;
            if count == 0 {
                break;
            }
            answer.extend_from_slice(&piece[..count]);
            if answer.first().is_some_and(|first| OF_TLS.contains(first)) {
                break;
            }
        }
        Ok::<(), std::io::Error>(())
    };
    let late = timeout(patience, exchange).await.is_err();
    Some(Answer { heard: answer, late })
}

/// The first message of a handshake. No certificate is looked at: whoever answers with a handshake speaks TLS.
fn hello() -> Option<Vec<u8>> {
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
        let plain = !name.is_empty() && name.len() <= LONGEST_NAME && name.chars().all(|c| c.is_ascii_graphic());
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

    async fn says(answer: &'static [u8]) -> SocketAddr {
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
    async fn what_a_service_speaks_is_heard() {
        let voice = ask(says(b"HTTP/1.1 404 Not Found\r\nX-Powered-By: Express\r\n\r\n").await).await;
        assert_eq!(voice, Voice { software: Some("Express".into()), ..Voice::of("http") });
        let voice = ask(says(b"HTTP/1.1 400 Bad Request\r\nServer: strict/2\r\n\r\n").await).await;
        assert_eq!(voice.speaks, Some("http"), "a strict server of HTTP");
        assert_eq!(ask(says(b"SSH-2.0-OpenSSH_9.2\r\n").await).await.speaks, Some("tcp"));
        assert_eq!(ask(says(b"").await).await, Voice::of("tcp"), "it closed without a word");
    }

    #[tokio::test]
    async fn a_server_that_builds_its_page_first_is_waited_for() {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("listening");
        let address = listener.local_addr().expect("bound");
        tokio::spawn(async move {
            while let Ok((mut stream, _)) = listener.accept().await {
                tokio::time::sleep(PATIENCE * 2).await;
                let _ = stream.write_all(b"HTTP/1.1 200 OK\r\n\r\n").await;
            }
        });
        assert_eq!(ask(address).await, Voice::of("http"));
    }

    #[tokio::test]
    async fn tls_is_heard_though_its_certificate_is_nobodys() {
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
        assert_eq!(ask(address).await.speaks, Some("https"));
    }

    #[tokio::test]
    async fn where_nobody_listens_nothing_is_said() {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("listening");
        let address = listener.local_addr().expect("bound");
        drop(listener);
        assert_eq!(ask(address).await, Voice::default());
    }

    #[test]
    fn a_name_of_software_is_one_plain_word() {
        let of = |value: &str| software(format!("HTTP/1.1 200 OK\r\nServer: {value}\r\n\r\n").as_bytes());
        assert_eq!(of("SimpleHTTP/0.6 Python/3.11").as_deref(), Some("SimpleHTTP"));
        assert_eq!(of(""), None);
        assert_eq!(of(&"x".repeat(200)), None);
    }
}
