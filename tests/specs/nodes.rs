//! Several servers that share an etcd: what is changed at one is in force at all.

use postern_api::Code;
use postern_tests::{
    Origin,
    cluster::Cluster,
    eventually,
    pebble::{Pebble, PebbleSetup},
    ports::free_tcp_ports,
    server::ServerSetup,
};
use rcgen::{CertificateParams, KeyPair};
use rustix::process::Signal;
use serde_json::{Value, json};

/// Creates an edge with one route to a fixed response. Gives edge, route and backend.
async fn fixed(cluster: &Cluster, node: usize, host: &str, text: &str) -> (String, String, String) {
    let operator = cluster.operator(node);
    let backend = operator.post("/backends/http_response", json!({ "body": text })).await.ok().text("id");
    let edge = json!({ "hostports": [format!("{host}:443")] });
    let edge = operator.post("/edges/https", edge).await.ok().text("id");
    let route = json!({ "match": "/", "match_type": "path_prefix", "backend": { "backend_id": backend } });
    let route = operator.post(&format!("/edges/https/{edge}/routes"), route).await.ok().text("id");
    (edge, route, backend)
}

/// The nodes that a node knows, by name.
async fn nodes(cluster: &Cluster, node: usize) -> Vec<Value> {
    let listed = cluster.operator(node).get("/nodes").await.ok().body;
    let mut nodes = listed["nodes"].as_array().expect("a list").clone();
    nodes.sort_by_key(|node| node["name"].as_str().map(str::to_owned));
    nodes
}

#[tokio::test]
async fn a_change_at_one_node_is_in_force_at_the_others() {
    let mut cluster = Cluster::start(3).await;
    let (edge, route, backend) = fixed(&cluster, 0, "shop.localhost", "one").await;
    for node in 0..3 {
        cluster.until_read(node, "shop.localhost", "one").await;
    }
    let body = json!({ "body": "two" });
    cluster.operator(1).patch(&format!("/backends/http_response/{backend}"), body).await.ok();
    for node in 0..3 {
        cluster.until_read(node, "shop.localhost", "two").await;
    }
    // An IP policy with rules, and a module of the route.
    let policy = cluster.operator(2).policy(&[("deny", "127.0.0.0/8")]).await;
    let module = format!("/edges/https/{edge}/routes/{route}/ip_restriction");
    cluster.operator(0).put(&module, json!({ "ip_policy_ids": [policy] })).await.ok();
    for node in 0..3 {
        cluster.until_read(node, "shop.localhost", "403").await;
    }
    cluster.operator(2).delete(&module).await.ok();
    cluster.until_read(1, "shop.localhost", "two").await;
    // While a node is gone, others go on; when it is back, it has what it missed.
    let again = cluster.kill(1);
    fixed(&cluster, 2, "late.localhost", "late").await;
    cluster.operator(0).delete(&format!("/edges/https/{edge}")).await.ok();
    cluster.nodes[1] = again.start().await;
    cluster.until_read(1, "late.localhost", "late").await;
    for node in 0..3 {
        eventually("the edge is gone", async || {
            let response = cluster.visitor(node).get(&cluster.url(node, "shop.localhost")).await;
            (response.status == 404 && response.refused() == Code::HostUnknown).then_some(())
        })
        .await;
    }
    // A record of one node is read, changed and searched at another.
    let user = cluster.operator(0).post("/users", json!({ "name": "Ada" })).await.ok().text("id");
    let path = format!("/users/{user}");
    eventually("the user is known", async || (cluster.operator(1).get(&path).await.status == 200).then_some(())).await;
    cluster.operator(1).patch(&path, json!({ "name": "Grace" })).await.ok();
    eventually("the name is known", async || {
        (cluster.operator(2).get(&path).await.body["name"] == "Grace").then_some(())
    })
    .await;
}

/// Creates a user at the first node. Gives the number of nodes that do not know it yet.
async fn behind(cluster: &Cluster) -> Option<String> {
    let url = format!("http://{}/users", cluster.nodes[0].addresses.api);
    let request = reqwest::Client::builder().no_proxy().build().unwrap().post(url).bearer_auth(cluster.key());
    let response = request.header("Service-Version", "2").json(&json!({ "name": "Ada" })).send().await.unwrap();
    assert_eq!(response.status(), 201);
    response.headers().get("postern-nodes-behind").map(|value| value.to_str().unwrap().to_owned())
}

#[tokio::test]
async fn a_change_is_in_force_at_connected_nodes_before_its_response() {
    let cluster = Cluster::start(2).await;
    cluster.until_linked().await;
    for number in 0..10 {
        let (host, node) = (format!("shop{number}.localhost"), number % 2);
        fixed(&cluster, node, &host, "now").await;
        assert_eq!(cluster.reads(1 - node, &host).await, "now", "at once");
    }
    assert_eq!(behind(&cluster).await, None);
    // One that is halted is waited for only briefly, and told.
    let halted = &cluster.nodes[1].process;
    halted.signal(Signal::STOP);
    assert_eq!(behind(&cluster).await.as_deref(), Some("1"));
    eventually("it is no longer connected", async || {
        let others = nodes(&cluster, 0).await;
        others.iter().any(|other| other["link"] == "down").then_some(())
    })
    .await;
    assert_eq!(behind(&cluster).await, None, "a node without a connection is not waited for");
    halted.signal(Signal::CONT);
    cluster.until_linked().await;
}

#[tokio::test]
async fn a_visitor_of_one_node_reaches_the_agent_of_another() {
    let cluster = Cluster::start(2).await;
    cluster.until_linked().await;
    let (_, token) = cluster.operator(1).credential(&[]).await;
    let origin = Origin::start("hello").await;
    let agent = cluster.agent_setup(0, "agent", &token).start().await;
    let tunnel = agent.https("site", &origin).await;
    cluster.until_read(0, &tunnel.host(), "hello").await;
    cluster.until_read(1, &tunnel.host(), "hello").await;
}

#[tokio::test]
async fn requests_of_another_nodes_visitors_are_captured_and_replayed_and_refused_as_at_one_node() {
    let cluster = Cluster::start(2).await;
    cluster.until_linked().await;
    let (_, token) = cluster.operator(0).credential(&[]).await;
    let origin = Origin::start("hello").await;
    let agent = cluster.agent_setup(0, "agent", &token).setting("sessions", "1").start().await;
    let tunnel = agent.https("site", &origin).await;
    cluster.until_read(1, &tunnel.host(), "hello").await;
    let visitor = cluster.visitor(1);
    let url = |path: &str| format!("https://{}:{}{path}", tunnel.host(), cluster.nodes[1].addresses.https.port());
    visitor.send(visitor.http.post(url("/sum?n=1")).header("X-Mine", "yes").body("the body")).await;
    let is_it =
        |captured: &Value| captured["request"]["uri"] == "/sum?n=1" && captured["response"]["status_code"] == 200;
    let captured = agent.wait_for_exchange("the request is captured", is_it).await;
    assert!(captured["remote_addr"].as_str().is_some_and(|address| address.starts_with("127.0.0.1")), "{captured}");
    assert_eq!(agent.replay(captured["id"].as_str().expect("an id"), None).await.status, 204);
    let received = origin.wait_for_requests("/sum", 2).await;
    assert_eq!(received[0].header("x-mine"), received[1].header("x-mine"));
    // A module of the tunnel refuses at the visitor's node.
    let definition =
        json!({ "name": "closed", "proto": "http", "addr": origin.to_string(), "basic_auth": ["ada:secret-word"] });
    let closed = agent.tunnel(definition).await;
    cluster.until_read(1, &closed.host(), "401").await;
    // A service that does not respond is explained there as well.
    let gone = agent.https("gone", "127.0.0.1:1").await;
    eventually("the agent's explanation arrives", async || {
        let response =
            visitor.get(&format!("https://{}:{}/", gone.host(), cluster.nodes[1].addresses.https.port())).await;
        (response.status == 502 && response.refused() == Code::ServiceUnreachable).then_some(())
    })
    .await;
}

#[tokio::test]
async fn credentials_certificates_and_ports_of_one_node_are_served_at_another() {
    let cluster = Cluster::start(2).await;
    let authority = |node: usize| std::fs::read(cluster.nodes[node].authority()).expect("an authority");
    assert_eq!(authority(0), authority(1), "visitors trust one authority");
    // An agent with a credential of the first node connects to the second.
    let (credential, token) = cluster.operator(0).credential(&[]).await;
    let origin = Origin::start("hello").await;
    let agent = cluster.agent_setup(1, "agent", &token).start().await;
    let tunnel = agent.https("site", &origin).await;
    assert_eq!(cluster.visitor(1).get(&tunnel.url("/")).await.text(), "hello");
    // A TCP edge opens its port at every node.
    let port = cluster.tcp_port();
    let group = cluster.operator(1).group("site", "tcp").await;
    agent.labelled("tcp", "site=tcp", &origin).await;
    let edge = json!({ "hostports": [format!("localhost:{port}")], "backend": { "backend_id": group } });
    cluster.operator(1).post("/edges/tcp", edge).await.ok();
    for address in ["127.0.0.1", "127.0.0.2"] {
        eventually("the port is open", async || tokio::net::TcpStream::connect((address, port)).await.ok()).await;
    }
    // A certificate that is uploaded at the second is shown by the first.
    let key = KeyPair::generate().unwrap();
    let given = CertificateParams::new(vec!["own.shop.test".to_owned()]).unwrap().self_signed(&key).unwrap();
    let upload = json!({ "certificate_pem": given.pem(), "private_key_pem": key.serialize_pem() });
    cluster.operator(1).post("/tls_certificates", upload).await.ok();
    fixed(&cluster, 1, "own.shop.test", "own").await;
    let trusting = reqwest::Certificate::from_pem(given.pem().as_bytes()).unwrap();
    let visitor = cluster.visitor(0).with(|client| client.tls_certs_only([trusting]));
    eventually("the certificate is shown", async || {
        let response = visitor.http.get(cluster.url(0, "own.shop.test")).send().await.ok()?;
        (response.text().await.ok()? == "own").then_some(())
    })
    .await;
    // The deletion of the credential at the first ends the session at the second.
    cluster.operator(0).delete(&format!("/credentials/{credential}")).await.ok();
    eventually("the session has ended", async || {
        let sessions = cluster.operator(1).get("/tunnel_sessions").await.ok().body;
        sessions["tunnel_sessions"].as_array().expect("a list").is_empty().then_some(())
    })
    .await;
}

#[tokio::test]
async fn nodes_are_listed_while_they_live_and_register_again_when_the_store_forgot_them() {
    let cluster = Cluster::start(2).await;
    for own in 0..2 {
        let listed = eventually("both serve and are linked", async || {
            let listed = nodes(&cluster, own).await;
            let serves = |node: &Value| node["state"] == "serving" && node["link"] != "down";
            (listed.len() == 2 && listed.iter().all(serves)).then_some(listed)
        })
        .await;
        for (number, node) in listed.iter().enumerate() {
            assert_eq!(node["name"], format!("node{number}"), "{node}");
            assert_eq!(node["answering"], number == own, "{node}");
            assert!(node["address"].as_str().is_some_and(|address| address.starts_with("127.0.0.1:")), "{node}");
            let read = cluster.operator(own).get(&format!("/nodes/{}", node["id"].as_str().unwrap())).await.ok();
            assert_eq!(read.body["name"], node["name"]);
        }
        assert_eq!(listed[own]["link"], "own");
        assert!(listed[own]["revision"].as_u64().is_some_and(|revision| revision > 0), "{listed:?}");
    }
    let (_, token) = cluster.operator(0).credential(&[]).await;
    assert_eq!(cluster.operator(0).get("/nodes/nd_000000000000000000000000000").await.code(), Code::NotFound);
    assert!(!token.is_empty());
    let printed = cluster.nodes[1].command(&["cluster", "nodes"]).await;
    assert!(printed.stdout.contains("node0") && printed.stdout.contains("node1"), "{printed:?}");
    // The records of both are deleted; each is back without a restart.
    let health = async |node: usize| cluster.operator(node).get("/healthz").await.ok().body;
    assert_eq!(health(0).await["store"], "reachable");
    cluster.etcd.delete("/team/nodes/").await;
    eventually("both are registered again", async || {
        let all = nodes(&cluster, 0).await.len() == 2 && nodes(&cluster, 1).await.len() == 2;
        (all && health(0).await["registered"] == true && health(1).await["registered"] == true).then_some(())
    })
    .await;
    // One that ends in order is gone at once.
    cluster.nodes[1].process.terminate();
    cluster.nodes[1].process.wait_for_log("ended").await;
    eventually("it is gone", async || (nodes(&cluster, 0).await.len() == 1).then_some(())).await;
}

#[tokio::test]
async fn a_server_alone_and_nodes_exclude_each_other_and_strangers_are_refused() {
    let cluster = Cluster::start(1).await;
    let store = cluster.store();
    let refusal = async |setup: ServerSetup| {
        let ended = setup.spawn().wait_with_output().await;
        assert!(!ended.status.success(), "{ended:?}");
        ended.stderr
    };
    let key = cluster.nodes[0].folder().join("seal.key");
    let with_key = |name: &str| {
        std::fs::create_dir_all(cluster.path(name)).unwrap();
        std::fs::copy(&key, cluster.path(name).join("seal.key")).unwrap();
        ServerSetup::new(cluster.path(name))
    };
    let said = refusal(with_key("alone").flags(&["--store", &store])).await;
    assert!(said.contains("node node0") && said.contains("--node-addr"), "{said}");
    // Without the key of the secrets, or with another one.
    let said = refusal(cluster.setup(1)).await;
    assert!(said.contains("--join-file") && said.contains("seal.key"), "{said}");
    std::fs::create_dir_all(cluster.path("node2")).unwrap();
    std::fs::write(cluster.path("node2").join("seal.key"), [7; 32]).unwrap();
    let said = refusal(cluster.setup(2)).await;
    assert!(said.contains("sealed with another key"), "{said}");
    // An invitation is private, and to one store only.
    let invited = cluster.nodes[0].command(&["cluster", "invite"]).await;
    let line = invited.stdout.trim().to_owned();
    assert!(invited.status.success() && line.starts_with("postern-join-1:"), "{invited:?}");
    let file = cluster.path("join");
    std::fs::write(&file, &line).unwrap();
    let file = file.to_string_lossy().into_owned();
    let other = ServerSetup::new(cluster.path("node3")).flags(&[
        "--store",
        &format!("{store}2"),
        "--node-addr",
        "127.0.0.1:0",
        "--join-file",
        &file,
    ]);
    let said = refusal(other).await;
    assert!(said.contains("another store") && !said.contains(&line), "{said}");
    let forged = format!("{}{}", &line[..line.len() - 1], if line.ends_with('0') { '1' } else { '0' });
    std::fs::write(cluster.path("forged"), forged).unwrap();
    let forged = cluster.path("forged").to_string_lossy().into_owned();
    let said = refusal(cluster.setup(4).flags(&["--join-file", &forged])).await;
    assert!(said.contains("does not open the secrets"), "{said}");
    assert!(!cluster.path("node4").join("seal.key").exists(), "no key is left that would be in the way");
}

#[tokio::test]
async fn without_the_store_every_node_serves_on_and_says_so() {
    let cluster = Cluster::start(2).await;
    let (edge, ..) = fixed(&cluster, 0, "shop.localhost", "one").await;
    cluster.until_read(1, "shop.localhost", "one").await;
    cluster.etcd.stop(0);
    for node in 0..2 {
        let refused = cluster.operator(node).post("/api_keys", json!({})).await;
        assert_eq!(refused.status, 503);
        assert!([Code::StorageUncertain, Code::StorageUnreachable].contains(&refused.code()), "{refused:?}");
    }
    for node in 0..2 {
        eventually("it is told", async || {
            let health = cluster.operator(node).get("/healthz").await.ok().body;
            (health["status"] == "ok" && health["store"] == "away").then_some(())
        })
        .await;
        assert_eq!(cluster.reads(node, "shop.localhost").await, "one");
        cluster.operator(node).get(&format!("/edges/https/{edge}")).await.ok();
        assert_eq!(nodes(&cluster, node).await.len(), 2, "what was known last");
    }
    cluster.etcd.go_on(0);
    for node in 0..2 {
        eventually("changes are made again", async || {
            (cluster.operator(node).post("/api_keys", json!({})).await.status == 201).then_some(())
        })
        .await;
        assert_eq!(cluster.operator(node).get("/healthz").await.ok().body["store"], "reachable");
    }
}

#[tokio::test]
async fn one_node_orders_certificates_and_any_answers_the_challenge() {
    let mut cluster = Cluster::start(0).await;
    // The authority asks the second node, whichever orders.
    let (http, _) = free_tcp_ports(2);
    let folder = cluster.path("pebble");
    let pebble = Pebble::start(&folder, PebbleSetup::new(http, http + 1)).await;
    let (directory, root) = (pebble.directory(), pebble.root().to_string_lossy().into_owned());
    let at = |port: u16| format!("127.0.0.1:{port}");
    let acme = ["--acme-directory", directory.as_str(), "--acme-ca", root.as_str()];
    cluster.join(&acme).await;
    cluster.join(&[&acme[..], &["--http-addr", &at(http), "--https-addr", &at(http + 1)]].concat()).await;
    cluster.join(&acme).await;
    let authority = reqwest::Certificate::from_pem(pebble.issuing_root().await.as_bytes()).unwrap();
    let served = async |node: usize, host: &str| {
        let address = cluster.nodes[node].addresses.https;
        let client = reqwest::Client::builder().no_proxy().tls_certs_only([authority.clone()]).resolve(host, address);
        let client = client.build().unwrap();
        eventually("the authority's certificate is shown", async || {
            let response = client.get(cluster.url(node, host)).send().await.ok()?;
            (response.text().await.ok()? == host).then_some(())
        })
        .await;
    };
    fixed(&cluster, 1, "one.shop.test", "one.shop.test").await;
    for node in 0..3 {
        served(node, "one.shop.test").await;
    }
    let issued = async || {
        let listed = cluster.operator(1).get("/tls_certificates").await.ok().body;
        listed["tls_certificates"].as_array().expect("a list").len()
    };
    assert_eq!(issued().await, 1, "one of them has ordered");
    let policy = json!({ "authority": "letsencrypt", "private_key_type": "ecdsa" });
    let body = json!({ "domain": "kept.shop.test", "certificate_management_policy": policy });
    let domain = cluster.operator(1).post("/reserved_domains", body).await.ok().text("id");
    for node in 0..3 {
        eventually("each node says when the certificate is renewed", async || {
            let shown = cluster.operator(node).get(&format!("/reserved_domains/{domain}")).await.ok().body;
            shown["certificate_management_status"]["renews_at"].is_string().then_some(())
        })
        .await;
    }
    // The keeper ends: another one goes on.
    cluster.nodes[0].process.terminate();
    cluster.nodes[0].process.wait_for_log("ended").await;
    fixed(&cluster, 1, "two.shop.test", "two.shop.test").await;
    served(2, "two.shop.test").await;
    assert_eq!(issued().await, 3);
}

#[tokio::test]
async fn the_certificate_comes_although_the_node_that_orders_it_is_killed() {
    let mut cluster = Cluster::start(0).await;
    let (http, _) = free_tcp_ports(2);
    let folder = cluster.path("pebble");
    let pebble = Pebble::start(&folder, PebbleSetup::new(http, http + 1)).await;
    let (directory, root) = (pebble.directory(), pebble.root().to_string_lossy().into_owned());
    let at = |port: u16| format!("127.0.0.1:{port}");
    let acme = ["--acme-directory", directory.as_str(), "--acme-ca", root.as_str()];
    cluster.join(&acme).await;
    cluster.join(&[&acme[..], &["--http-addr", &at(http), "--https-addr", &at(http + 1)]].concat()).await;
    // The authority cannot examine the challenge before it finds the name, so the order stays open.
    pebble.names.signal(Signal::STOP);
    fixed(&cluster, 1, "one.shop.test", "one").await;
    eventually("the first node answers a challenge", async || {
        (cluster.etcd.count("/team/acme/proofs/").await > 0).then_some(())
    })
    .await;
    cluster.kill(0);
    pebble.names.signal(Signal::CONT);
    eventually("the lease of the dead node has ended", async || (nodes(&cluster, 1).await.len() == 1).then_some(()))
        .await;
    let issued = async || {
        let listed = cluster.operator(1).get("/tls_certificates").await.ok().body;
        listed["tls_certificates"].as_array().expect("a list").len()
    };
    eventually("the other node has ordered it", async || (issued().await == 1).then_some(())).await;
    let authority = reqwest::Certificate::from_pem(pebble.issuing_root().await.as_bytes()).unwrap();
    let visitor = cluster.visitor(1).with(|client| client.tls_certs_only([authority]));
    eventually("the certificate is shown", async || {
        let response = visitor.http.get(cluster.url(1, "one.shop.test")).send().await.ok()?;
        (response.text().await.ok()? == "one").then_some(())
    })
    .await;
}
