//! Certificates by ACME, from Pebble: validated on either port, renewed in time, kept when the authority fails.

use postern_tests::{
    World, eventually,
    openssl::{self, trusting},
    pebble::{Pebble, PebbleSetup},
    ports::free_tcp_ports,
    within,
};
use rustix::process::Signal;
use serde_json::{Value, json};
use std::{path::PathBuf, time::Duration};

/// The ports of the server and of challenges.
struct Ports {
    server_http: u16,
    server_https: u16,
    unused: u16,
}

impl Ports {
    fn free() -> Ports {
        let (first, unused) = free_tcp_ports(3);
        Ports { server_http: first, server_https: first + 1, unused }
    }
}

/// A server that obtains its certificates from Pebble.
struct Certified {
    world: World,
    pebble: Pebble,
    root: PathBuf,
    _folder: tempfile::TempDir,
}

impl Certified {
    async fn start(ports: &Ports, setup: PebbleSetup) -> Certified {
        Certified::with(ports, setup, |pebble| {
            let root = pebble.root().to_string_lossy().into_owned();
            let flags =
                ["--acme-directory", &pebble.directory(), "--acme-contact", "me@example.test", "--acme-ca", &root];
            flags.map(str::to_owned).to_vec()
        })
        .await
    }

    /// Starts the server with other flags.
    async fn with(ports: &Ports, setup: PebbleSetup, flags: impl FnOnce(&Pebble) -> Vec<String>) -> Certified {
        let folder = tempfile::tempdir().unwrap();
        let pebble = Pebble::start(folder.path(), setup).await;
        let at = |port: u16| format!("127.0.0.1:{port}");
        let own = flags(&pebble);
        let (http, https) = (at(ports.server_http), at(ports.server_https));
        let mut flags = vec!["--http-addr", &http, "--https-addr", &https];
        flags.extend(own.iter().map(String::as_str));
        let world = World::with(|setup| setup.flags(&flags)).await;
        let root = world.path("issuing.pem");
        std::fs::write(&root, pebble.issuing_root().await).unwrap();
        Certified { world, pebble, root, _folder: folder }
    }

    /// Creates an edge that responds with its name.
    async fn edge(&self, host: &str) {
        let operator = self.world.operator();
        let backend = json!({ "status_code": 200, "body": format!("this is {host}") });
        let backend = operator.post("/backends/http_response", backend).await.ok().text("id");
        let edge = operator.post("/edges/https", json!({ "hostports": [format!("{host}:443")] })).await.ok().text("id");
        let route = json!({ "match_type": "path_prefix", "match": "/", "backend": { "backend_id": backend } });
        operator.post(&format!("/edges/https/{edge}/routes"), route).await.ok();
    }

    /// The automatic certificate of a name.
    async fn record(&self, host: &str) -> Option<Value> {
        let all = self.world.operator().get("/tls_certificates").await.ok().body;
        all["tls_certificates"]
            .as_array()
            .unwrap()
            .iter()
            .find(|one| one["subject_alternative_names"]["dns_names"] == json!([host]))
            .cloned()
    }

    /// Waits until a visitor that trusts only the authority is served.
    async fn is_served(&self, host: &str) -> Value {
        let record = eventually("a certificate is there", async || {
            let record = self.record(host).await;
            if record.is_none() {
                let logs = self.world.logs();
                let failure = logs.lines().find(|line| line.contains("no new certificate") && line.contains(host));
                assert_eq!(failure, None, "an order failed");
            }
            record
        })
        .await;
        assert!(record["issued_at"].is_string(), "{record}");
        let https = self.world.server.addresses.https;
        let arguments = trusting(&self.root);
        let arguments: Vec<&str> = arguments.iter().map(String::as_str).chain(["-verify_hostname", host]).collect();
        let output = openssl::connect(https, host, &arguments).await;
        assert!(output.text().contains("Verify return code: 0 (ok)"), "{}", output.text());
        assert_eq!(output.response_body(), Some(format!("this is {host}").as_str()), "{}", output.text());
        record
    }
}

#[tokio::test]
async fn a_directory_is_set_and_taken_away_while_the_server_runs() {
    let (ports, settings) = (Ports::free(), tempfile::NamedTempFile::new().unwrap());
    let setup = PebbleSetup::new(ports.server_http, ports.unused);
    let file = settings.path().to_string_lossy().into_owned();
    let certified = Certified::with(&ports, setup, |_| vec!["--config".into(), file]).await;
    certified.edge("shop.example.test").await;
    let operator = certified.world.operator();
    let domain = operator.post("/reserved_domains", json!({ "domain": "other.example.test" })).await.ok().text("id");
    let process = &certified.world.server.process;
    let (directory, root) = (certified.pebble.directory(), certified.pebble.root().display().to_string());
    std::fs::write(settings.path(), format!("acme_directory: {directory}\nacme_ca: {root}\n")).unwrap();
    process.signal(Signal::HUP);
    process.wait_for_log("changed=\"acme_directory, acme_ca\"").await;
    certified.is_served("shop.example.test").await;

    std::fs::write(settings.path(), "").unwrap();
    process.signal(Signal::HUP);
    let job = eventually("the server orders no certificates any more", async || {
        let body =
            json!({ "certificate_management_policy": { "authority": "letsencrypt", "private_key_type": "rsa" } });
        let shown = operator.patch(&format!("/reserved_domains/{domain}"), body).await.ok().body;
        let job = shown["certificate_management_status"]["provisioning_job"]["msg"].as_str()?.to_owned();
        job.contains("has no ACME directory").then_some(job)
    })
    .await;
    assert!(job.contains("--acme-directory"), "{job}");
    certified.is_served("shop.example.test").await;
}

#[tokio::test]
async fn challenges_for_edges_and_reserved_domains_are_served_on_the_http_port() {
    let ports = Ports::free();
    let setup = PebbleSetup::new(ports.server_http, ports.unused);
    let certified = Certified::start(&ports, setup).await;
    certified.edge("shop.example.test").await;
    certified.edge("other.example.test").await;
    let record = certified.is_served("shop.example.test").await;
    certified.is_served("other.example.test").await;
    assert_eq!(record["private_key_type"], "ecdsa");
    let operator = certified.world.operator();
    let policy = json!({ "authority": "letsencrypt", "private_key_type": "rsa" });
    let body = json!({ "domain": "kept.example.test", "certificate_management_policy": policy });
    let domain = operator.post("/reserved_domains", body).await.ok().text("id");
    let kept = eventually("the reserved domain has one", async || certified.record("kept.example.test").await).await;
    assert_eq!(kept["private_key_type"], "rsa");
    eventually("the reserved domain says when it is renewed", async || {
        let shown = operator.get(&format!("/reserved_domains/{domain}")).await.ok().body;
        shown["certificate_management_status"]["renews_at"].as_str().map(str::to_owned)
    })
    .await;

    // The account's key, and those of the certificates, are sealed.
    let stored = certified.world.stored();
    for secret in ["key_pkcs8", "PRIVATE KEY"] {
        let found = stored.windows(secret.len()).any(|part| part == secret.as_bytes());
        assert!(!found, "`{secret}` stands in a file of the store");
    }
    let Certified { world, pebble, root, _folder } = certified;
    let world = world.kill_and_restart_server().await;
    let certified = Certified { world, pebble, root, _folder };
    assert_eq!(certified.is_served("shop.example.test").await["serial_number"], record["serial_number"]);
}

#[tokio::test]
async fn orders_complete_although_the_authority_rejects_every_other_nonce() {
    let ports = Ports::free();
    let setup = PebbleSetup { rejected_nonces: 50, ..PebbleSetup::new(ports.server_http, ports.unused) };
    let certified = Certified::start(&ports, setup).await;
    for host in ["one.example.test", "two.example.test", "three.example.test"] {
        certified.edge(host).await;
        certified.is_served(host).await;
    }
}

#[tokio::test]
async fn a_name_unreachable_on_the_http_port_is_validated_on_the_https_port() {
    let ports = Ports::free();
    let setup = PebbleSetup::new(ports.unused, ports.server_https);
    let certified = Certified::start(&ports, setup).await;
    certified.edge("shop.example.test").await;
    certified.is_served("shop.example.test").await;
}

#[tokio::test]
async fn a_certificate_is_renewed_in_time_and_kept_while_the_authority_is_unreachable() {
    let ports = Ports::free();
    let setup = PebbleSetup { lasting: 30, ..PebbleSetup::new(ports.server_http, ports.unused) };
    let certified = Certified::start(&ports, setup).await;
    certified.edge("shop.example.test").await;
    let first = certified.is_served("shop.example.test").await;
    let patience = Duration::from_secs(60);
    let second = within(patience, "the certificate is renewed", async || {
        certified.record("shop.example.test").await.filter(|record| record["serial_number"] != first["serial_number"])
    })
    .await;
    assert_eq!(second["id"], first["id"]);
    certified.is_served("shop.example.test").await;

    certified.pebble.process.kill();
    within(patience, "the server says that there is no new one", async || {
        certified.world.logs().contains("no new certificate").then_some(())
    })
    .await;
    let kept = certified.record("shop.example.test").await.expect("it is still there");
    assert_eq!(kept["serial_number"], second["serial_number"]);
    certified.is_served("shop.example.test").await;
}
