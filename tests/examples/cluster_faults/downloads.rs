//! Downloads that are under way while a node stops: each has to arrive whole.

use postern_tests::{
    bytes::{Sum, sum},
    cluster::Cluster,
    eventually,
};
use reqwest::{Certificate, Client};
use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};
use tokio::{task::JoinSet, time::sleep};

/// Bytes of a download.
const LENGTH: u64 = 4 << 20;
/// Bytes after which a visitor pauses, and for how long: a download takes about two seconds.
const BURST: u64 = 64 << 10;
const PAUSE: Duration = Duration::from_millis(30);

/// One download of each name at each node.
pub(crate) struct Downloads {
    tasks: JoinSet<u64>,
    begun: Arc<AtomicUsize>,
    count: usize,
}

impl Downloads {
    pub(crate) fn start(cluster: &Cluster, names: &[String]) -> Downloads {
        let pem = std::fs::read(cluster.nodes[0].authority()).expect("the authority");
        let certificate = Certificate::from_pem(&pem).expect("a certificate");
        let (mut tasks, begun) = (JoinSet::new(), Arc::<AtomicUsize>::default());
        for (seed, name) in names.iter().enumerate() {
            for node in &cluster.nodes {
                let address = node.addresses.https;
                let client = Client::builder().no_proxy().tls_certs_only([certificate.clone()]).resolve(name, address);
                let client = client.build().expect("a client");
                let url = format!("https://{name}:{}/flow?seed={seed}&length={LENGTH}", address.port());
                tasks.spawn(download(client, url, seed as u64, begun.clone()));
            }
        }
        Downloads { tasks, begun, count: names.len() * cluster.nodes.len() }
    }

    /// Waits until the first bytes of all have arrived.
    pub(crate) async fn until_all_began(&self) {
        eventually("all downloads have begun", async || {
            (self.begun.load(Ordering::Relaxed) == self.count).then_some(())
        })
        .await;
    }

    /// Waits until all have ended. Returns the number of their bytes.
    pub(crate) async fn end(mut self) -> u64 {
        let mut bytes = 0;
        while let Some(ended) = self.tasks.join_next().await {
            bytes += ended.expect("a download arrives as it was sent");
        }
        bytes
    }
}

async fn download(client: Client, url: String, seed: u64, begun: Arc<AtomicUsize>) -> u64 {
    let mut response = client.get(&url).send().await.expect("a response");
    let (mut received, mut length, mut pause_after) = (Sum::default(), 0, 0);
    while let Some(piece) = response.chunk().await.expect("a download that goes on") {
        if length == 0 {
            begun.fetch_add(1, Ordering::Relaxed);
        }
        received.add(&piece);
        length += piece.len() as u64;
        if length >= pause_after {
            pause_after = length + BURST;
            sleep(PAUSE).await;
        }
    }
    assert_eq!(received.finish(), sum(seed, LENGTH), "{url}");
    length
}
