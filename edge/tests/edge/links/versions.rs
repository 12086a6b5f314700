//! Nodes of an older version: what they do not know is left out, and streams pass both ways.

use crate::kit::{
    ScriptedOrigin, World,
    agent::Agent,
    cluster::{self, Cluster, identity},
    in_time, until, visitor,
};
use postern_api::Secret;
use postern_edge::{NodeIdentity, node_server_name};
use postern_test_kit::tls;
use postern_tunnel::{
    Accepted, BoxedTransport, NODE_ALPN, PoolLimits, ServerEvent, ServerSession, StreamKind, StreamStart, accept,
    connect_node,
    message::{AppProtocol, Bind, BindKind, Hello, Scheme, Welcome},
    node_link::{AnnouncedSession, AnnouncedTunnel, Announcement, LinkCommand},
    proto::version::VersionRange,
};
use rustls::{ClientConfig, ServerConfig, pki_types::ServerName, server::WebPkiClientVerifier, version::TLS13};
use std::{
    io,
    sync::{Arc, Mutex},
    time::Duration,
};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream},
    time::Instant,
};
use tokio_rustls::{TlsAcceptor, TlsConnector};

/// All versions that a node of this build can meet.
fn versions() -> std::ops::RangeInclusive<u16> {
    VersionRange::SUPPORTED.oldest..=VersionRange::SUPPORTED.newest
}

fn client_config(identity: &NodeIdentity) -> Arc<ClientConfig> {
    let mut config = ClientConfig::builder_with_provider(tls::provider())
        .with_protocol_versions(&[&TLS13])
        .unwrap()
        .with_root_certificates(tls::roots([&identity.authority]))
        .with_client_auth_cert(identity.chain.clone(), identity.key.clone_key())
        .unwrap();
    config.alpn_protocols = vec![NODE_ALPN.to_vec()];
    Arc::new(config)
}

fn server_config(identity: &NodeIdentity) -> Arc<ServerConfig> {
    let roots = Arc::new(tls::roots([&identity.authority]));
    let verifier = WebPkiClientVerifier::builder_with_provider(roots, tls::provider()).build().unwrap();
    let mut config = ServerConfig::builder_with_provider(tls::provider())
        .with_protocol_versions(&[&TLS13])
        .unwrap()
        .with_client_cert_verifier(verifier)
        .with_single_cert(identity.chain.clone(), identity.key.clone_key())
        .unwrap();
    config.alpn_protocols = vec![NODE_ALPN.to_vec()];
    Arc::new(config)
}

/// The tunnel of an agent that is connected to a node of that version.
fn announced(number: u32, host: &str) -> [Announcement; 2] {
    let session = AnnouncedSession {
        id: "ts_old".into(),
        credential: "cr_old".into(),
        credential_key: "old".into(),
        owner: "usr_old".into(),
        instance: "old".into(),
        agent_version: "0.0.1".into(),
        os: String::new(),
        metadata: String::new(),
        remote_management: false,
        address: ([127, 0, 0, 1], 1).into(),
        started_at: 1_700_000_000,
        draining: false,
        run: String::new(),
        host: None,
    };
    let bind = Bind {
        request: 0,
        name: "old".into(),
        what: BindKind::Http { host: Some(host.into()), scheme: Scheme::Https, previous: None },
        forwards_to: String::new(),
        metadata: String::new(),
        inspect: true,
        app_protocol: AppProtocol::Http1,
        per_visitor: false,
        modules: None,
    };
    let tunnel = AnnouncedTunnel {
        number,
        id: "tn_old".into(),
        session: session.id.clone(),
        url: Some(format!("https://{host}")),
        started_at: 1_700_000_000,
        notes: true,
        request_notes: true,
        bind,
    };
    [Announcement::Session(Box::new(session)), Announcement::Tunnel(Box::new(tunnel))]
}

#[tokio::test]
async fn a_node_of_any_older_version_can_dial_and_its_tunnels_are_served() {
    for newest in versions() {
        let cluster = Cluster::start(1).await;
        let node = &cluster.nodes[0];
        let config = client_config(&identity(&cluster.authority, "node_1"));
        let address = cluster.address(0);
        let dial = move || {
            let (config, address) = (config.clone(), address.clone());
            async move {
                let stream = TcpStream::connect(address).await?;
                let name = ServerName::try_from(node_server_name("node_0")).map_err(io::Error::other)?;
                let stream = TlsConnector::from(config).connect(name, stream).await?;
                Ok(Box::new(stream) as BoxedTransport)
            }
        };
        let hello = Hello {
            protocol: VersionRange { oldest: 1, newest },
            agent_version: "0.0.1".into(),
            instance: "node_1".into(),
            metadata: "old".into(),
            ..Hello::default()
        };
        let (session, incoming) = in_time(connect_node(Arc::new(dial), hello)).await.unwrap();
        assert_eq!(session.welcome().protocol, newest);
        let origin = ScriptedOrigin::with_text("hello").await;
        let peer = Agent::serving(session, incoming);
        peer.forward(7, origin.address);
        for announcement in announced(7, "old.localhost") {
            peer.session.announce(announcement).await;
        }
        peer.session.announce(Announcement::Unknown).await;
        cluster.serve("old.localhost").await;
        let mut visitor = visitor::https(node, "old.localhost").await;
        for _ in 0..3 {
            let response = visitor.request("GET / HTTP/1.1\r\nHost: old.localhost\r\n\r\n").await;
            assert_eq!((response.status, response.text().as_str()), (200, "hello"), "version {newest}");
        }
        peer.vanish().await;
        until("its tunnels go with it", || node.live().tunnels().is_empty()).await;
    }
}

/// A node that speaks versions up to `newest` and notes what the other one announces.
struct OlderNode {
    link: Arc<Mutex<Option<ServerSession>>>,
    announced: Arc<Mutex<Vec<Announcement>>>,
}

impl OlderNode {
    fn listen(listener: Arc<TcpListener>, identity: &NodeIdentity, newest: u16) -> OlderNode {
        let node = OlderNode { link: Arc::default(), announced: Arc::default() };
        let (link, announced) = (node.link.clone(), node.announced.clone());
        let acceptor = TlsAcceptor::from(server_config(identity));
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let (acceptor, link, announced) = (acceptor.clone(), link.clone(), announced.clone());
                tokio::spawn(async move {
                    let mut stream = acceptor.accept(stream).await.unwrap();
                    let first = first_message(&mut stream, newest).await;
                    let (reader, writer) = tokio::io::split(stream);
                    match accept(tokio::io::join(first.chain(reader), writer)).await {
                        Ok(Accepted::Control(greeting)) => {
                            let welcome = Welcome {
                                protocol: 0,
                                session: "link_old".into(),
                                data_secret: Secret::new("of the older node"),
                                server_version: "0.0.1".into(),
                                region: String::new(),
                                heartbeat: 10_000,
                                answer_timeout: 0,
                                node: String::new(),
                                nodes: Vec::new(),
                            };
                            let (session, mut events) = greeting.welcome_with(welcome, PoolLimits::NODE).await.unwrap();
                            *link.lock().unwrap() = Some(session);
                            while let Some(event) = events.next().await {
                                if let ServerEvent::Announcement(announcement) = event {
                                    announced.lock().unwrap().push(announcement);
                                }
                            }
                        }
                        Ok(Accepted::Data(connection)) => {
                            let session = link.lock().unwrap().clone().unwrap();
                            session.adopt(connection).await.unwrap();
                        }
                        Err(error) => panic!("version {newest}: {error}"),
                    }
                });
            }
        });
        node
    }

    /// The last change of which the node was told that everything up to it was announced.
    fn reached(&self) -> Option<u64> {
        self.announced.lock().unwrap().iter().rev().find_map(|announcement| match announcement {
            Announcement::Reached { change } => Some(*change),
            _ => None,
        })
    }

    /// Number of the tunnel with this name.
    fn tunnel(&self, host: &str) -> Option<u32> {
        self.announced.lock().unwrap().iter().find_map(|announcement| match announcement {
            Announcement::Tunnel(tunnel) if tunnel.url.as_deref()?.contains(host) => Some(tunnel.number),
            _ => None,
        })
    }
}

/// The first bytes of a connection. A hello offers no newer version than `newest` any more.
async fn first_message(stream: &mut (impl tokio::io::AsyncRead + Unpin), newest: u16) -> io::Cursor<Vec<u8>> {
    let mut bytes = vec![0; 4096];
    let count = in_time(stream.read(&mut bytes)).await.unwrap();
    bytes.truncate(count);
    let offered = format!("\"newest\":{}", VersionRange::SUPPORTED.newest);
    if let Some(at) = bytes.windows(offered.len()).position(|window| window == offered.as_bytes()) {
        let lower = format!("\"newest\":{newest}");
        assert_eq!(lower.len(), offered.len());
        bytes[at..at + lower.len()].copy_from_slice(lower.as_bytes());
    }
    io::Cursor::new(bytes)
}

#[tokio::test]
async fn a_node_of_any_older_version_is_dialled_and_reaches_the_agents_of_this_one() {
    for newest in versions() {
        let cluster = Cluster::start(1).await;
        let origin = ScriptedOrigin::with_text("hello").await;
        let node: &World = &cluster.nodes[0];
        let agent = Agent::connect_as(node, &cluster.token, "one").await.map_err(|error| error.to_string()).unwrap();
        agent.http(Some("shop"), origin.address).await.unwrap();
        let (listener, peer) = cluster::listener(1).await;
        let older = OlderNode::listen(listener, &identity(&cluster.authority, "node_1"), newest);
        cluster.peers.send_modify(|peers| *peers = peers.iter().cloned().chain([peer.clone()]).collect());
        until("the tunnel is announced", || older.tunnel("shop.localhost").is_some()).await;
        let link = older.link.lock().unwrap().clone().unwrap();
        let start = StreamStart {
            tunnel: older.tunnel("shop.localhost").unwrap(),
            visitor: ([127, 0, 0, 1], 9).into(),
            destination: None,
            kind: StreamKind::Http,
            tls: true,
        };
        let mut stream = in_time(link.open_stream(start)).await.unwrap();
        let request = b"GET / HTTP/1.1\r\nHost: shop.localhost\r\nConnection: close\r\n\r\n";
        stream.write_all(request).await.unwrap();
        stream.flush().await.unwrap();
        let mut response = String::new();
        while !response.ends_with("hello") {
            let mut piece = [0; 512];
            let count = in_time(stream.read(&mut piece)).await.unwrap();
            assert!(count > 0, "version {newest}: {response}");
            response.push_str(std::str::from_utf8(&piece[..count]).unwrap());
        }
        assert!(response.starts_with("HTTP/1.1 200"), "version {newest}: {response}");
    }
}

#[tokio::test]
async fn a_bind_waits_briefly_for_a_node_that_follows_and_not_for_one_that_does_not_know_how() {
    const FOLLOW_TIMEOUT: Duration = Duration::from_millis(200);
    let cluster = Cluster::start(1).await;
    let node: &World = &cluster.nodes[0];
    let agent = Agent::connect_as(node, &cluster.token, "one").await.map_err(|error| error.to_string()).unwrap();
    let (listener, peer) = cluster::listener(1).await;
    let other = OlderNode::listen(listener, &identity(&cluster.authority, "node_1"), VersionRange::SUPPORTED.newest);
    cluster.peers.send_modify(|peers| *peers = peers.iter().cloned().chain([peer.clone()]).collect());
    until("everything is announced", || other.reached().is_some()).await;
    let bind = async |name: &str| {
        let began = Instant::now();
        agent.http(Some(name), ([127, 0, 0, 1], 9).into()).await.unwrap();
        began.elapsed()
    };
    bind("unknown").await;
    let link = other.link.lock().unwrap().clone().unwrap();
    let follow = || link.command(LinkCommand::Followed { change: other.reached().unwrap() });
    follow();
    // It follows no further.
    let mut number = 0;
    in_time(async {
        while bind(&format!("site{number}")).await < FOLLOW_TIMEOUT {
            number += 1;
        }
    })
    .await;
    let following = async {
        loop {
            follow();
            tokio::task::yield_now().await;
        }
    };
    tokio::select! {
        () = following => {}
        () = in_time(async { while bind(&format!("more{number}")).await >= FOLLOW_TIMEOUT { number += 1 } }) => {}
    }
}
