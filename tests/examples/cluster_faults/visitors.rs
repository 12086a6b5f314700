//! Visitors who ask for one name after the other at one node after the other, and what they noticed of a fault.

use postern_tests::cluster::Cluster;
use reqwest::{Certificate, Client};
use std::{
    collections::BTreeMap,
    net::SocketAddr,
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};
use tokio::{task::JoinSet, time::Instant};

/// Between two requests of visitors.
const INTERVAL: Duration = Duration::from_millis(5);
/// A request that takes longer has failed.
pub(crate) const TIMEOUT: Duration = Duration::from_secs(10);

/// One request.
#[derive(Clone, Debug)]
pub(crate) struct Visit {
    pub(crate) node: usize,
    pub(crate) start: Instant,
    end: Instant,
    pub(crate) error: Option<String>,
}

/// Visitors under way.
pub(crate) struct Visitors {
    pub(crate) addresses: Vec<SocketAddr>,
    pub(crate) clients: Vec<Client>,
    /// Nodes that the load balancer does not choose.
    avoided: Mutex<Vec<usize>>,
    names: Vec<String>,
    pub(crate) visits: Mutex<Vec<Visit>>,
    next: AtomicUsize,
}

impl Visitors {
    pub(crate) fn new(cluster: &Cluster, names: &[String]) -> Arc<Visitors> {
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
    pub(crate) async fn visit(self: Arc<Self>, until: impl Future<Output = ()>) {
        let mut requests = JoinSet::new();
        let mut ticks = tokio::time::interval(INTERVAL);
        tokio::pin!(until);
        loop {
            tokio::select! {
                () = &mut until => break,
                _ = ticks.tick() => {
                    let visitors = self.clone();
                    requests.spawn(async move { visitors.one().await });
                    while requests.try_join_next().is_some() {}
                }
            }
        }
        while requests.join_next().await.is_some() {}
    }

    /// One request. A node that does not accept the connection is passed over, as a load balancer does.
    async fn one(&self) {
        let turn = self.next.fetch_add(1, Ordering::Relaxed);
        let name = &self.names[turn % self.names.len()];
        let start = Instant::now();
        let mut visit = Visit { node: 0, start, end: start, error: None };
        for attempt in 0..self.clients.len() {
            let node = (turn / self.names.len() + attempt) % self.clients.len();
            if self.avoided.lock().expect("unpoisoned").contains(&node) {
                continue;
            }
            let url = format!("https://{name}:{}/", self.addresses[node].port());
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
                        Ok(_) if status == 200 => None,
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

    pub(crate) fn set_avoided(&self, nodes: &[usize]) {
        *self.avoided.lock().expect("unpoisoned") = nodes.to_vec();
    }
}

/// What a fault did to visitors.
#[derive(Default)]
pub(crate) struct Outcome {
    times: usize,
    requests: usize,
    at_node: usize,
    elsewhere: usize,
    longest: Duration,
    errors: BTreeMap<String, usize>,
}

impl Outcome {
    /// Counts visits during a fault of `node`. Those that were open there when it began may fail.
    pub(crate) fn count(&mut self, visits: Vec<Visit>, node: Option<usize>, began: Instant) {
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

    pub(crate) fn print(&self, fault: &str, notes: &str) {
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
