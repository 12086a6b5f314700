//! Sending a captured request to a local service again, as a new captured request.

use super::{
    Leg, Tunnels,
    local::{LocalStream, Manner},
};
use crate::capture::{
    Exchange, TunnelTag,
    replay::{Repeat, repeat},
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

impl Tunnels {
    /// Sends a captured request again: to the tunnel it came through, or to the named one. Returns as soon as the
    /// local service is connected; the response is captured like any other.
    ///
    /// # Errors
    /// `CapturedUnknown`, `CapturedCut`, `TunnelUnknown` if no such tunnel runs, `ReplayFailed` if its local
    /// service cannot be reached.
    pub async fn replay(&self, id: &str, tunnel: Option<&str>) -> Result<(), Error> {
        let Some(exchange) = self.store().get(id) else {
            let shown: String = id.chars().take(40).collect();
            return Err(Error::new(
                Code::CapturedUnknown,
                format!(
                    "There is no captured request `{shown}`; it may have been deleted or have made room for newer ones."
                ),
            ));
        };
        let repeat = repeat(&exchange)?;
        let leg = match tunnel {
            Some(name) => self.active_leg(name, None),
            None => self.active_leg(&exchange.opening.tunnel.definition, Some(exchange.opening.tunnel.proto)),
        };
        let wanted = tunnel.unwrap_or(&exchange.opening.tunnel.definition);
        let Some(leg) = leg else {
            return Err(not_running(wanted));
        };
        if leg.definition.wire.app_protocol == AppProtocol::Http2 {
            let message = format!(
                "The local service of `{}` speaks HTTP/2, and captured requests are of HTTP/1.1: they cannot be replayed to it.",
                leg.name
            );
            return Err(Error::new(Code::ReplayFailed, message));
        }
        let manner = Manner::of(&leg.definition.wire, visitor_of(&exchange.opening.remote), None);
        let local =
            self.local().connect(&leg.definition.upstream, &manner).await.map_err(|error| match error.code {
                Code::ServiceUnreachable => Error::new(Code::ReplayFailed, error.message),
                _ => error,
            })?;
        let observer = Observer {
            store: Some(self.store().clone()),
            meter: leg.requests.clone(),
            tunnel: Arc::new(TunnelTag {
                definition: leg.tag.definition.clone(),
                proto: proto_of(&leg, exchange.opening.tunnel.proto),
            }),
            remote: exchange.opening.remote.clone(),
            replay_of: Some(repeat.id),
            notes: None,
        };
        let mut conversation = Conversation::new(observer);
        conversation.request_bytes(&repeat.bytes);
        tokio::spawn(async move {
            let sent = async {
                match local {
                    LocalStream::Plain(local) => converse(local, conversation, &repeat).await,
                    LocalStream::Tls(local) => converse(*local, conversation, &repeat).await,
                }
            };
            tokio::select! {
                ended = tokio::time::timeout(PATIENCE, sent) => {
                    if let Ok(Err(error)) = ended {
                        tracing::debug!(%error, "a replay ended early");
                    }
                }
                () = leg.stop.cancelled() => {}
            }
        });
        Ok(())
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
        let host = exchange.opening.host.as_str();
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
