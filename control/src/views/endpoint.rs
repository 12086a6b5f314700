//! Endpoints: the public addresses of tunnels and of edges.
//!
//! An endpoint's id begins like that of what it belongs to, so that it is found by its id and lists come in pages
//! without a look at everything: the whole KSUID of a tunnel; of an edge, which may have several addresses, so many
//! characters that no two edges share them.

use super::{Seen, newest, tunnel};
use crate::{
    LiveAddress, LiveTunnel,
    resources::{Kept, Resources, Rules, hosts, kept, ports},
    store::Range,
};
use aws_lc_rs::digest::{SHA256, digest};
use postern_api::{
    Id, OwnerId, Result,
    host::HostName,
    id::{KSUID_LENGTH, ksuid},
    resource::{BotUser, Credential, Endpoint, EndpointType, HttpsEdge, Ref, TcpEdge, TlsEdge, Tunnel, User},
};

/// Characters that the id of an edge's endpoint shares with that of the edge: its moment and 64 random bits.
const SHARED: usize = 16;
/// The largest character of an id is smaller than this one.
const BEHIND: char = '~';

impl Seen for Endpoint {
    async fn some(here: &Resources, before: Option<&Id<Self>>, limit: usize) -> Result<Vec<Self>> {
        let below = before.and_then(|before| Id::<Tunnel>::parse(&format!("tn_{}", before.ksuid())).ok());
        let mut tunnels = here.live.tunnels();
        tunnels.retain(|tunnel| tunnel.address.is_some());
        let mut found = Vec::new();
        for (id, tunnel) in newest(tunnels, |tunnel| &tunnel.id, below.as_ref(), limit) {
            found.extend(by_tunnel(&id, tunnel, here).await?);
        }
        found.extend(by_edges::<HttpsEdge>(here, before, limit).await?);
        found.extend(by_edges::<TlsEdge>(here, before, limit).await?);
        found.extend(by_edges::<TcpEdge>(here, before, limit).await?);
        found.sort_by(|one, other| other.id.cmp(&one.id));
        found.truncate(limit);
        for endpoint in &mut found {
            say_what_is_reserved(endpoint, here).await?;
        }
        Ok(found)
    }

    async fn one(here: &Resources, id: &Id<Self>) -> Result<Option<Self>> {
        let mut found = found(here, id).await?;
        if let Some(endpoint) = &mut found {
            say_what_is_reserved(endpoint, here).await?;
        }
        Ok(found)
    }
}

async fn found(here: &Resources, id: &Id<Endpoint>) -> Result<Option<Endpoint>> {
    let body = id.ksuid();
    let holds = |tunnel: &LiveTunnel| tunnel.id.strip_prefix("tn_") == Some(body);
    if let Some(tunnel) = here.live.tunnels().into_iter().find(holds) {
        let Ok(id) = Id::parse(&tunnel.id) else { return Ok(None) };
        return by_tunnel(&id, tunnel, here).await;
    }
    for found in [
        by_edge::<HttpsEdge>(here, id).await?,
        by_edge::<TlsEdge>(here, id).await?,
        by_edge::<TcpEdge>(here, id).await?,
    ] {
        if found.is_some() {
            return Ok(found);
        }
    }
    Ok(None)
}

/// Names the reservation of its address, if there is one. Of other addresses nobody need know.
async fn say_what_is_reserved(endpoint: &mut Endpoint, here: &Resources) -> Result<()> {
    if let ("tcp", Ok(port)) = (endpoint.scheme.as_str(), u16::try_from(endpoint.port)) {
        endpoint.tcp_addr = here.address_of(port).await?;
    } else if let Ok(name) = HostName::parse(&endpoint.host) {
        endpoint.domain = here.domain_of(&name).await?;
    }
    Ok(())
}

/// A kind whose records are public addresses.
trait Edge: Rules {
    const SCHEME: &'static str;
    /// Its hosts and ports, each once.
    fn places(kept: &Kept<Self>, here: &Resources) -> Vec<(String, u16)>;
}

impl Edge for HttpsEdge {
    const SCHEME: &'static str = "https";
    fn places(kept: &Kept<Self>, here: &Resources) -> Vec<(String, u16)> {
        hosts(&kept.spec.hostports).iter().map(|host| (host.to_string(), here.live.https_port())).collect()
    }
}
impl Edge for TlsEdge {
    const SCHEME: &'static str = "tls";
    fn places(kept: &Kept<Self>, here: &Resources) -> Vec<(String, u16)> {
        hosts(&kept.spec.hostports).iter().map(|host| (host.to_string(), here.live.https_port())).collect()
    }
}
impl Edge for TcpEdge {
    const SCHEME: &'static str = "tcp";
    fn places(kept: &Kept<Self>, here: &Resources) -> Vec<(String, u16)> {
        ports(&kept.spec).into_iter().map(|port| (here.settings.domain.to_string(), port)).collect()
    }
}

/// The endpoint of a tunnel.
pub(super) fn of_tunnel(id: &Id<Tunnel>) -> Option<Id<Endpoint>> {
    Id::parse(&format!("ep_{}", id.ksuid())).ok()
}

/// An address as visitors write it: without the port that goes without saying.
pub(super) fn url(address: &LiveAddress) -> String {
    let LiveAddress { scheme, host, port } = address;
    match (*scheme, *port) {
        ("https" | "tls", 443) | ("http", 80) => format!("{scheme}://{host}"),
        _ => format!("{scheme}://{host}:{port}"),
    }
}

async fn by_tunnel(id: &Id<Tunnel>, tunnel: LiveTunnel, here: &Resources) -> Result<Option<Endpoint>> {
    let (Some(address), Some(own)) = (&tunnel.address, of_tunnel(id)) else { return Ok(None) };
    let bare = bare(own, address, tunnel.started_at, EndpointType::Ephemeral, here);
    Ok(Some(Endpoint {
        name: tunnel.name.clone(),
        metadata: tunnel.metadata.clone(),
        principal: principal(&tunnel.credential, here).await?,
        tunnel: Some(Ref::to_view(here.base_url(), id)),
        tunnel_session: Some(tunnel::session(&tunnel, here)),
        upstream_url: tunnel.forwards_to.clone(),
        ..bare
    }))
}

/// The endpoints of the edges of one kind, older than `before`, newest first, at least `limit` if there are so many.
async fn by_edges<E: Edge>(here: &Resources, before: Option<&Id<Endpoint>>, limit: usize) -> Result<Vec<Endpoint>> {
    let mut range = Range::of(kept::records::<E>(), limit);
    range.before = before.map(|before| {
        let shared = before.ksuid().get(..SHARED).unwrap_or_default();
        kept::record_key::<E>(&format!("{}_{shared}{BEHIND}", E::PREFIX))
    });
    let mut found = Vec::new();
    loop {
        let page = here.store.range(range.clone()).await?;
        for entry in &page.entries {
            let own = of_edge::<E>(&here.codec.read_record(entry)?, here);
            found.extend(own.into_iter().filter(|endpoint| before.is_none_or(|before| endpoint.id < *before)));
            if found.len() >= limit {
                return Ok(found);
            }
        }
        match page.entries.last() {
            Some(last) if page.entries.len() == range.limit => range.before = Some(last.key.clone()),
            _ => return Ok(found),
        }
    }
}

async fn by_edge<E: Edge>(here: &Resources, id: &Id<Endpoint>) -> Result<Option<Endpoint>> {
    let shared = id.ksuid().get(..SHARED).unwrap_or_default();
    let range = Range::of(kept::record_key::<E>(&format!("{}_{shared}", E::PREFIX)), 10);
    for entry in here.store.range(range).await?.entries {
        let own = of_edge::<E>(&here.codec.read_record(&entry)?, here);
        if let Some(found) = own.into_iter().find(|endpoint| endpoint.id == *id) {
            return Ok(Some(found));
        }
    }
    Ok(None)
}

/// The endpoints of an edge, newest first by their ids.
fn of_edge<E: Edge>(kept: &Kept<E>, here: &Resources) -> Vec<Endpoint> {
    let show = |(host, port): (String, u16)| {
        let address = LiveAddress { scheme: E::SCHEME, host, port };
        let own = id_for(kept.id.ksuid(), &format!("{}:{port}", address.host))?;
        let bare = bare(own, &address, kept.created_at, EndpointType::Edge, here);
        Some(Endpoint {
            description: kept.description.clone(),
            metadata: kept.metadata.clone(),
            edge: Some(Ref::to(here.base_url(), &kept.id)),
            ..bare
        })
    };
    let mut all: Vec<Endpoint> = E::places(kept, here).into_iter().filter_map(show).collect();
    all.sort_by(|one, other| other.id.cmp(&one.id));
    all
}

/// The endpoint of an HTTPS edge that serves a host; nothing if the edge is gone, or does so no more.
pub(super) async fn of_https_edge(here: &Resources, edge: &Id<HttpsEdge>, host: &str) -> Result<Option<Ref>> {
    let (Some((kept, _)), Ok(host)) = (here.stored(edge).await?, HostName::parse(host)) else { return Ok(None) };
    let serving = hosts(&kept.spec.hostports).into_iter().filter(|name| name.covers(&host));
    // Its own name comes before a wildcard.
    let nearest = serving.max_by_key(|name| (name.wildcard_parent().is_none(), name.as_str().len()));
    let place = nearest.map(|name| format!("{name}:{}", here.live.https_port()));
    let id = place.and_then(|place| id_for(edge.ksuid(), &place));
    Ok(id.map(|id| Ref::to_view(here.base_url(), &id)))
}

/// The id of one address of an edge: the same as long as the edge has it.
fn id_for(edge: &str, place: &str) -> Option<Id<Endpoint>> {
    let mut seed = [0; 16];
    let hash = digest(&SHA256, place.as_bytes());
    seed.iter_mut().zip(hash.as_ref()).for_each(|(to, from)| *to = *from);
    let own = ksuid(0, seed);
    Id::parse(&format!("ep_{}{}", edge.get(..SHARED)?, own.get(SHARED..KSUID_LENGTH)?)).ok()
}

/// An endpoint of which nothing is known but where it is and since when.
fn bare(
    id: Id<Endpoint>,
    address: &LiveAddress,
    since: postern_api::Timestamp,
    kind: EndpointType,
    here: &Resources,
) -> Endpoint {
    Endpoint {
        uri: Ref::to_view(here.base_url(), &id).uri,
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
        region: here.live.region(),
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

/// Who owns a credential. One that was deleted a moment ago has no owner.
async fn principal(credential: &str, here: &Resources) -> Result<Option<Ref>> {
    let Ok(id) = Id::<Credential>::parse(credential) else { return Ok(None) };
    let kept = here.stored(&id).await?;
    Ok(kept.map(|(kept, _)| match &kept.spec.owner_id {
        OwnerId::User(id) => Ref::to::<User>(here.base_url(), id),
        OwnerId::Bot(id) => Ref::to::<BotUser>(here.base_url(), id),
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_of_endpoints_begin_like_their_edge_and_differ_by_their_place() {
        let edge = ksuid(1_700_000_000, [7; 16]);
        let one = id_for(&edge, "a.test:443").expect("an id");
        assert_eq!(one.ksuid()[..SHARED], edge[..SHARED]);
        assert_eq!(Some(&one), id_for(&edge, "a.test:443").as_ref());
        assert_ne!(Some(&one), id_for(&edge, "b.test:443").as_ref());
        assert_ne!(Some(&one), id_for(&ksuid(1_700_000_000, [8; 16]), "a.test:443").as_ref());
    }

    #[test]
    fn the_port_is_left_out_where_it_goes_without_saying() {
        for (scheme, port, expected) in [
            ("https", 443, "https://a.test"),
            ("https", 4443, "https://a.test:4443"),
            ("tls", 443, "tls://a.test"),
            ("http", 80, "http://a.test"),
            ("http", 443, "http://a.test:443"),
            ("tcp", 443, "tcp://a.test:443"),
        ] {
            assert_eq!(url(&LiveAddress { scheme, host: "a.test".to_owned(), port }), expected);
        }
    }
}
