//! A backup while records are written.

use super::{files_in, passphrase_file, run};
use postern_tests::{Operator, ServerSetup, World, eventually};
use serde_json::json;
use std::{
    collections::BTreeSet,
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, Ordering},
    },
};

#[tokio::test]
async fn what_was_acknowledged_before_a_backup_is_restored_elsewhere() {
    let world = World::start().await;
    let (stop, made) = (Arc::<AtomicBool>::default(), Arc::<Mutex<Vec<(String, String)>>>::default());
    let writers: Vec<_> = (0..16)
        .map(|_| {
            let (operator, stop, made) = (world.operator(), stop.clone(), made.clone());
            tokio::spawn(async move {
                while !stop.load(Ordering::Relaxed) {
                    let policy = operator.post("/ip_policies", json!({ "description": "x" })).await.ok().text("id");
                    let rule = json!({ "ip_policy_id": policy, "cidr": "198.51.100.0/24", "action": "allow" });
                    let rule = operator.post("/ip_policy_rules", rule).await.ok().text("id");
                    made.lock().unwrap().push((policy, rule));
                }
            })
        })
        .collect();
    eventually("records are made", async || (made.lock().unwrap().len() > 50).then_some(())).await;
    let before = made.lock().unwrap().clone();
    let (file, target, pass) = (world.path("b"), world.path("restored"), passphrase_file(&world, "planted-passphrase"));
    let saved = run("backup", &file, world.server.folder(), &["--with-keys", "--passphrase-file", &pass]).await;
    let after = made.lock().unwrap().len();
    eventually("records are made after the backup", async || (made.lock().unwrap().len() > after).then_some(())).await;
    stop.store(true, Ordering::Relaxed);
    for writer in writers {
        writer.await.unwrap();
    }
    assert!(saved.status.success() && !saved.output().contains("planted"), "{saved:?}");
    let restored = run("restore", &file, &target, &["--passphrase-file", &pass]).await;
    assert!(restored.status.success() && files_in(&target) > 3, "{restored:?}");
    let counts = |text: &str| {
        text.split_whitespace().filter_map(|word| word.trim_end_matches(':').parse().ok()).collect::<Vec<u64>>()
    };
    assert_eq!(counts(&saved.stdout), counts(&restored.stdout), "entries and revision");

    // Records, their claims and their links fit to each other.
    let server = ServerSetup::new(&target).start().await;
    // The key of the former folder is one of the records.
    let operator = Operator::new(server.addresses.api, Some(&world.admin_key()));
    for (policy, rule) in &before {
        operator.get(&format!("/ip_policies/{policy}")).await.ok();
        let found = operator.get(&format!("/ip_policy_rules/{rule}")).await.ok();
        assert_eq!(found.body["ip_policy"]["id"], **policy);
    }
    let all: BTreeSet<String> = made.lock().unwrap().iter().map(|(_, rule)| rule.clone()).collect();
    let last = all.last().unwrap();
    assert_eq!(operator.get(&format!("/ip_policy_rules/{last}")).await.status, 404, "what came later is not there");
    server.process.terminate();
    assert!(server.process.wait_for_exit().await.success());
    let examined = server.command(&["doctor"]).await;
    assert!(examined.status.success() && examined.stdout.contains("is healthy"), "{examined:?}");
}
