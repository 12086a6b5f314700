//! Both ends of a session in one process: over memory, or over TLS on the loopback.
#![allow(dead_code, clippy::unwrap_used, reason = "every specification uses another part of the world")]

use futures::future::BoxFuture;
use postern_api::Secret;
use postern_test_kit::tls::{client_config, self_signed, server_config};
pub(crate) use postern_test_kit::{in_time, until};
use postern_tunnel::{
    ALPN, Accepted, AgentSession, BoxedTransport, Dial, Incoming, IncomingEvent, IncomingStream, ServerEvents,
    ServerSession, StreamKind, StreamStart, TunnelStream, accept, connect,
    message::{Hello, Welcome},
    relay, sockets, tls,
};
use rustls::{ClientConfig, ServerConfig, pki_types::ServerName};
use std::{
    io,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt, BufStream},
    net::{TcpListener, TcpStream},
    sync::{Mutex, mpsc, oneshot},
};

pub(crate) const SECRET: &str = "the secret of this session";

pub(crate) struct World {
    pub(crate) server: ServerSession,
    pub(crate) events: ServerEvents,
    pub(crate) agent: AgentSession,
    pub(crate) incoming: Option<Incoming>,
    pub(crate) test_server: Arc<TestServer>,
    /// Streams that take connections of their own, so that further ones share some.
    pub(crate) held: Vec<TunnelStream>,
}

/// Server side of new connections.
pub(crate) struct TestServer {
    session: Mutex<Option<ServerSession>>,
    welcomed: mpsc::UnboundedSender<(ServerSession, ServerEvents)>,
    pub(crate) data_connections: AtomicUsize,
    pub(crate) rejected: AtomicUsize,
    /// Limit of data connections; further ones are closed.
    pub(crate) max_connections: AtomicUsize,
}

impl TestServer {
    async fn serve(self: Arc<Self>, stream: impl postern_tunnel::Transport) {
        match accept(stream).await {
            Ok(Accepted::Control(handshake)) => {
                let (session, events) = handshake.welcome(welcome()).await.unwrap();
                *self.session.lock().await = Some(session.clone());
                let _ = self.welcomed.send((session, events));
            }
            Ok(Accepted::Data(connection)) => {
                let session = self.session.lock().await.clone();
                let has_place =
                    self.data_connections.load(Ordering::SeqCst) < self.max_connections.load(Ordering::SeqCst);
                let Some(session) = session.filter(|_| has_place) else { return };
                match session.adopt(connection).await {
                    Ok(()) => self.data_connections.fetch_add(1, Ordering::SeqCst),
                    Err(_) => self.rejected.fetch_add(1, Ordering::SeqCst),
                };
            }
            Err(_) => {
                self.rejected.fetch_add(1, Ordering::SeqCst);
            }
        }
    }

    /// Drops the session, so that only the specification holds it.
    pub(crate) async fn forget(&self) {
        *self.session.lock().await = None;
    }
}

impl World {
    pub(crate) async fn in_memory() -> World {
        World::in_memory_with(usize::MAX).await
    }

    /// A world with a limit on the data connections in the pool.
    pub(crate) async fn in_memory_with(max_connections: usize) -> World {
        let (test_server, welcomed) = test_server(max_connections);
        let dial: Arc<dyn Dial> = Arc::new(MemoryDial(test_server.clone()));
        World::begin(test_server, welcomed, dial).await
    }

    /// A world whose control connection can be cut.
    pub(crate) async fn in_memory_with_cut() -> (World, oneshot::Sender<()>) {
        let (test_server, welcomed) = test_server(usize::MAX);
        let (cut, severed) = oneshot::channel();
        let severed = std::sync::Mutex::new(Some(severed));
        let direct = Arc::new(MemoryDial(test_server.clone()));
        let dial = move || {
            let (direct, severed) = (direct.clone(), severed.lock().unwrap().take());
            async move {
                let transport = direct.dial().await?;
                let Some(severed) = severed else { return Ok(transport) };
                let (here, there) = tokio::io::duplex(64 * 1024);
                tokio::spawn(async move {
                    tokio::select! {
                        _ = relay(there, transport) => {}
                        _ = severed => {}
                    }
                });
                io::Result::Ok(Box::new(here) as BoxedTransport)
            }
        };
        (World::begin(test_server, welcomed, Arc::new(dial)).await, cut)
    }

    pub(crate) async fn over_tls() -> World {
        World::over_tls_with(hello()).await
    }

    async fn over_tls_with(hello: Hello) -> World {
        let (test_server, welcomed) = test_server(usize::MAX);
        let (server, client) = tls_configs();
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let acceptor_server = test_server.clone();
        tokio::spawn(async move {
            loop {
                let (socket, _) = listener.accept().await.unwrap();
                sockets::tune(&socket);
                let (server, test_server) = (server.clone(), acceptor_server.clone());
                tokio::spawn(async move {
                    if let Ok((stream, _)) = tls::accept(socket, server, Vec::new()).await {
                        test_server.serve(stream).await;
                    }
                });
            }
        });
        let dial = move || {
            let client = client.clone();
            async move {
                let socket = TcpStream::connect(address).await?;
                sockets::tune(&socket);
                let name = ServerName::try_from("localhost").unwrap();
                let (stream, _) = tls::connect(socket, client, name).await?;
                io::Result::Ok(Box::new(stream) as BoxedTransport)
            }
        };
        World::begin_with(test_server, welcomed, Arc::new(dial), hello).await
    }

    /// A world over TLS with so many open streams that others share connections.
    pub(crate) async fn sharing() -> World {
        World::sharing_with(hello()).await
    }

    pub(crate) async fn sharing_with(hello: Hello) -> World {
        let mut world = World::over_tls_with(hello).await;
        world.idle(16).await;
        world.hold().await;
        assert_eq!(world.server.pool().shared, 2);
        until("the pool is filled", || world.server.pool().idle >= 16).await;
        world
    }

    /// Opens streams, of which the agent learns nothing yet, until further ones share connections.
    pub(crate) async fn hold(&mut self) {
        while self.held.len() < 16 {
            until("connections are idle", || self.server.pool().idle >= 3).await;
            let stream = self.open().await;
            assert!(!stream.is_shared(), "the first streams have connections of their own");
            self.held.push(stream);
        }
    }

    /// Waits until no data connection carries a stream, but for those that are held.
    pub(crate) async fn no_connection_is_busy(&self) {
        until("no connection is busy", || self.server.pool().busy == self.held.len()).await;
    }

    async fn begin(
        test_server: Arc<TestServer>,
        welcomed: mpsc::UnboundedReceiver<(ServerSession, ServerEvents)>,
        dial: Arc<dyn Dial>,
    ) -> World {
        World::begin_with(test_server, welcomed, dial, hello()).await
    }

    async fn begin_with(
        test_server: Arc<TestServer>,
        mut welcomed: mpsc::UnboundedReceiver<(ServerSession, ServerEvents)>,
        dial: Arc<dyn Dial>,
        hello: Hello,
    ) -> World {
        let (agent, incoming) = connect(dial, hello).await.unwrap();
        let (server, events) = welcomed.recv().await.unwrap();
        World { server, events, agent, incoming: Some(incoming), test_server, held: Vec::new() }
    }

    /// The agent echoes every stream.
    pub(crate) fn agent_echoes(&mut self) {
        self.agent_serves(|stream| {
            Box::pin(async move {
                let mut stream = stream.accept_lazily();
                let (mut reader, mut writer) = tokio::io::split(&mut stream);
                let _ = tokio::io::copy(&mut reader, &mut writer).await;
                let _ = stream.shutdown().await;
            })
        });
    }

    pub(crate) fn agent_serves(&mut self, serve: impl Fn(IncomingStream) -> BoxFuture<'static, ()> + Send + 'static) {
        let mut incoming = self.incoming.take().expect("the agent serves once");
        tokio::spawn(async move {
            while let Some(event) = incoming.next().await {
                if let IncomingEvent::Stream(stream) = event {
                    tokio::spawn(serve(stream));
                }
            }
        });
    }

    /// The agent relays every stream to one end of a pipe and returns the other ends.
    pub(crate) fn agent_relays(&mut self) -> mpsc::UnboundedReceiver<tokio::io::DuplexStream> {
        let (services, served) = mpsc::unbounded_channel();
        self.agent_serves(move |stream| {
            let (service, end) = tokio::io::duplex(64 * 1024);
            let _ = services.send(service);
            Box::pin(async move {
                relay(stream.accept().await.unwrap(), end).await;
            })
        });
        served
    }

    pub(crate) async fn next_stream(&mut self) -> IncomingStream {
        loop {
            match in_time(self.incoming.as_mut().unwrap().next()).await {
                Some(IncomingEvent::Stream(stream)) => return stream,
                Some(_) => {}
                None => panic!("the session ended"),
            }
        }
    }

    pub(crate) async fn open(&self) -> TunnelStream {
        self.server.open_stream(start()).await.unwrap()
    }

    /// Opens a stream that shares no connection.
    pub(crate) async fn open_alone(&self) -> TunnelStream {
        let stream = self.server.open_stream(StreamStart { kind: StreamKind::Tcp, ..start() }).await.unwrap();
        assert!(!stream.is_shared());
        stream
    }

    /// Waits until `count` connections are idle.
    pub(crate) async fn idle(&self, count: usize) {
        until("the connections are idle", || self.server.pool().idle == count).await;
    }
}

fn test_server(max_connections: usize) -> (Arc<TestServer>, mpsc::UnboundedReceiver<(ServerSession, ServerEvents)>) {
    let (sender, welcomed) = mpsc::unbounded_channel();
    let test_server = TestServer {
        session: Mutex::new(None),
        welcomed: sender,
        data_connections: AtomicUsize::new(0),
        rejected: AtomicUsize::new(0),
        max_connections: AtomicUsize::new(max_connections),
    };
    (Arc::new(test_server), welcomed)
}

struct MemoryDial(Arc<TestServer>);

impl Dial for MemoryDial {
    fn dial(&self) -> BoxFuture<'_, io::Result<BoxedTransport>> {
        let (here, there) = tokio::io::duplex(64 * 1024);
        // Unflushed bytes are held back, as they may be below TLS.
        tokio::spawn(self.0.clone().serve(BufStream::new(there)));
        Box::pin(async { Ok(Box::new(BufStream::new(here)) as BoxedTransport) })
    }
}

pub(crate) fn hello() -> Hello {
    Hello {
        agent_version: "0.1.0".into(),
        os: "test".into(),
        instance: "one".into(),
        token: Secret::new("token"),
        remote_management: true,
        ..Hello::default()
    }
}

pub(crate) fn welcome() -> Welcome {
    Welcome {
        protocol: 0,
        session: "ts_1".into(),
        data_secret: Secret::new(SECRET),
        server_version: "0.1.0".into(),
        region: "local".into(),
        answer_timeout: 0,
        node: String::new(),
        nodes: Vec::new(),
        heartbeat: postern_tunnel::message::DEFAULT_HEARTBEAT_MS,
    }
}

pub(crate) fn start() -> StreamStart {
    StreamStart {
        tunnel: 7,
        visitor: "203.0.113.9:5000".parse().unwrap(),
        destination: None,
        kind: StreamKind::Http,
        tls: true,
    }
}

pub(crate) fn tls_configs() -> (Arc<ServerConfig>, Arc<ClientConfig>) {
    let own = self_signed("localhost");
    let (mut server, mut client) = (server_config(&own, &[ALPN]), client_config(&[own.cert.der().clone()], &[ALPN]));
    server.send_tls13_tickets = 1;
    server.enable_secret_extraction = true;
    client.enable_secret_extraction = true;
    (Arc::new(server), Arc::new(client))
}

/// Writes and flushes.
pub(crate) async fn write(stream: &mut (impl tokio::io::AsyncWrite + Unpin), bytes: &[u8]) {
    in_time(stream.write_all(bytes)).await.unwrap();
    in_time(stream.flush()).await.unwrap();
}

/// Reads `count` bytes.
pub(crate) async fn read(stream: &mut (impl tokio::io::AsyncRead + Unpin), count: usize) -> Vec<u8> {
    let mut bytes = vec![0; count];
    in_time(stream.read_exact(&mut bytes)).await.unwrap();
    bytes
}

/// Reads to the end.
pub(crate) async fn read_all(stream: &mut (impl tokio::io::AsyncRead + Unpin)) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    in_time(stream.read_to_end(&mut bytes)).await?;
    Ok(bytes)
}
