//! Replays a captured request to a local service or through the edge, as a new captured request.

use super::{
    TunnelEndpoint, Tunnels,
    edge_client::{EdgeClient, PublicAddress},
    local_dialer::{LocalConnectOptions, LocalStream},
    replay_http2,
};
use crate::capture::{
    Exchange, TunnelTag,
    replay_request::{PreparedReplay, ReplayChanges, build},
    sniffer::{Conversation, Observer},
};
use postern_api::{Code, Error};
use postern_tunnel::message::AppProtocol;
use std::{
    net::{IpAddr, Ipv4Addr, SocketAddr},
    sync::Arc,
    time::Duration,
};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};

/// Timeout of a replay, in total.
const REPLAY_TIMEOUT: Duration = Duration::from_secs(300);

/// A request to replay a captured request.
pub struct ReplayRequest<'a> {
    /// Id of the captured request.
    pub id: &'a str,
    /// Target tunnel, if it is not the original one.
    pub tunnel: Option<&'a str>,
    /// Changes to the request.
    pub changes: &'a ReplayChanges,
    /// Sends it through the edge instead of straight to the local service.
    pub edge: Option<&'a EdgeClient>,
}

impl Tunnels {
    /// Replays a captured request to its tunnel or to the named one. Returns as soon as the target is connected; the
    /// response is captured like any other. The result is the id of the new captured request, if it is captured.
    ///
    /// # Errors
    /// `CapturedUnknown`, `CapturedCut`, `FieldInvalid` for impossible changes, `TunnelUnknown` if the tunnel does not
    /// run, `ReplayFailed` if its local service or the edge cannot be reached.
    pub async fn replay(&self, replay: ReplayRequest<'_>) -> Result<Option<u64>, Error> {
        let Some(exchange) = self.store().get(replay.id) else {
            let shown: String = replay.id.chars().take(40).collect();
            return Err(Error::new(
                Code::CapturedUnknown,
                format!("There is no captured request `{shown}`; it may have been deleted or replaced by newer ones."),
            ));
        };
        let endpoint = match replay.tunnel {
            Some(name) => self.active_endpoint(name, None),
            None => self.active_endpoint(&exchange.info.tunnel.definition, Some(exchange.info.tunnel.proto)),
        };
        let target = replay.tunnel.unwrap_or(&exchange.info.tunnel.definition);
        let endpoint = endpoint.ok_or_else(|| not_running(target))?;
        let mut observer = Observer {
            store: Some(self.store().clone()),
            meter: endpoint.requests.clone(),
            tunnel: Arc::new(TunnelTag {
                definition: endpoint.tag.definition.clone(),
                proto: captured_proto(&endpoint, exchange.info.tunnel.proto),
            }),
            remote: exchange.info.remote().to_owned(),
            replay_of: Some(exchange.id),
            through_edge: replay.edge.is_some(),
            http2: endpoint.definition.upstream_protocol.app_protocol == AppProtocol::Http2,
            notes: None,
        };
        if let Some(edge) = replay.edge {
            let address = self.public_address(&endpoint, &exchange)?;
            let prepared = build(&exchange, replay.changes, Some(&address.authority))?;
            let (stream, own) = edge.connect_to(&address).await?;
            observer.remote = own;
            // The connection to the edge is of HTTP/1.1. It is counted when it arrives as a visitor's request.
            observer.http2 = false;
            observer.meter = Arc::default();
            return Ok(begin(stream, observer, prepared, endpoint));
        }
        let prepared = build(&exchange, replay.changes, None)?;
        let options = LocalConnectOptions::for_visitor(
            &endpoint.definition.upstream_protocol,
            visitor_address(exchange.info.remote()),
            None,
        );
        let local =
            self.local().connect(&endpoint.definition.upstream, &options).await.map_err(|error| match error.code {
                Code::ServiceUnreachable => Error::new(Code::ReplayFailed, error.message),
                _ => error,
            })?;
        Ok(match local {
            LocalStream::Plain(local) => begin(local, observer, prepared, endpoint),
            LocalStream::Tls(local) => begin(*local, observer, prepared, endpoint),
            LocalStream::Other(local) => begin(local, observer, prepared, endpoint),
        })
    }

    /// The public address of a tunnel: its own, or the host of the request for a tunnel behind an edge.
    fn public_address(&self, endpoint: &TunnelEndpoint, exchange: &Exchange) -> Result<PublicAddress, Error> {
        let url = self
            .lock_table()
            .endpoints()
            .find(|state| state.endpoint.name == endpoint.name)
            .and_then(|state| state.url.clone());
        let own = url.filter(|url| url.starts_with("http"));
        let address = match own {
            Some(url) => url,
            None => self.base_of(exchange, false)?,
        };
        PublicAddress::parse(&address).ok_or_else(|| {
            let message =
                format!("`{}` has no public address, so nothing can be sent through the edge.", endpoint.name);
            Error::new(Code::ReplayFailed, message)
        })
    }

    /// Scheme and authority to send a captured request to: of its tunnel's public address, or of its local service.
    ///
    /// # Errors
    /// `TunnelUnknown` if the local service is requested and the tunnel does not run; `ReplayFailed` if the request has
    /// no valid host.
    pub fn base_of(&self, exchange: &Exchange, local: bool) -> Result<String, Error> {
        let tag = &exchange.info.tunnel;
        if local {
            let endpoint =
                self.active_endpoint(&tag.definition, Some(tag.proto)).ok_or_else(|| not_running(&tag.definition))?;
            return Ok(endpoint.definition.upstream.shown(true).trim_end_matches('/').to_owned());
        }
        let host = exchange.info.host();
        let valid =
            !host.is_empty() && host.bytes().all(|byte| byte.is_ascii_alphanumeric() || b".-_:[]".contains(&byte));
        if !valid {
            return Err(Error::new(
                Code::ReplayFailed,
                "The captured request names no host, so it has no public address.",
            ));
        }
        Ok(format!("{}://{host}", tag.proto))
    }

    /// The started endpoint a replay goes to: by its own name, by the label of captured requests, or by the tunnel's
    /// name.
    fn active_endpoint(&self, name: &str, proto: Option<&str>) -> Option<Arc<TunnelEndpoint>> {
        let table = self.lock_table();
        let endpoints = || table.endpoints().map(|state| &state.endpoint);
        let by_name = |endpoint: &&Arc<TunnelEndpoint>| endpoint.name == name && proto.is_none();
        let captured =
            |endpoint: &&Arc<TunnelEndpoint>| endpoint.tag.definition == name && proto == Some(endpoint.tag.proto);
        let shown = |endpoint: &&Arc<TunnelEndpoint>| endpoint.tag.shown() == name;
        let same = |endpoint: &&Arc<TunnelEndpoint>| endpoint.tag.definition == name;
        let found = endpoints()
            .find(by_name)
            .or_else(|| endpoints().find(captured))
            .or_else(|| endpoints().find(shown))
            .or_else(|| endpoints().find(same));
        found.cloned()
    }
}

fn not_running(name: &str) -> Error {
    let shown: String = name.chars().take(80).collect();
    Error::new(Code::TunnelUnknown, format!("No tunnel named `{shown}` runs. Start it, or name another tunnel."))
}

/// The visitor's address of a captured request, as far as it was kept.
fn visitor_address(remote: &str) -> SocketAddr {
    let whole = remote.parse().or_else(|_| remote.parse::<IpAddr>().map(|ip| SocketAddr::new(ip, 0)));
    whole.unwrap_or(SocketAddr::new(Ipv4Addr::LOCALHOST.into(), 0))
}

fn captured_proto(endpoint: &TunnelEndpoint, captured: &'static str) -> &'static str {
    if endpoint.kind == super::EndpointKind::Labels { captured } else { endpoint.tag.proto }
}

/// Starts the exchange and returns the id under which it is captured.
fn begin<S>(stream: S, observer: Observer, prepared: PreparedReplay, endpoint: Arc<TunnelEndpoint>) -> Option<u64>
where
    S: AsyncRead + AsyncWrite + Send + Unpin + 'static,
{
    let http2 = observer.http2;
    let mut conversation = Conversation::new(observer);
    conversation.request_bytes(&prepared.bytes);
    let id = conversation.newest().map(|exchange| exchange.id);
    tokio::spawn(async move {
        tokio::select! {
            ended = tokio::time::timeout(REPLAY_TIMEOUT, async {
                match http2 {
                    true => replay_http2::exchange_messages(stream, &mut conversation, &prepared).await,
                    false => exchange_messages(stream, conversation, &prepared).await,
                }
            }) => {
                if let Ok(Err(error)) = ended {
                    tracing::debug!(%error, "a replay ended early");
                }
            }
            () = endpoint.stop.cancelled() => {}
        }
    });
    id
}

/// Writes the request and reads until its response is complete.
async fn exchange_messages<L>(
    local: L,
    mut conversation: Conversation,
    prepared: &PreparedReplay,
) -> std::io::Result<()>
where
    L: AsyncRead + AsyncWrite + Unpin,
{
    let (mut read, mut write) = tokio::io::split(local);
    let sending = async {
        write.write_all(&prepared.bytes).await?;
        write.flush().await
    };
    let receiving = async {
        let mut buffer = vec![0; 16 * 1024];
        while conversation.answered() == 0 {
            let length = read.read(&mut buffer).await?;
            if length == 0 {
                conversation.response_closed();
                break;
            }
            conversation.response_bytes(&buffer[..length]);
        }
        Ok::<_, std::io::Error>(())
    };
    tokio::pin!(sending, receiving);
    // A service may respond before it has read everything; the rest is then not sent.
    tokio::select! {
        received = &mut receiving => return received,
        sent = &mut sending => sent?,
    }
    receiving.await
}
