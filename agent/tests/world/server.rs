//! A server that accepts every agent, binds every tunnel, and opens visitors' streams.

use postern_api::{Code, Error, Secret};
use postern_test_kit::{eventually, in_time, tls};
use postern_tunnel::{
    Accepted, ServerEvent, ServerSession, StreamKind, StreamStart, TunnelStream, accept,
    message::{Bind, BindKind, Bound, Hello, Scheme, Welcome},
};
use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex},
};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpListener,
    sync::watch,
    task::JoinHandle,
};
use tokio_rustls::TlsAcceptor;

#[derive(Default)]
struct Recorded {
    sessions: Vec<ServerSession>,
    hellos: Vec<Hello>,
    binds: Vec<Bind>,
    bound: BTreeMap<String, u32>,
    drains: Vec<bool>,
    next: u32,
    refuse: Option<Error>,
    refuse_name: Option<String>,
    /// Binds that wait for their responses, while responses are held back.
    held: Option<Vec<(ServerSession, Bind)>>,
    steps: Vec<Step>,
}

/// What an agent asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    Bind,
    Unbind,
}

pub struct Server {
    pub authority: String,
    acceptor: TlsAcceptor,
    port: u16,
    recorded: Arc<Mutex<Recorded>>,
    changed: Arc<watch::Sender<u64>>,
    listening: Mutex<Option<JoinHandle<()>>>,
}

impl Server {
    pub async fn start() -> Server {
        let key = tls::self_signed("localhost");
        let server = Server {
            authority: key.cert.pem(),
            acceptor: tls::acceptor(&key, &[postern_tunnel::ALPN]),
            port: 0,
            recorded: Arc::default(),
            changed: Arc::new(watch::Sender::new(0)),
            listening: Mutex::new(None),
        };
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("listening");
        let server = Server { port: listener.local_addr().expect("bound").port(), ..server };
        server.listen(listener);
        server
    }

    pub fn port(&self) -> u16 {
        self.port
    }

    fn listen(&self, listener: TcpListener) {
        let (acceptor, recorded, changed) = (self.acceptor.clone(), self.recorded.clone(), self.changed.clone());
        let task = tokio::spawn(async move {
            let mut connections = tokio::task::JoinSet::new();
            while let Ok((stream, _)) = listener.accept().await {
                let (acceptor, recorded, changed) = (acceptor.clone(), recorded.clone(), changed.clone());
                connections.spawn(async move {
                    let Ok(stream) = acceptor.accept(stream).await else { return };
                    match accept(stream).await {
                        Ok(Accepted::Control(handshake)) => serve_session(handshake, recorded, changed).await,
                        Ok(Accepted::Data(connection)) => {
                            let session = recorded
                                .lock()
                                .unwrap()
                                .sessions
                                .iter()
                                .find(|one| one.id() == connection.session())
                                .cloned();
                            if let Some(session) = session {
                                let _ = session.adopt(connection).await;
                            }
                        }
                        Err(_) => {}
                    }
                });
            }
        });
        *self.listening.lock().unwrap() = Some(task);
    }

    /// Crashes: the port is closed and every session is cut.
    pub fn crash(&self) {
        if let Some(task) = self.listening.lock().unwrap().take() {
            task.abort();
        }
        let mut recorded = self.recorded.lock().unwrap();
        recorded.sessions.clear();
        recorded.bound.clear();
    }

    /// Restarts on the same port.
    pub async fn restart(&self) {
        let bind = async || TcpListener::bind(("127.0.0.1", self.port)).await.ok();
        let listener = eventually("the port is free again", bind).await;
        self.listen(listener);
    }

    /// Refuses every session from now on.
    pub fn refuse_sessions(&self, error: Option<Error>) {
        self.recorded.lock().unwrap().refuse = error;
    }

    /// Refuses tunnels with this host.
    pub fn refuse_host(&self, name: &str) {
        self.recorded.lock().unwrap().refuse_name = Some(name.to_owned());
    }

    /// Holds responses to binds back from now on.
    pub fn hold_binds(&self) {
        self.recorded.lock().unwrap().held = Some(Vec::new());
    }

    /// Responds to the binds whose responses were held back, and to others at once from now on.
    pub fn release_binds(&self) {
        let held = self.recorded.lock().unwrap().held.take();
        for (session, bind) in held.into_iter().flatten() {
            respond(&session, bind, &self.recorded);
        }
    }

    /// Binds and unbinds in the order in which they came.
    pub fn steps(&self) -> Vec<Step> {
        self.recorded.lock().unwrap().steps.clone()
    }

    pub fn hellos(&self) -> Vec<Hello> {
        self.recorded.lock().unwrap().hellos.clone()
    }

    pub fn binds(&self) -> Vec<Bind> {
        self.recorded.lock().unwrap().binds.clone()
    }

    /// What agents said of their names when they began to drain: whether they are given up.
    pub fn drains(&self) -> Vec<bool> {
        self.recorded.lock().unwrap().drains.clone()
    }

    pub fn newest_session(&self) -> ServerSession {
        self.recorded.lock().unwrap().sessions.last().cloned().expect("a session")
    }

    /// Waits until a recorded value satisfies a condition.
    pub async fn wait_for<T>(&self, find: impl Fn(&Self) -> Option<T>) -> T {
        let mut changed = self.changed.subscribe();
        let wait = async {
            loop {
                if let Some(found) = find(self) {
                    return found;
                }
                changed.changed().await.expect("the server lives");
            }
        };
        in_time(wait).await
    }

    /// The number under which a tunnel is bound now.
    pub fn number(&self, tunnel: &str) -> Option<u32> {
        self.recorded.lock().unwrap().bound.get(tunnel).copied()
    }

    /// Opens a visitor's stream to a tunnel.
    pub async fn visit(&self, tunnel: &str, kind: StreamKind) -> TunnelStream {
        let number = self.number(tunnel).expect("bound");
        let start = StreamStart {
            tunnel: number,
            visitor: "192.0.2.7:50000".parse().expect("an address"),
            destination: None,
            kind,
            tls: true,
        };
        self.newest_session().open_stream(start).await.expect("a stream")
    }

    /// Sends these bytes as an HTTP visitor and returns the whole response.
    pub async fn http(&self, tunnel: &str, request: &[u8]) -> std::io::Result<Vec<u8>> {
        let mut stream = self.visit(tunnel, StreamKind::Http).await;
        stream.write_all(request).await?;
        stream.flush().await?;
        let mut response = Vec::new();
        in_time(stream.read_to_end(&mut response)).await?;
        let _ = stream.shutdown().await;
        Ok(response)
    }
}

async fn serve_session(
    handshake: postern_tunnel::AgentHandshake,
    recorded: Arc<Mutex<Recorded>>,
    changed: Arc<watch::Sender<u64>>,
) {
    let refuse = {
        let mut recorded = recorded.lock().unwrap();
        recorded.hellos.push(handshake.hello().clone());
        recorded.refuse.clone()
    };
    changed.send_modify(|version| *version += 1);
    if let Some(error) = refuse {
        handshake.refuse(error).await;
        return;
    }
    let welcome = Welcome {
        protocol: 0,
        session: format!("ts_{:x}", rand::random::<u64>()),
        data_secret: Secret::new(format!("{:x}", rand::random::<u128>())),
        server_version: "test".into(),
        region: "local".into(),
        heartbeat: 10_000,
        answer_timeout: 0,
        node: String::new(),
        nodes: Vec::new(),
    };
    let Ok((session, mut events)) = handshake.welcome(welcome).await else { return };
    recorded.lock().unwrap().sessions.push(session.clone());
    while let Some(event) = events.next().await {
        match event {
            ServerEvent::Bind(bind) => bind_tunnel(&session, bind, &recorded),
            ServerEvent::Unbind { number } => {
                let mut recorded = recorded.lock().unwrap();
                recorded.steps.push(Step::Unbind);
                recorded.bound.retain(|_, bound| *bound != number);
            }
            ServerEvent::Drain { release } => recorded.lock().unwrap().drains.push(release),
            ServerEvent::Announcement(_) | ServerEvent::Goodbye => {}
        }
        changed.send_modify(|version| *version += 1);
    }
}

fn bind_tunnel(session: &ServerSession, bind: Bind, recorded: &Mutex<Recorded>) {
    {
        let mut recorded = recorded.lock().unwrap();
        recorded.steps.push(Step::Bind);
        recorded.binds.push(bind.clone());
        if let Some(held) = &mut recorded.held {
            held.push((session.clone(), bind));
            return;
        }
    }
    respond(session, bind, recorded);
}

fn respond(session: &ServerSession, bind: Bind, recorded: &Mutex<Recorded>) {
    let mut recorded = recorded.lock().unwrap();
    recorded.next += 1;
    let number = recorded.next;
    let (host, port, url) = match &bind.what {
        BindKind::Http { host, scheme, previous } => {
            if host.is_some() && *host == recorded.refuse_name {
                session.bind_refused(bind.request, Error::new(Code::NameTaken, "The name is in use by another agent."));
                return;
            }
            let host = host.clone().or(previous.clone()).unwrap_or_else(|| format!("made-up-{number}.localhost"));
            let word = if *scheme == Scheme::Https { "https" } else { "http" };
            (Some(host.clone()), Some(443), Some(format!("{word}://{host}")))
        }
        BindKind::Tls { host, previous, .. } => {
            let host = host.clone().or(previous.clone()).unwrap_or_else(|| format!("made-up-{number}.localhost"));
            (Some(host.clone()), Some(443), Some(format!("tls://{host}")))
        }
        BindKind::Tcp { port, previous } => {
            let port = port.or(*previous).unwrap_or(24_000 + number as u16);
            (Some("localhost".into()), Some(port), Some(format!("tcp://localhost:{port}")))
        }
        BindKind::Labels { .. } => (None, None, None),
    };
    recorded.bound.insert(bind.name.clone(), number);
    session.bound(Bound { request: bind.request, tunnel: format!("tn_{number}"), number, url, host, port });
}
