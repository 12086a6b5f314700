//! The visitor: a client on the public side that trusts the server's authority.

use crate::server::Server;
use bytes::Bytes;
use postern_api::Code;
use postern_test_kit::tls;
use reqwest::{
    Certificate, Client, ClientBuilder, RequestBuilder, Response,
    dns::{Addrs, Name, Resolve, Resolving},
};
use rustls_pki_types::{CertificateDer, ServerName, pem::PemObject};
use std::{
    net::{Ipv4Addr, SocketAddr},
    path::{Path, PathBuf},
    sync::Arc,
};
use tokio::net::TcpStream;
use tokio_rustls::client::TlsStream;

/// A client of public addresses.
#[derive(Clone)]
pub struct Visitor {
    /// For requests of any kind.
    pub http: Client,
    authority: PathBuf,
    https: SocketAddr,
}

/// A complete response.
#[derive(Clone, Debug)]
pub struct VisitorResponse {
    /// The HTTP status.
    pub status: u16,
    /// The HTTP version.
    pub version: http::Version,
    /// The headers.
    pub headers: http::HeaderMap,
    /// The body.
    pub body: Bytes,
}

impl VisitorResponse {
    /// Reads a response to its end.
    pub async fn read(response: Response) -> VisitorResponse {
        let (status, version, headers) = (response.status().as_u16(), response.version(), response.headers().clone());
        VisitorResponse { status, version, headers, body: response.bytes().await.expect("the body is complete") }
    }

    /// The body as text.
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    /// The value of a header; empty if it is missing.
    pub fn header(&self, name: &str) -> &str {
        self.headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default()
    }

    /// The code of the edge's refusal. Panics if the edge did not refuse.
    #[track_caller]
    pub fn refused(&self) -> Code {
        let code = self.header("postern-error-code");
        code.parse().unwrap_or_else(|()| panic!("not refused by the edge: {} {:?}", self.status, self.text()))
    }
}

/// Resolves every name to this machine.
struct LoopbackResolver;

impl Resolve for LoopbackResolver {
    fn resolve(&self, _: Name) -> Resolving {
        let addresses: Addrs = Box::new(std::iter::once(SocketAddr::from((Ipv4Addr::LOCALHOST, 0))));
        Box::pin(std::future::ready(Ok(addresses)))
    }
}

impl Visitor {
    /// A visitor of this server.
    pub fn new(server: &Server) -> Visitor {
        let authority = server.authority();
        let http = Visitor::client(&authority, |builder| builder);
        Visitor { http, authority, https: server.addresses.https }
    }

    /// The same visitor with a modified HTTP client.
    #[must_use]
    pub fn with(&self, change: impl FnOnce(ClientBuilder) -> ClientBuilder) -> Visitor {
        Visitor { http: Visitor::client(&self.authority, change), ..self.clone() }
    }

    fn client(authority: &Path, change: impl FnOnce(ClientBuilder) -> ClientBuilder) -> Client {
        let pem = std::fs::read(authority).expect("the authority's certificate");
        let certificate = Certificate::from_pem(&pem).expect("a certificate");
        let builder = Client::builder()
            .no_proxy()
            .tls_certs_only([certificate])
            .dns_resolver(Arc::new(LoopbackResolver))
            .redirect(reqwest::redirect::Policy::none());
        change(builder).build().expect("a client")
    }

    /// Sends a GET request and reads the response to its end.
    pub async fn get(&self, url: &str) -> VisitorResponse {
        self.send(self.http.get(url)).await
    }

    /// Sends a request and reads the response to its end.
    pub async fn send(&self, request: RequestBuilder) -> VisitorResponse {
        VisitorResponse::read(request.send().await.unwrap_or_else(|error| panic!("no response: {error:?}"))).await
    }

    /// A TLS connection to the HTTPS port with this server name.
    ///
    /// # Errors
    /// The connection or the handshake failed.
    pub async fn tls(&self, name: &str, alpn: &[&[u8]]) -> std::io::Result<TlsStream<TcpStream>> {
        let authority = CertificateDer::from_pem_file(&self.authority).expect("PEM");
        let stream = TcpStream::connect(self.https).await?;
        let name = ServerName::try_from(name.to_owned()).expect("a server name");
        tls::connector(&[authority], alpn).connect(name, stream).await
    }
}
