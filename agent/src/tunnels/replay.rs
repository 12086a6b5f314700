//! Sending a captured request again, to a local service or through the edge, as a new captured request.

use super::{
    Leg, Tunnels,
    local::{LocalStream, Manner},
    visit::{EdgeVisit, Place},
};
use crate::capture::{
    Exchange, TunnelTag,
    replay::{Changes, Repeat, repeat},
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

/// What a replay may take in all.
const PATIENCE: Duration = Duration::from_secs(300);

/// What is sent again, and how.
pub struct Again<'a> {
    /// The captured request.
    pub id: &'a str,
    /// Another tunnel than its own.
    pub tunnel: Option<&'a str>,
    /// What is different.
    pub changes: &'a Changes,
    /// The way of every visitor instead of the one straight to the local service.
    pub edge: Option<&'a EdgeVisit>,
}

impl Tunnels {
    /// Sends a captured request again, changed or not: to the tunnel it came through, or to the named one. Returns as
    /// soon as the other side is connected; the response is captured like any other. Gives the id of the new
    /// captured request, if one is kept.
    ///
    /// # Errors
    /// `CapturedUnknown`, `CapturedCut`, `FieldInvalid` for impossible changes, `TunnelUnknown` if no such tunnel runs,
    /// `ReplayFailed` if its local service or the edge cannot be reached.
    pub async fn replay(&self, again: Again<'_>) -> Result<Option<u64>, Error> {
        let Some(exchange) = self.store().get(again.id) else {
            let shown: String = again.id.chars().take(40).collect();
            return Err(Error::new(
                Code::CapturedUnknown,
                format!(
                    "There is no captured request `{shown}`; it may have been deleted or have made room for newer ones."
                ),
            ));
        };
        let leg = match again.tunnel {
            Some(name) => self.active_leg(name, None),
            None => self.active_leg(&exchange.opening.tunnel.definition, Some(exchange.opening.tunnel.proto)),
        };
        let wanted = again.tunnel.unwrap_or(&exchange.opening.tunnel.definition);
        let leg = leg.ok_or_else(|| not_running(wanted))?;
        let mut observer = Observer {
            store: Some(self.store().clone()),
            meter: leg.requests.clone(),
            tunnel: Arc::new(TunnelTag {
                definition: leg.tag.definition.clone(),
                proto: proto_of(&leg, exchange.opening.tunnel.proto),
            }),
            remote: exchange.opening.remote().to_owned(),
            replay_of: Some(exchange.id),
            through_edge: again.edge.is_some(),
            notes: None,
        };
        if let Some(edge) = again.edge {
            let place = self.public_place(&leg, &exchange)?;
            let repeat = repeat(&exchange, again.changes, Some(&place.authority))?;
            let (visited, own) = edge.visit(&place).await?;
            observer.remote = own;
            // Counted when it arrives as a visitor's.
            observer.meter = Arc::default();
            return Ok(begin(visited, Conversation::new(observer), repeat, leg));
        }
        let repeat = repeat(&exchange, again.changes, None)?;
        if leg.definition.wire.app_protocol == AppProtocol::Http2 {
            let message = format!(
                "The local service of `{}` speaks HTTP/2, and captured requests are of HTTP/1.1: they cannot be replayed to it.",
                leg.name
            );
            return Err(Error::new(Code::ReplayFailed, message));
        }
        let manner = Manner::of(&leg.definition.wire, visitor_of(exchange.opening.remote()), None);
        let local =
            self.local().connect(&leg.definition.upstream, &manner).await.map_err(|error| match error.code {
                Code::ServiceUnreachable => Error::new(Code::ReplayFailed, error.message),
                _ => error,
            })?;
        let conversation = Conversation::new(observer);
        Ok(match local {
            LocalStream::Plain(local) => begin(local, conversation, repeat, leg),
            LocalStream::Tls(local) => begin(*local, conversation, repeat, leg),
            LocalStream::Other(local) => begin(local, conversation, repeat, leg),
        })
    }

    /// Where visitors reach a tunnel: its own address, or for one that an edge leads to the host of the request.
    fn public_place(&self, leg: &Leg, exchange: &Exchange) -> Result<Place, Error> {
        let url = self.locked().halves().find(|half| half.leg.name == leg.name).and_then(|half| half.url.clone());
        let own = url.filter(|url| url.starts_with("http"));
        let address = match own {
            Some(url) => url,
            None => self.base_of(exchange, false)?,
        };
        Place::parse(&address).ok_or_else(|| {
            let message = format!(
                "`{}` has no address that visitors could come by, so nothing can be sent through the edge.",
                leg.name
            );
            Error::new(Code::ReplayFailed, message)
        })
    }

    /// Where a captured request can be sent by others: scheme and authority of its tunnel's public address, or of its
    /// local service.
    ///
    /// # Errors
    /// `TunnelUnknown` if the tunnel does not run and its local service is wanted; `ReplayFailed` if the request names
    /// no host that could stand in an address.
    pub fn base_of(&self, exchange: &Exchange, local: bool) -> Result<String, Error> {
        let tag = &exchange.opening.tunnel;
        if local {
            let leg = self.active_leg(&tag.definition, Some(tag.proto)).ok_or_else(|| not_running(&tag.definition))?;
            return Ok(leg.definition.upstream.shown(true).trim_end_matches('/').to_owned());
        }
        let host = exchange.opening.host();
        let fine =
            !host.is_empty() && host.bytes().all(|byte| byte.is_ascii_alphanumeric() || b".-_:[]".contains(&byte));
        if !fine {
            return Err(Error::new(
                Code::ReplayFailed,
                "The captured request names no host, so it has no public address.",
            ));
        }
        Ok(format!("{}://{host}", tag.proto))
    }

    /// The active half a replay goes to: by its own name, by the name captured requests show, or by the tunnel's.
    fn active_leg(&self, name: &str, proto: Option<&str>) -> Option<Arc<Leg>> {
        let table = self.locked();
        let legs = || table.halves().map(|half| &half.leg);
        let exact = |leg: &&Arc<Leg>| leg.name == name && proto.is_none();
        let captured = |leg: &&Arc<Leg>| leg.tag.definition == name && proto == Some(leg.tag.proto);
        let shown = |leg: &&Arc<Leg>| leg.tag.shown() == name;
        let same = |leg: &&Arc<Leg>| leg.tag.definition == name;
        let found = legs()
            .find(exact)
            .or_else(|| legs().find(captured))
            .or_else(|| legs().find(shown))
            .or_else(|| legs().find(same));
        found.cloned()
    }
}

fn not_running(name: &str) -> Error {
    let shown: String = name.chars().take(80).collect();
    Error::new(Code::TunnelUnknown, format!("No tunnel named `{shown}` runs. Start it, or name another tunnel."))
}

/// The address a captured request came from, as far as it was kept.
fn visitor_of(remote: &str) -> SocketAddr {
    let whole = remote.parse().or_else(|_| remote.parse::<IpAddr>().map(|ip| SocketAddr::new(ip, 0)));
    whole.unwrap_or(SocketAddr::new(Ipv4Addr::LOCALHOST.into(), 0))
}

fn proto_of(leg: &Leg, captured: &'static str) -> &'static str {
    if leg.face == super::Face::Labels { captured } else { leg.tag.proto }
}

/// Starts the conversation; the id under which it is captured.
fn begin<S>(stream: S, mut conversation: Conversation, repeat: Repeat, leg: Arc<Leg>) -> Option<u64>
where
    S: AsyncRead + AsyncWrite + Send + Unpin + 'static,
{
    conversation.request_bytes(&repeat.bytes);
    let id = conversation.newest().map(|exchange| exchange.id);
    tokio::spawn(async move {
        tokio::select! {
            ended = tokio::time::timeout(PATIENCE, converse(stream, conversation, &repeat)) => {
                if let Ok(Err(error)) = ended {
                    tracing::debug!(%error, "a replay ended early");
                }
            }
            () = leg.stop.cancelled() => {}
        }
    });
    id
}

/// Writes the request and reads until its one response is complete.
async fn converse<L>(local: L, mut conversation: Conversation, repeat: &Repeat) -> std::io::Result<()>
where
    L: AsyncRead + AsyncWrite + Unpin,
{
    let (mut read, mut write) = tokio::io::split(local);
    let sending = async {
        write.write_all(&repeat.bytes).await?;
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
    // A service may answer before it has read everything; then the rest need not be sent.
    tokio::select! {
        received = &mut receiving => return received,
        sent = &mut sending => sent?,
    }
    receiving.await
}
