//! Several edges in this process that are linked as the nodes of a cluster.

use super::{World, credential, until};
use postern_api::{host::HostName, token::Token};
use postern_edge::{LinkSettings, NodeIdentity, Peer, node_server_name};
use postern_test_kit::certificates::CertificateAuthority;
use rustls::pki_types::PrivateKeyDer;
use std::{net::Ipv4Addr, sync::Arc};
use tokio::{net::TcpListener, sync::watch};

/// Nodes that have the same agents' credential and know each other.
pub(crate) struct Cluster {
    pub(crate) nodes: Vec<World>,
    pub(crate) authority: CertificateAuthority,
    all: Arc<[Peer]>,
    pub(crate) peers: watch::Sender<Arc<[Peer]>>,
    /// The authtoken that all nodes accept.
    pub(crate) token: Token,
}

/// The id of a node by its place in the cluster.
pub(crate) fn id(place: usize) -> String {
    format!("node_{place}")
}

/// A certificate for the node with this id.
pub(crate) fn identity(authority: &CertificateAuthority, id: &str) -> NodeIdentity {
    let issued = authority.issue(&rcgen::CertificateParams::new(vec![node_server_name(id)]).unwrap());
    NodeIdentity {
        chain: issued.chain,
        key: PrivateKeyDer::Pkcs8(issued.key.serialize_der().into()),
        authority: authority.certificate().clone(),
    }
}

/// A listener on a free port, and the peer that is dialled there.
pub(crate) async fn listener(place: usize) -> (Arc<TcpListener>, Peer) {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
    let address = listener.local_addr().unwrap().to_string();
    (
        Arc::new(listener),
        Peer { id: id(place), name: format!("node {place}"), address, agent_address: None, draining: false },
    )
}

impl Cluster {
    /// Starts as many nodes and waits until each is linked with all others.
    pub(crate) async fn start(count: usize) -> Cluster {
        let cluster = Cluster::apart(count).await;
        cluster.join().await;
        cluster
    }

    /// Starts as many nodes that do not know each other yet.
    pub(crate) async fn apart(count: usize) -> Cluster {
        let authority = CertificateAuthority::root("node authority");
        let (mut listeners, mut peers) = (Vec::new(), Vec::new());
        for place in 0..count {
            let (listener, peer) = listener(place).await;
            listeners.push(listener);
            peers.push(peer);
        }
        let (all, peers) = (Arc::from(peers), watch::Sender::new(Arc::from([])));
        let mut nodes: Vec<World> = Vec::new();
        for (place, listener) in listeners.into_iter().enumerate() {
            let settings = settings(place, listener, identity(&authority, &id(place)), &peers);
            let world = World::with(|world| {
                // Each node has its own address, so that a port can be open at all of them.
                world.tcp_addr = Ipv4Addr::new(127, 0, 0, 1 + place as u8).into();
                world.links = Some(settings);
            });
            nodes.push(world.await);
        }
        let token = Token::generate(nodes[0].token.ksuid());
        for node in &nodes {
            node.change(|published| {
                published.credentials.insert_mut(token.ksuid().to_owned(), credential(&token, &[]));
            });
            node.applied().await;
        }
        Cluster { nodes, authority, all, peers, token }
    }

    /// Tells every node of all others, and waits until each is linked with all.
    pub(crate) async fn join(&self) {
        self.peers.send_replace(self.all.clone());
        let wanted = self.nodes.len() - 1;
        for node in &self.nodes {
            let up = || node.links().iter().filter(|link| link.up).count();
            until("the node is linked with all others", || up() == wanted).await;
        }
    }

    /// Address where other nodes dial this one.
    pub(crate) fn address(&self, place: usize) -> String {
        self.all[place].address.clone()
    }

    /// Waits until every node serves a name.
    pub(crate) async fn serve(&self, host: &str) {
        let host = HostName::parse(host).unwrap();
        for node in &self.nodes {
            until("every node serves the name", || node.live().serves(&host)).await;
        }
    }
}

/// Settings of a node with these peers.
pub(crate) fn settings(
    place: usize,
    listener: Arc<TcpListener>,
    identity: NodeIdentity,
    peers: &watch::Sender<Arc<[Peer]>>,
) -> LinkSettings {
    LinkSettings {
        node: id(place),
        name: format!("node {place}"),
        listener,
        identity: watch::Sender::new(Arc::new(identity)).subscribe(),
        peers: peers.subscribe(),
    }
}

impl World {
    pub(crate) fn links(&self) -> Vec<postern_edge::LinkView> {
        self.edge.links().expect("a node").views()
    }
}
