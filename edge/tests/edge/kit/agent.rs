//! An agent as the edge meets it: sessions, binds, and streams carried to a local address.

use super::World;
use postern_api::{Code, Error, Secret, token::Token};
use postern_tunnel::{
    ALPN, AgentSession, BoxedTransport, ConnectError, Incoming, IncomingEvent, SessionEnd, StreamStart,
    message::{AppProtocol, Bind, BindKind, Bound, Hello, Scheme, VisitorChanges},
};
use std::{
    collections::{BTreeMap, HashMap},
    net::SocketAddr,
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering},
    },
};
use tokio::{net::TcpStream, task::JoinHandle};

/// Local addresses of the tunnels, by number.
type Routes = Arc<Mutex<HashMap<u32, SocketAddr>>>;

pub(crate) struct Agent {
    pub(crate) session: AgentSession,
    routes: Routes,
    pub(crate) starts: Arc<Mutex<Vec<StreamStart>>>,
    /// Number of open streams on the control connection.
    pub(crate) overflow: Arc<AtomicUsize>,
    /// Reports about visitors' connections.
    pub(crate) visitors: Arc<Mutex<Vec<VisitorChanges>>>,
    /// Number of connections that it has dialled.
    pub(crate) dialled: Arc<AtomicUsize>,
    serving: JoinHandle<()>,
    connections: Arc<Mutex<Vec<tokio::task::AbortHandle>>>,
}

pub(crate) fn hello(token: &Token, instance: &str) -> Hello {
    Hello {
        agent_version: "test".into(),
        os: "test".into(),
        instance: instance.into(),
        token: Secret::new(token.secret().reveal()),
        remote_management: true,
        ..Hello::default()
    }
}

impl Agent {
    pub(crate) async fn connect(world: &World, instance: &str) -> Agent {
        Agent::connect_as(world, &world.token, instance).await.map_err(|error| error.to_string()).expect("welcome")
    }

    pub(crate) async fn connect_as(world: &World, token: &Token, instance: &str) -> Result<Agent, ConnectError> {
        Agent::greet(world, hello(token, instance)).await
    }

    pub(crate) async fn greet(world: &World, hello: Hello) -> Result<Agent, ConnectError> {
        let address = world.edge.https_addr();
        let connector = super::connector(world, &[ALPN]);
        let dialled = Arc::<AtomicUsize>::default();
        let count = dialled.clone();
        let dial = move || {
            let connector = connector.clone();
            count.fetch_add(1, Ordering::SeqCst);
            async move {
                let stream = TcpStream::connect(address).await?;
                let name = rustls::pki_types::ServerName::try_from("localhost").map_err(std::io::Error::other)?;
                let stream = connector.connect(name, stream).await?;
                Ok(Box::new(stream) as BoxedTransport)
            }
        };
        let (session, incoming) = postern_tunnel::connect(Arc::new(dial), hello).await?;
        Ok(Agent { dialled, ..Agent::serving(session, incoming) })
    }

    /// Serves the streams of an established session.
    pub(crate) fn serving(session: AgentSession, incoming: Incoming) -> Agent {
        let (routes, starts) = (Routes::default(), Arc::default());
        let connections = Arc::default();
        let overflow = Arc::default();
        let visitors = Arc::default();
        let serving = serve(incoming, &routes, &starts, (&overflow, &visitors), &connections);
        Agent { session, routes, starts, overflow, visitors, dialled: Arc::default(), serving, connections }
    }

    /// Sends the streams of the tunnel with this number to a local address.
    pub(crate) fn forward(&self, number: u32, to: SocketAddr) {
        self.routes.lock().unwrap().insert(number, to);
    }

    pub(crate) async fn http(&self, host: Option<&str>, to: SocketAddr) -> Result<Bound, Error> {
        self.http_on(Scheme::Https, host, None, to).await
    }

    pub(crate) async fn http_on(
        &self,
        scheme: Scheme,
        host: Option<&str>,
        previous: Option<&str>,
        to: SocketAddr,
    ) -> Result<Bound, Error> {
        let (host, previous) = (host.map(Into::into), previous.map(Into::into));
        self.bind(BindKind::Http { host, scheme, previous }, to).await
    }

    pub(crate) async fn tcp(&self, port: Option<u16>, to: SocketAddr) -> Result<Bound, Error> {
        self.bind(BindKind::Tcp { port, previous: None }, to).await
    }

    pub(crate) async fn labels(&self, labels: &[(&str, &str)], to: SocketAddr) -> Result<Bound, Error> {
        let labels: BTreeMap<_, _> = labels.iter().map(|(k, v)| ((*k).to_owned(), (*v).to_owned())).collect();
        self.bind(BindKind::Labels { labels }, to).await
    }

    pub(crate) async fn bind(&self, what: BindKind, to: SocketAddr) -> Result<Bound, Error> {
        self.bind_speaking(what, AppProtocol::Http1, false, to).await
    }

    pub(crate) async fn bind_speaking(
        &self,
        what: BindKind,
        app_protocol: AppProtocol,
        per_visitor: bool,
        to: SocketAddr,
    ) -> Result<Bound, Error> {
        let (forwards_to, metadata, inspect) = (to.to_string(), String::new(), false);
        let bind = Bind {
            request: 0,
            name: "test".into(),
            what,
            forwards_to,
            metadata,
            inspect,
            app_protocol,
            per_visitor,
            modules: None,
        };
        let bound = self.session.bind(bind).await?;
        self.forward(bound.number, to);
        Ok(bound)
    }

    /// Disconnects abruptly, like a machine that loses power.
    pub(crate) async fn vanish(self) {
        self.serving.abort();
        for connection in self.connections.lock().unwrap().drain(..) {
            connection.abort();
        }
        let session = self.session.clone();
        drop(self);
        drop(session);
    }

    pub(crate) async fn ended(&self) -> SessionEnd {
        super::in_time(self.session.closed()).await
    }
}

fn serve(
    mut incoming: Incoming,
    routes: &Routes,
    starts: &Arc<Mutex<Vec<StreamStart>>>,
    (overflow, visitors): (&Arc<AtomicUsize>, &Arc<Mutex<Vec<VisitorChanges>>>),
    connections: &Arc<Mutex<Vec<tokio::task::AbortHandle>>>,
) -> JoinHandle<()> {
    let (routes, starts, connections) = (routes.clone(), starts.clone(), connections.clone());
    let (overflow, visitors) = (overflow.clone(), visitors.clone());
    tokio::spawn(async move {
        while let Some(event) = incoming.next().await {
            match event {
                IncomingEvent::Stream(stream) => {
                    starts.lock().unwrap().push(stream.start);
                    let to = routes.lock().unwrap().get(&stream.start.tunnel).copied();
                    let overflow = overflow.clone();
                    let task = tokio::spawn(async move {
                        match TcpStream::connect(to.expect("a tunnel that was bound")).await {
                            Ok(local) => {
                                let stream = stream.accept().await.expect("accepted");
                                let overflowing = usize::from(stream.is_overflow());
                                overflow.fetch_add(overflowing, Ordering::SeqCst);
                                postern_tunnel::relay(stream, local).await;
                                overflow.fetch_sub(overflowing, Ordering::SeqCst);
                            }
                            Err(error) => {
                                let message = format!("Nothing listens on {}: {error}.", to.unwrap());
                                stream.refuse(Error::new(Code::ServiceUnreachable, message)).await;
                            }
                        }
                    });
                    connections.lock().unwrap().push(task.abort_handle());
                }
                IncomingEvent::Visitors(changes) => visitors.lock().unwrap().extend(changes),
                IncomingEvent::TunnelClosed { .. }
                | IncomingEvent::Drain { .. }
                | IncomingEvent::Unsent(_)
                | IncomingEvent::Command(_) => {}
            }
        }
    })
}
