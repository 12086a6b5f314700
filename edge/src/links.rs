//! Links between the nodes of a cluster: each node dials every other and announces what its own agents have bound.
//!
//! A link is a session of the tunnel crate in which the dialling node plays the agent. Only tunnels of a node's own
//! agents are announced, so that a visitor's stream crosses one link at most. A visitor's node opens the stream on the
//! link that the agent's node has dialled, and that node carries it to the agent as it is.

mod accepting;
mod announcer;
mod dialling;
mod login_nodes;
mod node_links;
mod questions;
mod settings;
mod tls;
mod visitor_ledger;

pub use node_links::{LinkView, NodeLinks};
pub(crate) use questions::{Question, SampleList, ask_node, ask_nodes};
pub use settings::{LinkSettings, NodeIdentity, node_server_name};

use crate::tunnels::TunnelRegistry;
use login_nodes::LinkedLogins;
use postern_logins::Logins;
use std::{sync::Arc, time::Duration};
use tls::NodeTls;
use tokio::task::JoinSet;
use tokio_util::{sync::CancellationToken, task::TaskTracker};

/// Interval between heartbeats of a link. A node that is silent for one and a half intervals is dead.
const HEARTBEAT_INTERVAL: Duration = Duration::from_secs(1);

/// What the tasks of all links share.
pub(crate) struct LinkContext {
    settings: LinkSettings,
    tls: NodeTls,
    registry: Arc<TunnelRegistry>,
    logins: Arc<Logins>,
    links: Arc<NodeLinks>,
    /// Counts the streams of other nodes' visitors, which a drain waits for.
    open: TaskTracker,
}

/// Starts the links of this node: accepts those of others until `stop`, and dials them for as long as `tasks` runs.
pub(crate) fn start(
    settings: LinkSettings,
    (registry, logins): (Arc<TunnelRegistry>, Arc<Logins>),
    (open, stop): (TaskTracker, CancellationToken),
    (accepting, tasks): (&mut JoinSet<()>, &mut JoinSet<()>),
) -> Arc<NodeLinks> {
    let links = NodeLinks::new(&settings.node, &settings.name);
    let tls = NodeTls::new(settings.identity.clone());
    logins.join_nodes(Arc::new(LinkedLogins::new(&settings.node, registry.clone())));
    let context = Arc::new(LinkContext { settings, tls, registry, logins, links: links.clone(), open });
    accepting.spawn(accepting::accept(context.clone(), stop));
    tasks.spawn(dialling::dial_peers(context));
    links
}
