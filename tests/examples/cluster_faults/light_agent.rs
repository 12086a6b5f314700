//! An agent that has two sessions and a tunnel, and no connection but the control connection of each.

use postern_api::Secret;
use postern_test_kit::tls;
use postern_tests::cluster::Cluster;
use postern_tunnel::{
    ALPN, AgentSession, BoxedTransport, ConnectError, Incoming, connect,
    message::{AppProtocol, Bind, BindKind, Hello, Scheme},
};
use rustls_pki_types::{CertificateDer, ServerName, pem::PemObject};
use std::{
    future, io,
    net::SocketAddr,
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};
use tokio::{net::TcpStream, time::sleep};
use tokio_rustls::TlsConnector;

/// Longest delay before a lost session is replaced while the other one is up, as the program `postern` has it.
const MAX_REPLACEMENT_DELAY: Duration = Duration::from_secs(20);
/// Before another attempt.
const RETRY_DELAY: Duration = Duration::from_secs(1);

/// What all sessions of an agent share.
pub(crate) struct LightAgent {
    instance: String,
    token: String,
    nodes: Vec<SocketAddr>,
    tls: TlsConnector,
    /// Node and id of the node of each session.
    up: Mutex<[Option<(usize, String)>; 2]>,
    /// The name that was granted first.
    host: Mutex<Option<String>>,
}

impl LightAgent {
    pub(crate) fn new(cluster: &Cluster, token: &str, number: usize) -> Arc<LightAgent> {
        let authority = CertificateDer::from_pem_file(cluster.nodes[0].authority()).expect("the authority");
        Arc::new(LightAgent {
            instance: format!("light-{number}"),
            token: token.to_owned(),
            nodes: cluster.nodes.iter().map(|node| node.addresses.https).collect(),
            tls: tls::connector([&authority], &[ALPN]),
            up: Mutex::default(),
            host: Mutex::default(),
        })
    }

    /// Establishes a session with each of two nodes, and keeps both up from then on.
    pub(crate) async fn start(self: Arc<Self>, nodes: [usize; 2]) {
        for (slot, node) in nodes.into_iter().enumerate() {
            let (session, incoming) = self.establish(slot, node).await.expect("a session");
            tokio::spawn(self.clone().keep(slot, session, incoming));
        }
    }

    /// Replaces a session whenever it is lost, at a node where the other one is not.
    async fn keep(self: Arc<Self>, slot: usize, mut session: AgentSession, mut incoming: Incoming) {
        loop {
            while incoming.next().await.is_some() {}
            drop(session);
            let lost = self.up.lock().expect("unpoisoned")[slot].take().map(|(node, _)| node);
            let mut delay = MAX_REPLACEMENT_DELAY.mul_f64(rand::random());
            (session, incoming) = loop {
                sleep(delay).await;
                delay = RETRY_DELAY;
                let other = self.up.lock().expect("unpoisoned")[1 - slot].as_ref().map(|(node, _)| *node);
                let free = (0..self.nodes.len()).filter(|node| Some(*node) != other);
                // The lost one last.
                let next = free.min_by_key(|node| Some(*node) == lost).expect("a node");
                if let Ok(established) = self.establish(slot, next).await {
                    break established;
                }
            };
        }
    }

    async fn establish(&self, slot: usize, node: usize) -> Result<(AgentSession, Incoming), ConnectError> {
        let other = self.up.lock().expect("unpoisoned")[1 - slot].clone();
        let hello = Hello {
            agent_version: "light".into(),
            instance: self.instance.clone(),
            token: Secret::new(self.token.clone()),
            run: self.instance.clone(),
            at: other.into_iter().map(|(_, id)| id).collect(),
            ..Hello::default()
        };
        let (tls, address, is_first) = (self.tls.clone(), self.nodes[node], Arc::new(AtomicBool::new(true)));
        let dial = move || {
            let (tls, is_first) = (tls.clone(), is_first.clone());
            async move {
                if !is_first.swap(false, Ordering::Relaxed) {
                    // No data connections.
                    future::pending::<()>().await;
                }
                let stream = TcpStream::connect(address).await?;
                let name = ServerName::try_from("localhost").map_err(io::Error::other)?;
                Ok(Box::new(tls.connect(name, stream).await?) as BoxedTransport)
            }
        };
        let (session, incoming) = connect(Arc::new(dial), hello).await?;
        let host = self.host.lock().expect("unpoisoned").clone();
        let bind = Bind {
            request: 0,
            name: "site".into(),
            what: BindKind::Http { host, scheme: Scheme::Https, previous: None },
            forwards_to: String::new(),
            metadata: String::new(),
            inspect: false,
            app_protocol: AppProtocol::Http1,
            per_visitor: false,
            modules: None,
        };
        let bound = session.bind(bind).await.map_err(ConnectError::Refused)?;
        *self.host.lock().expect("unpoisoned") = bound.host;
        let id = session.welcome().node.clone();
        self.up.lock().expect("unpoisoned")[slot] = Some((node, id));
        Ok((session, incoming))
    }
}
