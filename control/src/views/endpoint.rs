//! Endpoints: public addresses of tunnels and edges.
//!
//! The id of an endpoint begins like the id of its tunnel or edge, so that it can be looked up and paged without reading
//! everything: with the whole KSUID of a tunnel, or with the first [`SHARED_LENGTH`] characters of an edge's, which may
//! have several addresses.

use super::{
    ViewSource, newest_first,
    references::{endpoint_id, session_of, url},
};
use crate::{
    LiveAddress, LiveTunnel,
    resources::{Resources, Rules, Scope, StoredRecord, hosts, keys, ports},
    store::Range,
};
use aws_lc_rs::digest::{SHA256, digest};
use postern_api::{
    Id, OwnerId, Result,
    host::HostName,
    id::{KSUID_LENGTH, ksuid},
    resource::{BotUser, Endpoint, EndpointType, HttpsEdge, NodeName, Ref, TcpEdge, TlsEdge, Tunnel, User},
};

/// Characters that the id of an edge's endpoint shares with the id of the edge: its timestamp and 64 random bits.
const SHARED_LENGTH: usize = 16;
/// Sorts after every character of an id.
const AFTER_ALL: char = '~';

impl ViewSource for Endpoint {
    const SEEN_WITH: Scope = Scope::Own;

    fn session(&self) -> Option<&str> {
        self.tunnel_session.as_ref().map(|session| session.id.as_str())
    }

    fn missing_nodes(ctx: &Resources) -> Vec<NodeName> {
        ctx.live.missing_nodes()
    }

    async fn list(ctx: &Resources, before: Option<&Id<Self>>, limit: usize) -> Result<Vec<Self>> {
        let below = before.and_then(|before| Id::<Tunnel>::parse(&format!("tn_{}", before.ksuid())).ok());
        let mut tunnels = ctx.live.tunnels();
        tunnels.retain(|tunnel| tunnel.address.is_some());
        let mut found = Vec::new();
        for (id, tunnel) in newest_first(tunnels, |tunnel| &tunnel.id, below.as_ref(), limit) {
            found.extend(endpoint_of_tunnel(&id, tunnel, ctx).await?);
        }
        found.extend(endpoints_of_edges::<HttpsEdge>(ctx, before, limit).await?);
        found.extend(endpoints_of_edges::<TlsEdge>(ctx, before, limit).await?);
        found.extend(endpoints_of_edges::<TcpEdge>(ctx, before, limit).await?);
        found.sort_by(|one, other| other.id.cmp(&one.id));
        found.truncate(limit);
        for endpoint in &mut found {
            set_reservation(endpoint, ctx).await?;
        }
        Ok(found)
    }

    async fn get(ctx: &Resources, id: &Id<Self>) -> Result<Option<Self>> {
        let mut found = find(ctx, id).await?;
        if let Some(endpoint) = &mut found {
            set_reservation(endpoint, ctx).await?;
        }
        Ok(found)
    }
}

async fn find(ctx: &Resources, id: &Id<Endpoint>) -> Result<Option<Endpoint>> {
    let body = id.ksuid();
    let is_tunnel = |tunnel: &LiveTunnel| tunnel.id.strip_prefix("tn_") == Some(body);
    if let Some(tunnel) = ctx.live.tunnels().into_iter().find(is_tunnel) {
        let Ok(id) = Id::parse(&tunnel.id) else { return Ok(None) };
        return endpoint_of_tunnel(&id, tunnel, ctx).await;
    }
    for found in [
        find_endpoint_of_edge::<HttpsEdge>(ctx, id).await?,
        find_endpoint_of_edge::<TlsEdge>(ctx, id).await?,
        find_endpoint_of_edge::<TcpEdge>(ctx, id).await?,
    ] {
        if found.is_some() {
            return Ok(found);
        }
    }
    Ok(None)
}

/// Sets the reservation of the address, if there is one.
async fn set_reservation(endpoint: &mut Endpoint, ctx: &Resources) -> Result<()> {
    if let ("tcp", Ok(port)) = (endpoint.scheme.as_str(), u16::try_from(endpoint.port)) {
        endpoint.tcp_addr = ctx.address_of(port).await?;
    } else if let Ok(name) = HostName::parse(&endpoint.host) {
        endpoint.domain = ctx.domain_of(&name).await?;
    }
    Ok(())
}

/// A kind of edge, which has public addresses.
trait EdgeAddresses: Rules {
    const SCHEME: &'static str;
    /// Hosts and ports, each once.
    fn addresses(stored: &StoredRecord<Self>, ctx: &Resources) -> Vec<(String, u16)>;
}

impl EdgeAddresses for HttpsEdge {
    const SCHEME: &'static str = "https";
    fn addresses(stored: &StoredRecord<Self>, ctx: &Resources) -> Vec<(String, u16)> {
        hosts(&stored.spec.hostports).iter().map(|host| (host.to_string(), ctx.live.https_port())).collect()
    }
}
impl EdgeAddresses for TlsEdge {
    const SCHEME: &'static str = "tls";
    fn addresses(stored: &StoredRecord<Self>, ctx: &Resources) -> Vec<(String, u16)> {
        hosts(&stored.spec.hostports).iter().map(|host| (host.to_string(), ctx.live.https_port())).collect()
    }
}
impl EdgeAddresses for TcpEdge {
    const SCHEME: &'static str = "tcp";
    fn addresses(stored: &StoredRecord<Self>, ctx: &Resources) -> Vec<(String, u16)> {
        ports(&stored.spec).into_iter().map(|port| (ctx.settings.domain.to_string(), port)).collect()
    }
}

async fn endpoint_of_tunnel(id: &Id<Tunnel>, tunnel: LiveTunnel, ctx: &Resources) -> Result<Option<Endpoint>> {
    let (Some(address), Some(own)) = (&tunnel.address, endpoint_id(id)) else { return Ok(None) };
    let base = base_endpoint(own, address, tunnel.started_at, EndpointType::Ephemeral, ctx);
    Ok(Some(Endpoint {
        name: tunnel.name.clone(),
        metadata: tunnel.metadata.clone(),
        principal: principal(&tunnel.credential, ctx).await?,
        tunnel: Some(Ref::to_view(ctx.base_url(), id)),
        tunnel_session: Some(session_of(&tunnel, ctx)),
        upstream_url: tunnel.forwards_to.clone(),
        ..base
    }))
}

/// Endpoints of the edges of one kind, older than `before`, newest first. May exceed `limit` by those of one edge.
async fn endpoints_of_edges<E: EdgeAddresses>(
    ctx: &Resources,
    before: Option<&Id<Endpoint>>,
    limit: usize,
) -> Result<Vec<Endpoint>> {
    let mut range = Range::new(keys::records::<E>(), limit);
    range.before = before.map(|before| {
        let shared = before.ksuid().get(..SHARED_LENGTH).unwrap_or_default();
        keys::record::<E>(&format!("{}_{shared}{AFTER_ALL}", E::PREFIX))
    });
    let mut found = Vec::new();
    let mut next = Some(range);
    while let Some(range) = next {
        let page = ctx.store.range(range.clone()).await?;
        for entry in &page.entries {
            let own = endpoints_of_edge::<E>(&ctx.codec.read_record(entry)?, ctx);
            found.extend(own.into_iter().filter(|endpoint| before.is_none_or(|before| endpoint.id < *before)));
            if found.len() >= limit {
                return Ok(found);
            }
        }
        next = range.after(&page);
    }
    Ok(found)
}

async fn find_endpoint_of_edge<E: EdgeAddresses>(ctx: &Resources, id: &Id<Endpoint>) -> Result<Option<Endpoint>> {
    let shared = id.ksuid().get(..SHARED_LENGTH).unwrap_or_default();
    let range = Range::new(keys::record::<E>(&format!("{}_{shared}", E::PREFIX)), 10);
    for entry in ctx.store.range(range).await?.entries {
        let own = endpoints_of_edge::<E>(&ctx.codec.read_record(&entry)?, ctx);
        if let Some(found) = own.into_iter().find(|endpoint| endpoint.id == *id) {
            return Ok(Some(found));
        }
    }
    Ok(None)
}

/// Endpoints of an edge, newest first by their ids.
fn endpoints_of_edge<E: EdgeAddresses>(stored: &StoredRecord<E>, ctx: &Resources) -> Vec<Endpoint> {
    let show = |(host, port): (String, u16)| {
        let address = LiveAddress { scheme: E::SCHEME, host, port };
        let own = id_for(stored.id.ksuid(), &format!("{}:{port}", address.host))?;
        let base = base_endpoint(own, &address, stored.created_at, EndpointType::Edge, ctx);
        Some(Endpoint {
            description: stored.description.clone(),
            metadata: stored.metadata.clone(),
            edge: Some(Ref::to(ctx.base_url(), &stored.id)),
            ..base
        })
    };
    let mut all: Vec<Endpoint> = E::addresses(stored, ctx).into_iter().filter_map(show).collect();
    all.sort_by(|one, other| other.id.cmp(&one.id));
    all
}

/// Endpoint of an HTTPS edge that serves a host; `None` if the edge was deleted or no longer serves it.
pub(super) async fn of_https_edge(ctx: &Resources, edge: &Id<HttpsEdge>, host: &str) -> Result<Option<Ref>> {
    let (Some((stored, _)), Ok(host)) = (ctx.load(edge).await?, HostName::parse(host)) else { return Ok(None) };
    let serving = hosts(&stored.spec.hostports).into_iter().filter(|name| name.covers(&host));
    // An exact name takes precedence over a wildcard.
    let nearest = serving.max_by_key(|name| (name.wildcard_parent().is_none(), name.as_str().len()));
    let hostport = nearest.map(|name| format!("{name}:{}", ctx.live.https_port()));
    let id = hostport.and_then(|hostport| id_for(edge.ksuid(), &hostport));
    Ok(id.map(|id| Ref::to_view(ctx.base_url(), &id)))
}

/// Id of the endpoint of an edge's address; a function of both.
fn id_for(edge: &str, hostport: &str) -> Option<Id<Endpoint>> {
    let mut seed = [0; 16];
    let hash = digest(&SHA256, hostport.as_bytes());
    seed.iter_mut().zip(hash.as_ref()).for_each(|(to, from)| *to = *from);
    let own = ksuid(0, seed);
    Id::parse(&format!("ep_{}{}", edge.get(..SHARED_LENGTH)?, own.get(SHARED_LENGTH..KSUID_LENGTH)?)).ok()
}

/// An endpoint with its address and time of creation only.
fn base_endpoint(
    id: Id<Endpoint>,
    address: &LiveAddress,
    since: postern_api::Timestamp,
    kind: EndpointType,
    ctx: &Resources,
) -> Endpoint {
    Endpoint {
        uri: Ref::to_view(ctx.base_url(), &id).uri,
        id,
        created_at: since,
        updated_at: since,
        r#type: kind,
        public_url: url(address),
        url: url(address),
        proto: address.scheme.to_owned(),
        scheme: address.scheme.to_owned(),
        hostport: format!("{}:{}", address.host, address.port),
        host: address.host.clone(),
        port: i64::from(address.port),
        region: ctx.live.region(),
        name: String::new(),
        description: String::new(),
        metadata: String::new(),
        principal: None,
        bindings: vec!["public".to_owned()],
        domain: None,
        tcp_addr: None,
        tunnel: None,
        tunnel_session: None,
        edge: None,
        upstream_url: String::new(),
        upstream_protocol: String::new(),
        traffic_policy: String::new(),
        pooling_enabled: false,
    }
}

/// Owner of a credential; `None` if the credential was deleted.
async fn principal(credential: &str, ctx: &Resources) -> Result<Option<Ref>> {
    Ok(ctx.credential_owner(credential).await?.map(|owner| match owner {
        OwnerId::User(id) => Ref::to::<User>(ctx.base_url(), &id),
        OwnerId::Bot(id) => Ref::to::<BotUser>(ctx.base_url(), &id),
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn endpoint_ids_begin_like_their_edge_and_differ_by_address() {
        let edge = ksuid(1_700_000_000, [7; 16]);
        let one = id_for(&edge, "a.test:443").expect("an id");
        assert_eq!(one.ksuid()[..SHARED_LENGTH], edge[..SHARED_LENGTH]);
        assert_eq!(Some(&one), id_for(&edge, "a.test:443").as_ref());
        assert_ne!(Some(&one), id_for(&edge, "b.test:443").as_ref());
        assert_ne!(Some(&one), id_for(&ksuid(1_700_000_000, [8; 16]), "a.test:443").as_ref());
    }
}
