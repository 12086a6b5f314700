//! Links between the nodes of a cluster: each node dials every other and announces what its own agents have bound.
//!
//! A link is a session of the tunnel crate in which the dialling node plays the agent. Only tunnels of a node's own
//! agents are announced, so that a visitor's stream crosses one link at most.

mod node_links;
mod settings;

pub use node_links::{LinkView, NodeLinks};
pub use settings::{LinkSettings, NodeIdentity, Peer, node_server_name};
