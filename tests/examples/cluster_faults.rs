//! Three servers on three members of etcd, under visitors, while one after the other fails. Prints a table of what visitors
//! noticed; `docs/cluster.md` has its last output.
//!
//! `cargo run --example cluster_faults -p postern-tests [kill-node|kill-etcd|halt-node|halt-etcd|no-quorum|drain|changes|writes]…`
//! with `POSTERN_BIN_DIR` on the folder of the programs; without an argument all of them.

#![expect(clippy::print_stdout, clippy::print_stderr, reason = "it is a program that prints a table")]

use postern_test_kit::{etcd::Etcd, eventually};
use postern_tests::{Agent, Origin, agent::Tunnel, cluster::Cluster, process::exited_successfully};
use reqwest::{Certificate, Client};
use rustix::process::Signal;
use serde_json::json;
use std::{
    collections::BTreeMap,
    net::SocketAddr,
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};
use tokio::{
    task::JoinSet,
    time::{Instant, sleep},
};

/// Between two requests of visitors.
const INTERVAL: Duration = Duration::from_millis(5);
/// A request that takes longer has failed.
const TIMEOUT: Duration = Duration::from_secs(10);
const ROUNDS: usize = 10;
/// Changes that are followed to all nodes.
const CHANGES: usize = 1000;
/// Writes that must not be lost while members of etcd are killed, and how many make them at the same time.
const WRITES: usize = 5000;
const WRITERS: usize = 8;
/// How often a member is killed meanwhile.
const KILLS: usize = 20;
/// Bytes of a download, of which one is always under way.
const DOWNLOAD: usize = 4 << 20;

#[tokio::main]
async fn main() {
    let chosen: Vec<String> = std::env::args().skip(1).collect();
    let is_chosen = |name: &str| chosen.is_empty() || chosen.iter().any(|other| other == name);
    println!("| fault | times | requests | failed at the node | failed elsewhere | longest elsewhere | notes |");
    println!("|---|---|---|---|---|---|---|");
    let mut world = Faults::start().await;
    if is_chosen("kill-node") {
        world.kill_nodes().await;
    }
    if is_chosen("halt-node") {
        world.halt_nodes().await;
    }
    if is_chosen("drain") {
        world.drain_nodes().await;
    }
    if is_chosen("kill-etcd") {
        world.kill_members().await;
    }
    if is_chosen("halt-etcd") {
        world.halt_members().await;
    }
    if is_chosen("no-quorum") {
        world.lose_quorum().await;
    }
    if is_chosen("changes") {
        world.changes().await;
    }
    if is_chosen("writes") {
        world.writes().await;
    }
}

/// The servers, their agents, and the names that visitors ask for.
struct Faults {
    cluster: Cluster,
    agents: Vec<(Agent, Tunnel)>,
    _origin: Origin,
    names: Vec<String>,
    /// What changes are made to.
    backend: String,
}

/// One request.
#[derive(Clone, Debug)]
struct Visit {
    node: usize,
    start: Instant,
    end: Instant,
    error: Option<String>,
}

/// Visitors under way.
struct Visitors {
    addresses: Vec<SocketAddr>,
    clients: Vec<Client>,
    /// Nodes that the load balancer does not choose.
    avoided: Mutex<Vec<usize>>,
    names: Vec<String>,
    visits: Mutex<Vec<Visit>>,
    next: AtomicUsize,
}

impl Visitors {
    fn new(cluster: &Cluster, names: &[String]) -> Arc<Visitors> {
        let pem = std::fs::read(cluster.nodes[0].authority()).expect("the authority");
        let certificate = Certificate::from_pem(&pem).expect("a certificate");
        let addresses: Vec<SocketAddr> = cluster.nodes.iter().map(|node| node.addresses.https).collect();
        let client = |address: &SocketAddr| {
            // Each request has a connection of its own, as behind a load balancer for TCP.
            let builder = Client::builder().no_proxy().tls_certs_only([certificate.clone()]).pool_max_idle_per_host(0);
            let builder = names.iter().fold(builder, |builder, name| builder.resolve(name, *address));
            builder.timeout(TIMEOUT).build().expect("a client")
        };
        let clients = addresses.iter().map(client).collect();
        Arc::new(Visitors {
            addresses,
            clients,
            avoided: Mutex::default(),
            names: names.to_vec(),
            visits: Mutex::default(),
            next: AtomicUsize::new(0),
        })
    }

    /// Asks for one name after the other, at one node after the other, until `until` is over.
    async fn visit(self: Arc<Self>, until: impl Future<Output = ()>) {
        let mut requests = JoinSet::new();
        let mut ticks = tokio::time::interval(INTERVAL);
        tokio::pin!(until);
        loop {
            tokio::select! {
                () = &mut until => break,
                _ = ticks.tick() => {
                    let visitors = self.clone();
                    requests.spawn(async move { visitors.one("").await });
                    while requests.try_join_next().is_some() {}
                }
            }
        }
        while requests.join_next().await.is_some() {}
    }

    /// One request. A node that does not accept the connection is passed over, as a load balancer does.
    async fn one(&self, path: &str) {
        let turn = self.next.fetch_add(1, Ordering::Relaxed);
        let name = &self.names[turn % self.names.len()];
        let start = Instant::now();
        let mut visit = Visit { node: 0, start, end: start, error: None };
        for attempt in 0..self.clients.len() {
            let node = (turn / self.names.len() + attempt) % self.clients.len();
            if self.avoided.lock().expect("unpoisoned").contains(&node) {
                continue;
            }
            let url = format!("https://{name}:{}/{path}", self.addresses[node].port());
            visit.node = node;
            visit.error = match self.clients[node].get(url).send().await {
                Err(error) if error.is_connect() => {
                    visit.error = Some(format!("{error:?}"));
                    continue;
                }
                Err(error) => Some(format!("{error:?}")),
                Ok(response) => {
                    let status = response.status();
                    match response.bytes().await {
                        Ok(body) if status == 200 && (path.is_empty() || body.len() == DOWNLOAD) => None,
                        Ok(body) => Some(format!("{name}: {status}, {} bytes", body.len())),
                        Err(error) => Some(format!("{error:?}")),
                    }
                }
            };
            break;
        }
        visit.end = Instant::now();
        self.visits.lock().expect("unpoisoned").push(visit);
    }

    fn set_avoided(&self, nodes: &[usize]) {
        *self.avoided.lock().expect("unpoisoned") = nodes.to_vec();
    }
}

/// What a fault did to visitors.
#[derive(Default)]
struct Outcome {
    times: usize,
    requests: usize,
    at_node: usize,
    elsewhere: usize,
    longest: Duration,
    errors: BTreeMap<String, usize>,
}

impl Outcome {
    /// Counts visits during a fault of `node`. Those that were open there when it began may fail.
    fn count(&mut self, visits: Vec<Visit>, node: Option<usize>, began: Instant) {
        self.times += 1;
        for visit in visits {
            self.requests += 1;
            let is_there = node == Some(visit.node) && visit.start <= began;
            if !is_there {
                self.longest = self.longest.max(visit.end - visit.start);
            }
            let Some(error) = visit.error else { continue };
            if is_there {
                self.at_node += 1;
            } else {
                self.elsewhere += 1;
                *self.errors.entry(error.chars().take(300).collect()).or_default() += 1;
            }
        }
    }

    fn print(&self, fault: &str, notes: &str) {
        println!(
            "| {fault} | {} | {} | {} | {} | {} ms | {notes} |",
            self.times,
            self.requests,
            self.at_node,
            self.elsewhere,
            self.longest.as_millis()
        );
        for (error, count) in &self.errors {
            eprintln!("{count} x {error}");
        }
    }
}

impl Faults {
    async fn start() -> Faults {
        let cluster = Cluster::on(Etcd::three().await, 3, &["--drain-delay", "1s"]).await;
        cluster.until_linked().await;
        let operator = cluster.operator(0);
        let backend = operator.post("/backends/http_response", json!({ "body": "fixed" })).await.ok().text("id");
        let edge = json!({ "hostports": ["fixed.localhost:443"] });
        let edge = operator.post("/edges/https", edge).await.ok().text("id");
        let route = json!({ "match": "/", "match_type": "path_prefix", "backend": { "backend_id": backend } });
        operator.post(&format!("/edges/https/{edge}/routes"), route).await.ok();
        let origin = Origin::start("hello").await;
        let mut agents = Vec::new();
        let mut names = vec!["fixed.localhost".to_owned()];
        for number in 0..3 {
            let (_, token) = cluster.operator(0).credential(&[]).await;
            let servers: Vec<String> = (0..3).map(|step| cluster.nodes[(number + step) % 3].agent_address()).collect();
            let setup = cluster.agent_setup(number, &format!("agent{number}"), &token);
            let agent = setup.setting("server_addr", &servers.join(",")).start().await;
            let tunnel = agent.https("site", &origin).await;
            names.push(tunnel.host());
            agents.push((agent, tunnel));
        }
        let faults = Faults { cluster, agents, _origin: origin, names, backend };
        faults.until_whole().await;
        faults
    }

    /// Waits until all nodes are linked and all agents have two sessions.
    async fn until_whole(&self) {
        self.cluster.until_linked().await;
        for node in 0..3 {
            let start = Instant::now();
            loop {
                let listed = self.cluster.operator(node).get("/tunnel_sessions").await.ok().body;
                if listed["tunnel_sessions"].as_array().is_some_and(|sessions| sessions.len() == 2 * self.agents.len())
                {
                    break;
                }
                assert!(start.elapsed() < Duration::from_secs(60), "sessions are missing: {listed}");
                sleep(Duration::from_millis(100)).await;
            }
        }
    }

    /// Visits while `fault` is made and for a while after it. Gives the visits and the time of the fault.
    async fn during<T>(&mut self, fault: impl AsyncFnOnce(&mut Self, &Visitors) -> T) -> (Vec<Visit>, Instant, T) {
        let visitors = Visitors::new(&self.cluster, &self.names);
        let (end, ended) = tokio::sync::oneshot::channel::<()>();
        let visiting = tokio::spawn(visitors.clone().visit(async {
            let _ = ended.await;
        }));
        sleep(Duration::from_millis(500)).await;
        let began = Instant::now();
        let result = fault(self, &visitors).await;
        sleep(Duration::from_secs(1)).await;
        drop(end);
        visiting.await.expect("the visitors end");
        let visits = std::mem::take(&mut *visitors.visits.lock().expect("unpoisoned"));
        (visits, began, result)
    }

    async fn kill_nodes(&mut self) {
        let mut outcome = Outcome::default();
        for round in 0..ROUNDS {
            let node = round % 3;
            let (visits, began, again) = self
                .during(async |faults, _| {
                    let again = faults.cluster.kill(node);
                    sleep(Duration::from_secs(2)).await;
                    again
                })
                .await;
            outcome.count(visits, Some(node), began);
            self.cluster.nodes[node] = again.start().await;
            self.until_whole().await;
        }
        outcome.print("SIGKILL of a node", "");
    }

    async fn halt_nodes(&mut self) {
        let mut outcome = Outcome::default();
        let mut within = Duration::ZERO;
        for round in 0..ROUNDS {
            let node = round % 3;
            let (visits, began, ()) = self
                .during(async |faults, visitors| {
                    // The load balancer's health checks find it at once; what matters is who was sent over it.
                    visitors.set_avoided(&[node]);
                    sleep(Duration::from_millis(100)).await;
                    faults.cluster.nodes[node].process.signal(Signal::STOP);
                    sleep(Duration::from_secs(5)).await;
                })
                .await;
            let late = visits.iter().filter(|visit| visit.error.is_some() && visit.node != node);
            within =
                late.map(|visit| visit.start.saturating_duration_since(began)).max().unwrap_or_default().max(within);
            outcome.count(visits, Some(node), began);
            self.cluster.nodes[node].process.signal(Signal::CONT);
            self.until_whole().await;
        }
        outcome.print(
            "SIGSTOP of a node for 5 s",
            &format!("the last that failed began {} ms after it", within.as_millis()),
        );
    }

    async fn drain_nodes(&mut self) {
        let mut outcome = Outcome::default();
        for node in 0..3 {
            let (visits, began, again) = self
                .during(async |faults, visitors| {
                    let again = faults.cluster.nodes[node].restart_setup();
                    let operator = faults.cluster.operator(node);
                    faults.cluster.nodes[node].process.terminate();
                    // What a load balancer does.
                    eventually("the health check fails", async || {
                        (operator.try_call(http::Method::GET, "/healthz", json!(null)).await?.status == 503)
                            .then_some(())
                    })
                    .await;
                    visitors.set_avoided(&[node]);
                    let ended = faults.cluster.nodes[node].process.wait_for_exit().await;
                    assert!(exited_successfully(ended), "it ends in order");
                    again
                })
                .await;
            // None may fail, not even at the node.
            outcome.count(visits, None, began);
            self.cluster.nodes[node] = again.start().await;
            self.until_whole().await;
        }
        outcome.print("SIGTERM of each node in turn", "");
    }

    /// Makes a change each 100 ms until `until` is over. Gives the number of changes and the longest, and counts those refused.
    async fn change(&self, until: Duration) -> (usize, usize, Duration) {
        let (start, mut made, mut refused, mut longest) = (Instant::now(), 0, 0, Duration::ZERO);
        while start.elapsed() < until {
            let operator = self.cluster.operator(made % 3);
            let began = Instant::now();
            let path = format!("/backends/http_response/{}", self.backend);
            let response = operator.patch(&path, json!({ "description": format!("change {made}") })).await;
            longest = longest.max(began.elapsed());
            made += 1;
            match response.status {
                200 => {}
                503 => refused += 1,
                status => panic!("a change gets {status}: {}", response.text),
            }
            sleep(Duration::from_millis(100)).await;
        }
        (made, refused, longest)
    }

    async fn kill_members(&mut self) {
        let (mut outcome, mut made, mut refused, mut longest) = (Outcome::default(), 0, 0, Duration::ZERO);
        for round in 0..ROUNDS {
            let member = round % 3;
            let (visits, began, changes) = self
                .during(async |faults, _| {
                    faults.cluster.etcd.kill(member);
                    let changes = faults.change(Duration::from_secs(3)).await;
                    faults.cluster.etcd.restart(member);
                    changes
                })
                .await;
            outcome.count(visits, None, began);
            (made, refused, longest) = (made + changes.0, refused + changes.1, longest.max(changes.2));
            sleep(Duration::from_secs(2)).await;
            self.until_whole().await;
        }
        outcome.print(
            "SIGKILL of a member of etcd",
            &format!("{made} changes, {refused} refused, the longest {} ms", longest.as_millis()),
        );
    }

    async fn halt_members(&mut self) {
        for (what, leads) in [("the leader", true), ("a follower", false)] {
            let mut outcome = Outcome::default();
            let (visits, began, (made, refused, longest)) = self
                .during(async |faults, _| {
                    let etcd = &faults.cluster.etcd;
                    let member = if leads { etcd.leader().await } else { etcd.follower().await };
                    etcd.stop(member);
                    let changes = faults.change(Duration::from_secs(5)).await;
                    faults.cluster.etcd.go_on(member);
                    changes
                })
                .await;
            outcome.count(visits, None, began);
            let notes = format!("{made} changes, {refused} refused, the longest {} ms", longest.as_millis());
            outcome.print(&format!("SIGSTOP of {what} of etcd for 5 s"), &notes);
            self.until_whole().await;
        }
    }

    /// Makes changes at one node after the other, and reads each at all nodes once it is answered.
    async fn changes(&self) {
        let visitors = Visitors::new(&self.cluster, &self.names);
        let (mut at_once, mut longest, mut slowest) = (0, Duration::ZERO, Duration::ZERO);
        for change in 0..CHANGES {
            let text = format!("change {change}");
            let node = rand::random_range(0..3);
            let began = Instant::now();
            let path = format!("/backends/http_response/{}", self.backend);
            self.cluster.operator(node).patch(&path, json!({ "body": text })).await.ok();
            slowest = slowest.max(began.elapsed());
            let answered = Instant::now();
            let mut is_behind = false;
            for (node, client) in visitors.clients.iter().enumerate() {
                let url = format!("https://fixed.localhost:{}/", visitors.addresses[node].port());
                loop {
                    let body = client.get(&url).send().await.expect("a response").text().await.expect("a body");
                    if body == text {
                        break;
                    }
                    is_behind = true;
                    longest = longest.max(answered.elapsed());
                    assert!(answered.elapsed() < TIMEOUT, "node {node} still answers {body}");
                }
            }
            at_once += usize::from(!is_behind);
        }
        println!(
            "{CHANGES} changes at random nodes: {at_once} in force at all three when answered, the others {} ms later at most; the slowest answer took {} ms",
            longest.as_millis(),
            slowest.as_millis()
        );
    }

    /// Makes writes at all nodes while members of etcd are killed, and looks for each that was acknowledged.
    async fn writes(&mut self) {
        let acknowledged: Arc<Mutex<Vec<String>>> = Arc::default();
        let refused = Arc::new(AtomicUsize::new(0));
        let left = Arc::new(AtomicUsize::new(WRITES));
        let mut writers = JoinSet::new();
        for writer in 0..WRITERS {
            let operator = self.cluster.operator(writer % 3);
            let (acknowledged, refused, left) = (acknowledged.clone(), refused.clone(), left.clone());
            writers.spawn(async move {
                while left.load(Ordering::Relaxed) > 0 {
                    let response = operator.post("/users", json!({ "name": "Ada" })).await;
                    if response.status == 201 {
                        acknowledged.lock().expect("unpoisoned").push(response.text("id"));
                        let _ = left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(1));
                    } else {
                        assert_eq!(response.status, 503, "{}", response.text);
                        refused.fetch_add(1, Ordering::Relaxed);
                    }
                }
            });
        }
        let mut kills = 0;
        while kills < KILLS || left.load(Ordering::Relaxed) > 0 {
            // Spread over the writes.
            let due = WRITES - (kills + 1) * WRITES / (KILLS + 1);
            if kills < KILLS && left.load(Ordering::Relaxed) <= due {
                let member = rand::random_range(0..3);
                self.cluster.etcd.kill(member);
                sleep(Duration::from_millis(300)).await;
                self.cluster.etcd.restart(member);
                kills += 1;
            }
            sleep(Duration::from_millis(20)).await;
        }
        while let Some(ended) = writers.join_next().await {
            ended.expect("a writer ends");
        }
        let acknowledged = acknowledged.lock().expect("unpoisoned").clone();
        let mut lost = 0;
        for node in 0..3 {
            let operator = self.cluster.operator(node);
            for id in &acknowledged {
                let path = format!("/users/{id}");
                let found = async || operator.get(&path).await.status == 200;
                if !found().await {
                    sleep(Duration::from_secs(1)).await;
                    lost += usize::from(!found().await);
                }
            }
        }
        println!(
            "{} writes acknowledged at three nodes over {kills} SIGKILLs of members of etcd, {} answered 503: {lost} lost at any node",
            acknowledged.len(),
            refused.load(Ordering::Relaxed)
        );
    }

    async fn lose_quorum(&mut self) {
        let mut outcome = Outcome::default();
        let (visits, began, (made, refused, longest)) = self
            .during(async |faults, _| {
                faults.cluster.etcd.stop(0);
                faults.cluster.etcd.stop(1);
                let changes = faults.change(Duration::from_secs(30)).await;
                faults.cluster.etcd.go_on(0);
                faults.cluster.etcd.go_on(1);
                changes
            })
            .await;
        outcome.count(visits, None, began);
        let back = Instant::now();
        let path = format!("/backends/http_response/{}", self.backend);
        eventually("changes are made again", async || {
            let response = self.cluster.operator(0).patch(&path, json!({ "description": "again" })).await;
            (response.status == 200).then_some(())
        })
        .await;
        let back = back.elapsed();
        for (agent, tunnel) in &self.agents {
            let now = agent.wait_for_tunnel("site").await;
            assert_eq!(now.host(), tunnel.host(), "names are those from before");
        }
        self.until_whole().await;
        let notes = format!(
            "{made} changes, {refused} refused, the longest {} ms; the first made {} ms after the return",
            longest.as_millis(),
            back.as_millis()
        );
        outcome.print("no quorum for 30 s", &notes);
    }
}
