//! Connections to the server through a proxy: it is asked for the way, and then carries what is said to the server.

use crate::config::{
    ServerAddress, Settings,
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

/// The proxy on the way to a server, if there is one: the configured one, or the one of the environment.
pub fn on_the_way(settings: &Settings, server: &ServerAddress) -> Option<Proxy> {
    settings.proxy.clone().or_else(|| Proxy::of_environment(server))
}

/// Connects to a server at this address, or through a proxy that is there; also says from which address.
///
/// # Errors
/// The connection is not made, or the proxy refuses.
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
        Some(proxy) => Ok((through(proxy, stream, server).await?, own)),
    }
}

/// Asks a proxy for the way to a server.
///
/// # Errors
/// What the proxy said, as a sentence's second half.
pub async fn through(proxy: &Proxy, stream: TcpStream, server: &ServerAddress) -> io::Result<BoxedTransport> {
    let target: Uri = format!("https://{server}").parse().map_err(io::Error::other)?;
    match proxy.kind {
        ProxyKind::Http => asked(proxy, stream, target).await,
        ProxyKind::Https => {
            let name = ServerName::try_from(proxy.address.host.clone()).map_err(io::Error::other)?;
            let stream = TlsConnector::from(Arc::new(tls()?)).connect(name, stream).await?;
            asked(proxy, stream, target).await
        }
        ProxyKind::Socks => {
            let mut socks = SocksV5::new(Uri::from_static("socks5://proxy"), once(stream));
            if let Some((name, password)) = &proxy.user {
                socks = socks.with_auth(name.clone(), password.reveal().to_owned());
            }
            let way = socks.ready().await.map_err(refused)?.call(target).await.map_err(refused)?;
            Ok(Box::new(way.into_inner()))
        }
    }
}

/// The way by `CONNECT`.
async fn asked<S: Transport>(proxy: &Proxy, stream: S, target: Uri) -> io::Result<BoxedTransport> {
    let mut tunnel = Tunnel::new(Uri::from_static("http://proxy"), once(stream));
    if let Some((name, password)) = &proxy.user {
        let value = format!("Basic {}", STANDARD.encode(format!("{name}:{}", password.reveal())));
        tunnel = tunnel.with_auth(HeaderValue::try_from(value).map_err(io::Error::other)?);
    }
    let way = tunnel.ready().await.map_err(refused)?.call(target).await.map_err(refused)?;
    Ok(Box::new(way.into_inner()))
}

/// The one connection that is there already, for a library that wants to make it.
fn once<S: Transport>(
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

/// Whom a proxy must show a certificate for: what the system trusts.
fn tls() -> io::Result<ClientConfig> {
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

/// What a library says about a refusal, with what is behind it.
fn refused(error: impl std::error::Error) -> io::Error {
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
