//! Durability: after any number of kills, acknowledged writes are complete, and others are complete or absent.

mod records;
mod writer;

use futures::future::join_all;
use postern_api::Code;
use postern_tests::{Operator, World, condition::finishes, ports::free_tcp_ports};
use rand::{Rng, SeedableRng, rngs::StdRng, seq::IndexedRandom};
use records::{CREDENTIALS, EDGES, GROUPS, KINDS, POLICIES, RULES, Records, ports_of};
use serde_json::json;
use std::collections::BTreeSet;
use tokio::sync::watch;
use writer::Writer;

const SEED: u64 = 20_261_121;
const KILLS: u64 = 10;
const WRITES: u64 = 10_000;
const WRITERS: u64 = 8;
/// Fewer ports than the writers request, so that they conflict.
const PORTS: u16 = 24;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn ten_thousand_writes_around_ten_kills_are_there_exactly_as_acknowledged() {
    let ports = free_tcp_ports(PORTS);
    let mut world = World::with(|setup| setup.flags(&["--tcp-ports", &format!("{}-{}", ports.0, ports.1)])).await;
    let mut random = StdRng::seed_from_u64(SEED);
    let mut writers: Vec<Writer> = (0..WRITERS).map(|number| Writer::new(number, SEED, ports)).collect();
    let mut acknowledged = 0;
    for kill in 1..=KILLS {
        let (count, counted) = watch::channel(acknowledged);
        let writing: Vec<_> = writers
            .into_iter()
            .map(|writer| tokio::spawn(writer.write_until_the_server_ends(world.operator(), count.clone())))
            .collect();
        // Somewhere in the middle of what the others are doing.
        let enough = WRITES * kill / KILLS + random.random_range(0..20);
        let mut counting = counted.clone();
        finishes("the writers write", counting.wait_for(|count| *count >= enough)).await.unwrap();
        world.kill_server();
        writers = join_all(writing).await.into_iter().map(|writer| writer.unwrap()).collect();
        acknowledged = *counted.borrow();
        world = world.kill_and_restart_server().await;
        let found = Records::read(&world.operator()).await;
        writers.iter_mut().for_each(|writer| writer.settle(&found));
        assert_only_known_records(&found, &writers);
        assert_unique(&found);
    }
    assert!(acknowledged >= WRITES);
    let operator = world.operator();
    let found = Records::read(&operator).await;
    for kind in KINDS {
        assert!(found.of(kind).count() > 20, "{kind} took part");
    }
    claims_belong_to_the_records_that_hold_them(&operator, &found, ports).await;
    everything_can_be_removed(&operator, &found).await;
    every_port_is_free(&operator, (ports.0..=ports.1).collect()).await;
}

/// Asserts that every record was requested by a writer.
fn assert_only_known_records(found: &Records, writers: &[Writer]) {
    let known: BTreeSet<_> = writers.iter().flat_map(Writer::known).collect();
    let found: BTreeSet<_> = found.keys().collect();
    assert_eq!(found.difference(&known).next(), None, "a record that no writer created");
}

fn assert_unique(found: &Records) {
    let mut ports = BTreeSet::new();
    for (id, edge) in found.of(EDGES) {
        assert!(ports_of(edge).into_iter().all(|port| ports.insert(port)), "{id} has a port of another edge");
    }
    let mut ranges = BTreeSet::new();
    for (id, rule) in found.of(RULES) {
        let range = (rule["ip_policy"]["id"].to_string(), rule["cidr"].to_string());
        assert!(ranges.insert(range), "{id} is there twice");
    }
}

/// A value that a record holds cannot be taken by another, and a free value can be taken.
async fn claims_belong_to_the_records_that_hold_them(operator: &Operator, found: &Records, ports: (u16, u16)) {
    let mut free: BTreeSet<u16> = (ports.0..=ports.1).collect();
    for (id, edge) in found.of(EDGES) {
        for port in ports_of(edge) {
            free.remove(&port);
            let refused = operator.post(EDGES, json!({ "hostports": [format!("localhost:{port}")] })).await;
            assert_eq!(refused.code(), Code::HostportTaken, "{id} has {port}");
            assert_eq!(refused.body["details"]["id"], *id);
        }
    }
    assert!(free.len() < usize::from(PORTS), "some ports are taken");
    every_port_is_free(operator, free).await;
    let rules: Vec<_> = found.of(RULES).collect();
    for (id, rule) in rules.choose_multiple(&mut StdRng::seed_from_u64(SEED), 100) {
        let body = json!({ "ip_policy_id": rule["ip_policy"]["id"], "cidr": rule["cidr"], "action": "deny" });
        assert_eq!(operator.post(RULES, body).await.code(), Code::RuleDuplicate, "{id}");
    }
}

async fn every_port_is_free(operator: &Operator, ports: BTreeSet<u16>) {
    for port in ports {
        let taken = operator.post(EDGES, json!({ "hostports": [format!("localhost:{port}")] })).await.ok();
        operator.delete(&format!("{EDGES}/{}", taken.text("id"))).await.ok();
    }
}

/// Deleted records leave no link behind, and existing ones miss none.
async fn everything_can_be_removed(operator: &Operator, found: &Records) {
    for (id, _) in found.of(GROUPS) {
        let used = found.of(EDGES).any(|(_, edge)| edge["backend"]["backend"]["id"] == *id);
        if used {
            assert_eq!(operator.delete(&format!("{GROUPS}/{id}")).await.code(), Code::BackendInUse, "{id}");
        }
    }
    for kind in [EDGES, GROUPS, POLICIES, CREDENTIALS] {
        let paths: Vec<String> = found.of(kind).map(|(id, _)| format!("{kind}/{id}")).collect();
        for some in paths.chunks(16) {
            for answer in join_all(some.iter().map(|path| operator.delete(path))).await {
                answer.ok();
            }
        }
    }
    let left = Records::read(operator).await;
    assert_eq!(left.keys().next(), None, "rules go with their policies");
}
