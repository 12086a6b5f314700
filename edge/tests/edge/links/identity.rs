//! Nodes that prove who they are, and peers that cannot; what nodes know about each other.

use crate::kit::{
    ScriptedOrigin, World,
    agent::Agent,
    cluster::{self, Cluster, identity},
    in_time, until,
};
use postern_edge::CommandOutcome;
use postern_test_kit::certificates::CertificateAuthority;
use std::{sync::Arc, time::Duration};
use tokio::{sync::watch, time::Instant};

/// A node with the place 2 that has this identity and knows the nodes of the cluster.
async fn third(cluster: &Cluster, identity: postern_edge::NodeIdentity) -> World {
    let (listener, peer) = cluster::listener(2).await;
    let own = cluster.peers.borrow().clone();
    let all: Vec<_> = own.iter().cloned().chain([peer]).collect();
    cluster.peers.send_replace(Arc::from(all));
    let settings = cluster::settings(2, listener, identity, &cluster.peers);
    World::with(|world| world.links = Some(settings)).await
}

#[tokio::test]
async fn a_foreign_certificate_is_refused_at_both_ends() {
    let cluster = Cluster::start(1).await;
    let stranger = third(&cluster, identity(&CertificateAuthority::root("another authority"), "node_2")).await;
    let link = |world: &World, peer: &str| world.links().into_iter().find(|link| link.peer == peer);
    let failed = |world: &World, peer: &str| {
        link(world, peer).is_some_and(|link| !link.up && link.error.is_some_and(|error| error.contains("certificate")))
    };
    until("the node refuses the stranger", || failed(&cluster.nodes[0], "node_2")).await;
    until("the stranger is refused", || link(&stranger, "node_0").is_some_and(|link| link.error.is_some())).await;
    assert!(!link(&stranger, "node_0").unwrap().up);
}

#[tokio::test]
async fn a_node_cannot_be_another_one() {
    let cluster = Cluster::start(1).await;
    let impostor = third(&cluster, identity(&cluster.authority, "node_7")).await;
    let link = |world: &World, peer: &str| world.links().into_iter().find(|link| link.peer == peer);
    let fails = |world: &World, peer: &str| link(world, peer).is_some_and(|link| link.error.is_some() && !link.up);
    until("its certificate has another name", || fails(&cluster.nodes[0], "node_2")).await;
    until("it is not welcome", || fails(&impostor, "node_0")).await;
    assert!(cluster.nodes[0].links().iter().all(|link| !link.up));
}

#[tokio::test]
async fn a_change_waits_for_the_linked_nodes_that_serve_visitors() {
    let cluster = Cluster::start(3).await;
    let links: Vec<_> = cluster.nodes.iter().map(|node| node.edge.links().unwrap()).collect();
    let soon = || Instant::now() + Duration::from_millis(50);
    links[0].set_applied(7);
    assert_eq!(links[0].applied_everywhere(7, soon()).await, 2);
    links[1].set_applied(7);
    let late = Instant::now() + Duration::from_secs(20);
    let waiting = links[0].applied_everywhere(7, late);
    links[2].set_applied(9);
    assert_eq!(in_time(waiting).await, 0);
    let revision = |peer: &str| links[0].views().into_iter().find(|link| link.peer == peer).unwrap().revision;
    assert_eq!((revision("node_1"), revision("node_2")), (Some(7), Some(9)));
    assert_eq!(links[0].applied_everywhere(9, soon()).await, 1);
    let draining: Vec<_> = cluster
        .peers
        .borrow()
        .iter()
        .cloned()
        .map(|mut peer| {
            peer.draining = peer.id == "node_1";
            peer
        })
        .collect();
    cluster.peers.send_replace(Arc::from(draining));
    assert_eq!(in_time(links[0].applied_everywhere(9, late)).await, 0, "a node that drains is not waited for");
}

#[tokio::test]
async fn tunnels_are_announced_by_their_own_node_only() {
    let cluster = Cluster::start(3).await;
    let origin = ScriptedOrigin::with_text("hello").await;
    let agent =
        Agent::connect_as(&cluster.nodes[0], &cluster.token, "one").await.map_err(|error| error.to_string()).unwrap();
    let bound = agent.http(Some("shop"), origin.address).await.unwrap();
    cluster.serve("shop.localhost").await;
    for (place, node) in cluster.nodes.iter().enumerate().skip(1) {
        let tunnels = node.live().tunnels();
        assert_eq!(tunnels.len(), 1);
        assert_eq!((&tunnels[0].id, tunnels[0].node.as_deref()), (&bound.tunnel, Some("node_0")));
        let other = format!("node_{}", 3 - place);
        until("the link is counted", || {
            let links = node.links();
            let tunnels = |peer: &str| links.iter().find(|link| link.peer == peer).map(|link| link.tunnels);
            (tunnels("node_0"), tunnels(&other)) == (Some(1), Some(0))
        })
        .await;
    }
    let sessions = cluster.nodes[2].live().sessions();
    assert_eq!((sessions.len(), sessions[0].node.as_deref()), (1, Some("node_0")));
    let live = cluster.nodes[2].live();
    assert_eq!(in_time(live.stop("ts_unknown")).await, CommandOutcome::NoSession);
    assert_eq!(in_time(live.stop(&sessions[0].id)).await, CommandOutcome::Done, "from any node");
    assert!(agent.ended().await.clean);
    for node in &cluster.nodes {
        until("it is gone everywhere", || node.live().sessions().is_empty() && node.live().tunnels().is_empty()).await;
    }
}

#[tokio::test]
async fn a_node_may_get_another_certificate() {
    let (listener, peer) = cluster::listener(0).await;
    let authority = CertificateAuthority::root("node authority");
    let foreign = CertificateAuthority::root("another authority");
    let identities = watch::Sender::new(Arc::new(identity(&foreign, "node_0")));
    let peers = watch::Sender::new(Arc::from([peer]));
    let mut settings = cluster::settings(0, listener, identity(&authority, "node_0"), &peers);
    settings.identity = identities.subscribe();
    let first = World::with(|world| world.links = Some(settings)).await;
    let (listener, peer) = cluster::listener(1).await;
    peers.send_modify(|peers| *peers = peers.iter().cloned().chain([peer.clone()]).collect());
    let settings = cluster::settings(1, listener, identity(&authority, "node_1"), &peers);
    let second = World::with(|world| world.links = Some(settings)).await;
    until("the certificate is refused", || second.links().iter().any(|link| link.error.is_some())).await;
    identities.send_replace(Arc::new(identity(&authority, "node_0")));
    until("both are linked", || first.links().iter().chain(&second.links()).filter(|link| link.up).count() == 2).await;
}
