//! Connections to the server through a proxy: HTTP CONNECT (RFC 9110, section 9.3.6) or SOCKS 5 (RFC 1928).

use crate::config::{
    AgentSettings, ServerAddress,
    proxy::{Proxy, ProxyKind},
};
use base64::{Engine, engine::general_purpose::STANDARD};
use http::{HeaderValue, Uri};
use hyper_util::{
    client::legacy::connect::proxy::{SocksV5, Tunnel},
    rt::TokioIo,
};
use postern_tunnel::{BoxedTransport, Transport};
use rustls::ClientConfig;
use rustls_pki_types::ServerName;
use std::{io, net::SocketAddr, sync::Arc};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tower::{Service, ServiceExt, service_fn};

/// The proxy for a server, if any: the configured one, or the one of the environment.
pub fn proxy_for(settings: &AgentSettings, server: &ServerAddress) -> Option<Proxy> {
    settings.proxy.clone().or_else(|| Proxy::from_environment(server))
}

/// Connects to a server at this address, or through the proxy at this address. Returns the local address too.
///
/// # Errors
/// The connection failed, or the proxy refused it.
pub async fn connect(
    remote: SocketAddr,
    proxy: Option<&Proxy>,
    server: &ServerAddress,
) -> io::Result<(BoxedTransport, SocketAddr)> {
    let stream = TcpStream::connect(remote).await?;
    postern_tunnel::sockets::tune(&stream);
    let own = stream.local_addr()?;
    match proxy {
        None => Ok((Box::new(stream), own)),
        Some(proxy) => Ok((connect_through(proxy, stream, server).await?, own)),
    }
}

/// Asks a proxy to connect to a server.
///
/// # Errors
/// The proxy's refusal, as the second half of a sentence.
pub async fn connect_through(proxy: &Proxy, stream: TcpStream, server: &ServerAddress) -> io::Result<BoxedTransport> {
    let target: Uri = format!("https://{server}").parse().map_err(io::Error::other)?;
    match proxy.kind {
        ProxyKind::Http => http_connect(proxy, stream, target).await,
        ProxyKind::Https => {
            let name = ServerName::try_from(proxy.address.host.clone()).map_err(io::Error::other)?;
            let stream = TlsConnector::from(Arc::new(tls_config()?)).connect(name, stream).await?;
            http_connect(proxy, stream, target).await
        }
        ProxyKind::Socks => {
            let mut socks = SocksV5::new(Uri::from_static("socks5://proxy"), single_use(stream));
            if let Some((name, password)) = &proxy.user {
                socks = socks.with_auth(name.clone(), password.reveal().to_owned());
            }
            let stream = socks.ready().await.map_err(with_sources)?.call(target).await.map_err(with_sources)?;
            Ok(Box::new(stream.into_inner()))
        }
    }
}

/// Connects with the `CONNECT` method.
async fn http_connect<S: Transport>(proxy: &Proxy, stream: S, target: Uri) -> io::Result<BoxedTransport> {
    let mut tunnel = Tunnel::new(Uri::from_static("http://proxy"), single_use(stream));
    if let Some((name, password)) = &proxy.user {
        let value = format!("Basic {}", STANDARD.encode(format!("{name}:{}", password.reveal())));
        tunnel = tunnel.with_auth(HeaderValue::try_from(value).map_err(io::Error::other)?);
    }
    let stream = tunnel.ready().await.map_err(with_sources)?.call(target).await.map_err(with_sources)?;
    Ok(Box::new(stream.into_inner()))
}

/// Hands out an existing connection to a library that expects a connector.
fn single_use<S: Transport>(
    stream: S,
) -> impl Service<
    Uri,
    Response = TokioIo<S>,
    Error = io::Error,
    Future = impl Future<Output = io::Result<TokioIo<S>>> + Send + 'static,
> {
    let mut there = Some(TokioIo::new(stream));
    service_fn(move |_: Uri| {
        let stream = there.take();
        async move { stream.ok_or_else(|| io::ErrorKind::NotConnected.into()) }
    })
}

/// TLS settings for HTTPS proxies: the system's authorities.
fn tls_config() -> io::Result<ClientConfig> {
    let provider = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
    let verifier = rustls_platform_verifier::Verifier::new(provider.clone()).map_err(io::Error::other)?;
    let config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(io::Error::other)?
        .dangerous()
        .with_custom_certificate_verifier(Arc::new(verifier))
        .with_no_client_auth();
    Ok(config)
}

/// The error of a library with all its sources.
fn with_sources(error: impl std::error::Error) -> io::Error {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(inner) = source {
        text.push_str(&format!(": {inner}"));
        source = inner.source();
    }
    io::Error::other(text)
}

#[cfg(test)]
mod tests;
