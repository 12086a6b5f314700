//! Nodes: the servers that use the store, or this one alone.

use super::{ViewSource, newest_first};
use crate::{
    LiveLink,
    resources::{Resources, Scope},
    store::{self, NodeRecord, Nodes},
};
use aws_lc_rs::digest::{SHA256, digest};
use postern_api::{
    Id, Result,
    resource::{Node, NodeLink, NodeState, Ref},
};

impl ViewSource for Node {
    const SEEN_WITH: Scope = Scope::Everything;

    async fn list(ctx: &Resources, before: Option<&Id<Self>>, limit: usize) -> Result<Vec<Self>> {
        let found = newest_first(all(ctx), |node| node.id.as_str(), before, limit);
        Ok(found.into_iter().map(|(_, node)| node).collect())
    }

    async fn get(ctx: &Resources, id: &Id<Self>) -> Result<Option<Self>> {
        Ok(all(ctx).into_iter().find(|node| node.id == *id))
    }
}

fn all(ctx: &Resources) -> Vec<Node> {
    let Some(presence) = &ctx.presence else { return alone(ctx).into_iter().collect() };
    let (Some(own), Some(nodes)) = (presence.node(), presence.nodes()) else { return alone(ctx).into_iter().collect() };
    let (nodes, links) = (nodes.borrow().clone(), ctx.live.links());
    let Nodes { records, .. } = nodes.as_ref();
    let shown = records.iter().filter_map(|(id, record)| Some(show(Id::parse(id).ok()?, record, own, &links, ctx)));
    shown.collect()
}

fn show(id: Id<Node>, record: &NodeRecord, own: &Id<Node>, links: &[LiveLink], ctx: &Resources) -> Node {
    let link = links.iter().find(|link| link.node == id.as_str());
    let is_own = id == *own;
    let applied = if is_own { Some(*ctx.published_revision.borrow()) } else { link.and_then(|link| link.applied) };
    Node {
        uri: Ref::to_view(ctx.base_url(), &id).uri,
        id,
        name: record.name.clone(),
        address: record.address.clone(),
        version: record.version.clone(),
        state: record.state,
        started_at: record.since,
        answering: is_own,
        link: match link {
            _ if is_own => NodeLink::Own,
            Some(link) if link.connected => NodeLink::Up,
            _ => NodeLink::Down,
        },
        revision: applied.map(i64::unsigned_abs),
    }
}

/// A server that uses its store alone.
fn alone(ctx: &Resources) -> Option<Node> {
    let folder = digest(&SHA256, ctx.settings.data_dir.as_os_str().as_encoded_bytes());
    let mut digits = [0; 16];
    digits.copy_from_slice(&folder.as_ref()[..16]);
    let id = store::node_id(digits)?;
    Some(Node {
        uri: Ref::to_view(ctx.base_url(), &id).uri,
        id,
        name: store::host_name(),
        address: String::new(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        state: NodeState::Serving,
        started_at: ctx.started_at,
        answering: true,
        link: NodeLink::Own,
        revision: Some(ctx.published_revision.borrow().unsigned_abs()),
    })
}
