//! What a node needs to be linked with others: its identity, its listener, and the list of its peers.

use crate::tunnels::Peer;
use rustls_pki_types::{CertificateDer, PrivateKeyDer};
use std::sync::Arc;
use tokio::{net::TcpListener, sync::watch};

/// Links of this node with the others of its cluster.
#[derive(Clone)]
pub struct LinkSettings {
    /// Id of this node, `node_…`.
    pub node: String,
    /// Name of this node, for people.
    pub name: String,
    /// Where the other nodes dial this one.
    pub listener: Arc<TcpListener>,
    /// How this node proves who it is. A new one is used from the next connection on.
    pub identity: watch::Receiver<Arc<NodeIdentity>>,
    /// The other nodes. This node itself may be among them and is passed over. A peer that leaves the list is no longer
    /// dialled; a link with it that is up stays, because it proves that the node lives.
    pub peers: watch::Receiver<Arc<[Peer]>>,
}

/// How a node proves who it is, and which certificates it accepts from others.
pub struct NodeIdentity {
    /// The node's certificate and all intermediates. It is valid for [`node_server_name`] as a DNS name, for server and
    /// client authentication.
    pub chain: Vec<CertificateDer<'static>>,
    /// The key of the certificate.
    pub key: PrivateKeyDer<'static>,
    /// The certificate of the node authority, which has issued the certificates of all nodes.
    pub authority: CertificateDer<'static>,
}

/// The DNS name in the certificate of the node with this id. Case is ignored, as in all DNS names.
pub fn node_server_name(id: &str) -> String {
    format!("{id}.node.postern")
}
