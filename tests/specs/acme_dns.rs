//! Challenges in DNS: wildcard certificates from Pebble, which asks BIND for the records that the server or a hook made.

use postern_tests::{
    Operator, World,
    cluster::Cluster,
    eventually,
    name_server::{KEY_NAME, NameServer, SECRET, WRONG_SECRET},
    openssl::{self, trusting},
    pebble::{Pebble, PebbleSetup},
    ports::free_tcp_ports,
};
use rustix::process::Signal;
use serde_json::{Value, json};
use std::{
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
};

/// A zone that takes updates, and an authority that looks there.
struct Zone {
    server: NameServer,
    pebble: Pebble,
    folder: tempfile::TempDir,
}

impl Zone {
    async fn start() -> Zone {
        let folder = tempfile::tempdir().unwrap();
        let records = "_acme-challenge.customer CNAME proofs\nown A 127.0.0.1\nright CNAME own\nwrong CNAME ns";
        let server = NameServer::start(&folder.path().join("bind"), "example.test", records).await;
        // Nothing listens at these ports: only records in DNS can be validated.
        let (http, _) = free_tcp_ports(2);
        let setup = PebbleSetup::new(http, http + 1);
        let pebble = Pebble::with_resolver(&folder.path().join("pebble"), setup, Some(server.address)).await;
        Zone { server, pebble, folder }
    }

    fn directory_flags(&self) -> Vec<String> {
        let root = self.pebble.root().to_string_lossy().into_owned();
        ["--acme-directory", &self.pebble.directory(), "--acme-ca", &root].map(str::to_owned).to_vec()
    }

    /// A server with these flags besides those of the directory.
    async fn world(&self, flags: &[String]) -> World {
        let flags = [&self.directory_flags(), flags].concat();
        let flags: Vec<&str> = flags.iter().map(String::as_str).collect();
        World::with(|setup| setup.flags(&flags)).await
    }

    /// Two servers with these flags besides those of the directory, on one store.
    async fn two_nodes(&self, flags: &[String]) -> Cluster {
        let flags = [&self.directory_flags(), flags].concat();
        let flags: Vec<&str> = flags.iter().map(String::as_str).collect();
        let mut cluster = Cluster::start(0).await;
        cluster.join(&flags).await;
        cluster.join(&flags).await;
        cluster
    }

    /// A hook program that is run with the right secret at hand.
    fn hook(&self, script: &str) -> Vec<String> {
        let path = self.folder.path().join("hook");
        let (address, port) = (self.server.address.ip(), self.server.address.port());
        let update = format!(
            "update() {{ printf 'server {address} {port}\\nkey hmac-sha256:{KEY_NAME} {SECRET}\\nzone example.test\\n\
             update %s %s TXT %s\\nsend\\n' \"$1\" \"$2\" \"$3\" | nsupdate; }}"
        );
        std::fs::write(&path, format!("#!/bin/sh\n{update}\n{script}\n")).unwrap();
        std::fs::set_permissions(&path, PermissionsExt::from_mode(0o700)).unwrap();
        let (path, address) = (path.to_string_lossy().into_owned(), self.server.address.to_string());
        ["--acme-dns-hook", &path, "--dns-resolver", &address].map(str::to_owned).to_vec()
    }

    async fn issuing_root(&self) -> PathBuf {
        let path = self.folder.path().join("issuing.pem");
        std::fs::write(&path, self.pebble.issuing_root().await).unwrap();
        path
    }

    async fn is_clean(&self, name: &str) {
        eventually("the records are removed", async || self.server.texts(name).await.is_empty().then_some(())).await;
    }
}

/// Updates by a hook that works.
const WORKING_HOOK: &str = r#"case $1 in add) update add "$2 60" "$3" ;; remove) update delete "$2" "$3" ;; esac"#;

async fn reserve(world: &World, domain: &str) -> String {
    reserve_at(&world.operator(), domain).await
}

async fn reserve_at(operator: &Operator, domain: &str) -> String {
    let policy = json!({ "authority": "letsencrypt", "private_key_type": "ecdsa" });
    let body = json!({ "domain": domain, "certificate_management_policy": policy });
    operator.post("/reserved_domains", body).await.ok().text("id")
}

/// How far the certificate of a domain is, as a node shows it.
async fn status_at(operator: &Operator, domain: &str) -> Value {
    let shown = operator.get(&format!("/reserved_domains/{domain}")).await.ok().body;
    shown["certificate_management_status"].clone()
}

/// The certificate for exactly these names.
async fn certificate(world: &World, names: &[&str]) -> Value {
    eventually(&format!("a certificate for {names:?}"), async || {
        let all = world.operator().get("/tls_certificates").await.ok().body;
        let mut all = all["tls_certificates"].as_array().unwrap().iter();
        all.find(|one| one["subject_alternative_names"]["dns_names"] == json!(names)).cloned()
    })
    .await
}

/// Waits until an order for a domain has failed; gives the reason.
async fn failure(world: &World, domain: &str) -> String {
    eventually("the domain says why it has no certificate", async || {
        let job = status_at(&world.operator(), domain).await["provisioning_job"].clone();
        job["error_code"].as_str()?;
        job["msg"].as_str().map(str::to_owned)
    })
    .await
}

/// Creates an edge, and checks that a visitor that trusts only the authority is served.
async fn is_served(world: &World, root: &Path, host: &str) {
    let operator = world.operator();
    let body = json!({ "status_code": 200, "body": format!("this is {host}") });
    let backend = operator.post("/backends/http_response", body).await.ok().text("id");
    let edge = operator.post("/edges/https", json!({ "hostports": [format!("{host}:443")] })).await.ok().text("id");
    let route = json!({ "match_type": "path_prefix", "match": "/", "backend": { "backend_id": backend } });
    operator.post(&format!("/edges/https/{edge}/routes"), route).await.ok();
    let arguments = trusting(root);
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).chain(["-verify_hostname", host]).collect();
    let output = openssl::connect(world.server.addresses.https, host, &arguments).await;
    assert!(output.text().contains("Verify return code: 0 (ok)"), "{}", output.text());
    assert_eq!(output.response_body(), Some(format!("this is {host}").as_str()), "{}", output.text());
}

#[tokio::test]
async fn a_wildcard_is_validated_by_a_signed_update_of_the_zone() {
    let zone = Zone::start().await;
    let world = zone.world(&zone.server.flags(SECRET)).await;
    let domain = reserve(&world, "*.shop.example.test").await;
    certificate(&world, &["*.shop.example.test"]).await;
    is_served(&world, &zone.issuing_root().await, "a.shop.example.test").await;
    assert!(zone.server.was_added("_acme-challenge.shop.example.test"), "{}", zone.server.process.stderr());
    zone.is_clean("_acme-challenge.shop.example.test").await;
    eventually("the domain says when it is renewed", async || {
        let shown = world.operator().get(&format!("/reserved_domains/{domain}")).await.ok().body;
        shown["certificate_management_status"]["renews_at"].as_str().map(str::to_owned)
    })
    .await;
}

#[tokio::test]
async fn the_record_is_made_where_an_alias_leads_and_a_plain_name_is_validated_too() {
    let zone = Zone::start().await;
    let flags = [zone.server.flags(SECRET), vec!["--acme-dns-algorithm".into(), "hmac-sha512".into()]].concat();
    let flags: Vec<_> =
        flags.into_iter().map(|flag| if flag == KEY_NAME { format!("{flag}-512") } else { flag }).collect();
    let world = zone.world(&flags).await;
    reserve(&world, "*.customer.example.test").await;
    certificate(&world, &["*.customer.example.test"]).await;
    assert!(zone.server.was_added("proofs.example.test"), "{}", zone.server.process.stderr());
    zone.is_clean("proofs.example.test").await;
    // Neither port can be reached, so this one is validated in DNS as well.
    reserve(&world, "plain.example.test").await;
    certificate(&world, &["plain.example.test"]).await;
}

#[tokio::test]
async fn one_certificate_serves_the_own_domain_and_new_names_below_it() {
    let zone = Zone::start().await;
    let flags = [zone.server.flags(SECRET), vec!["--domain".into(), "example.test".into()]].concat();
    let world = zone.world(&flags).await;
    certificate(&world, &["*.example.test", "example.test"]).await;
    zone.is_clean("_acme-challenge.example.test").await;
    let root = zone.issuing_root().await;
    is_served(&world, &root, "new.example.test").await;
    is_served(&world, &root, "another.example.test").await;
    let all = world.operator().get("/tls_certificates").await.ok().body;
    assert_eq!(all["tls_certificates"].as_array().unwrap().len(), 1, "{all}");
}

#[tokio::test]
async fn a_wrong_secret_is_explained_without_it_and_corrected_while_the_server_runs() {
    let zone = Zone::start().await;
    let mut flags = zone.server.flags(WRONG_SECRET);
    let world = zone.world(&flags).await;
    let domain = reserve(&world, "*.shop.example.test").await;
    let why = failure(&world, &domain).await;
    assert!(why.contains("BADSIG") && why.contains(KEY_NAME), "{why}");
    for text in [&why, &world.logs()] {
        assert!(!text.contains(WRONG_SECRET), "the secret is in {text}");
    }
    assert_eq!(zone.server.texts("_acme-challenge.shop.example.test").await, [""; 0]);
    let file = flags.iter().position(|flag| flag == "--acme-dns-secret-file").map(|at| flags.swap_remove(at + 1));
    std::fs::write(file.unwrap(), SECRET).unwrap();
    world.server.process.signal(Signal::HUP);
    certificate(&world, &["*.shop.example.test"]).await;
    world.server.process.wait_for_log("changed=\"acme_dns_secret_file\"").await;
}

#[tokio::test]
async fn a_zone_that_the_name_server_does_not_have_is_named() {
    let zone = Zone::start().await;
    let world = zone.world(&zone.server.flags(SECRET)).await;
    let domain = reserve(&world, "*.elsewhere.test").await;
    let why = failure(&world, &domain).await;
    assert!(why.contains("in DNS: the name server") && why.contains("refuses: Refused"), "{why}");
}

#[tokio::test]
async fn a_wildcard_is_validated_by_a_hook_program() {
    let zone = Zone::start().await;
    let world = zone.world(&zone.hook(WORKING_HOOK)).await;
    reserve(&world, "*.shop.example.test").await;
    certificate(&world, &["*.shop.example.test"]).await;
    assert!(zone.server.was_added("_acme-challenge.shop.example.test"), "{}", zone.server.process.stderr());
    zone.is_clean("_acme-challenge.shop.example.test").await;
}

#[tokio::test]
async fn a_hook_that_fails_is_explained_and_what_it_made_is_removed() {
    let zone = Zone::start().await;
    let script = format!("{WORKING_HOOK}\necho planted-explanation >&2\ntest $1 = remove || exit 7");
    let world = zone.world(&zone.hook(&script)).await;
    let domain = reserve(&world, "*.shop.example.test").await;
    let why = failure(&world, &domain).await;
    assert!(why.contains("hook failed for `add _acme-challenge.shop.example.test` (exit status: 7)"), "{why}");
    world.server.process.wait_for_log("planted-explanation").await;
    assert!(zone.server.was_added("_acme-challenge.shop.example.test"));
    zone.is_clean("_acme-challenge.shop.example.test").await;
}

#[tokio::test]
async fn a_hook_that_hangs_is_ended_after_its_time() {
    let zone = Zone::start().await;
    let limit = ["--acme-dns-timeout".to_owned(), "1s".to_owned()];
    let world = zone.world(&[&zone.hook("sleep 100")[..], &limit].concat()).await;
    let domain = reserve(&world, "*.shop.example.test").await;
    let why = failure(&world, &domain).await;
    assert!(why.contains("because it took longer than 1 s"), "{why}");
}

#[tokio::test]
async fn the_record_is_removed_after_the_authority_has_refused_it() {
    let zone = Zone::start().await;
    // The hook succeeds, but makes another record.
    let script = WORKING_HOOK.replace("\"$3\"", "other");
    let world = zone.world(&zone.hook(&script)).await;
    let domain = reserve(&world, "*.shop.example.test").await;
    let why = failure(&world, &domain).await;
    assert!(why.contains("the authority could not validate the name (in DNS:"), "{why}");
    assert!(zone.server.was_added("_acme-challenge.shop.example.test"));
    zone.is_clean("_acme-challenge.shop.example.test").await;
}

#[tokio::test]
async fn a_wildcard_without_challenges_in_dns_says_what_to_set() {
    let zone = Zone::start().await;
    let world = zone.world(&[]).await;
    let domain = reserve(&world, "*.shop.example.test").await;
    let why = failure(&world, &domain).await;
    assert!(why.contains("--acme-dns-server") && why.contains("--acme-dns-hook"), "{why}");
}

#[tokio::test]
async fn a_domain_says_which_of_its_records_are_right() {
    let zone = Zone::start().await;
    let resolver = zone.server.address.to_string();
    let flags = ["--domain", "own.example.test", "--dns-resolver", &resolver].map(str::to_owned);
    let world = zone.world(&flags).await;
    let operator = world.operator();
    for (domain, record, found, ok, part) in [
        (
            "right.example.test",
            ("CNAME", "right.example.test", "own.example.test"),
            "own.example.test",
            true,
            "is right",
        ),
        (
            "wrong.example.test",
            ("CNAME", "wrong.example.test", "own.example.test"),
            "ns.example.test",
            false,
            "Change it",
        ),
        ("none.example.test", ("CNAME", "none.example.test", "own.example.test"), "", false, "does not exist"),
        ("shop.own.example.test", ("CNAME", "*.own.example.test", "own.example.test"), "", false, "has no address"),
    ] {
        let id = operator.post("/reserved_domains", json!({ "domain": domain })).await.ok().text("id");
        let listed = operator.get(&format!("/reserved_domains/{id}/dns_records")).await.ok().body;
        let shown = &listed["dns_records"][0];
        let (kind, name, value) = record;
        assert_eq!((&shown["type"], &shown["name"], &shown["values"]), (&json!(kind), &json!(name), &json!([value])));
        assert_eq!((shown["found"][0].as_str().unwrap_or_default(), &shown["ok"]), (found, &json!(ok)), "{shown}");
        assert!(shown["msg"].as_str().unwrap().contains(part), "{shown}");
    }
}

#[tokio::test]
async fn one_of_several_nodes_orders_a_wildcard() {
    let zone = Zone::start().await;
    let cluster = zone.two_nodes(&zone.server.flags(SECRET)).await;
    let domain = reserve_at(&cluster.operator(1), "*.shop.example.test").await;
    for node in 0..2 {
        eventually("each node says when the certificate is renewed", async || {
            let status = status_at(&cluster.operator(node), &domain).await;
            status["renews_at"].is_string().then_some(())
        })
        .await;
    }
    let added = zone.server.process.stderr().matches("adding an RR at").count();
    assert_eq!(added, 1, "one of them has ordered");
}

#[tokio::test]
async fn each_node_says_why_the_order_of_one_has_failed() {
    let zone = Zone::start().await;
    let flags = zone.server.flags(WRONG_SECRET);
    let secret_file = flags.iter().skip_while(|flag| *flag != "--acme-dns-secret-file").nth(1).unwrap();
    let cluster = zone.two_nodes(&flags).await;
    let domain = reserve_at(&cluster.operator(1), "*.shop.example.test").await;
    let status = async |node: usize| status_at(&cluster.operator(node), &domain).await;
    let mut jobs = Vec::new();
    for node in 0..2 {
        let job = eventually("each node says why there is no certificate", async || {
            let job = status(node).await["provisioning_job"].clone();
            job["error_code"].is_string().then_some(job)
        });
        jobs.push(job.await);
    }
    assert!(jobs[0]["msg"].as_str().unwrap().contains("BADSIG"), "{jobs:?}");
    assert_eq!(jobs[0], jobs[1], "with the same times");
    std::fs::write(secret_file, SECRET).unwrap();
    for node in 0..2 {
        cluster.nodes[node].process.signal(Signal::HUP);
    }
    for node in 0..2 {
        eventually("the failure is forgotten with the certificate", async || {
            let status = status(node).await;
            (status["renews_at"].is_string() && status["provisioning_job"].is_null()).then_some(())
        })
        .await;
    }
}
