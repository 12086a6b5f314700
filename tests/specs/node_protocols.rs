//! A visitor at each of three nodes reaches the agents of the other two, over every protocol.

use bytes::Bytes;
use http_body_util::{BodyExt, Full, StreamBody};
use hyper::{
    Request, Response,
    body::{Frame, Incoming},
    service::service_fn,
};
use hyper_util::rt::{TokioExecutor, TokioIo};
use postern_tests::{
    Agent, Origin,
    cluster::Cluster,
    condition::finishes,
    eventually,
    scripted_origin::{OriginConnection, ScriptedOrigin},
    tcp::{Echo, EchoClient},
    tls::{self, self_signed},
    websocket::assert_echoes,
};
use rcgen::{CertifiedKey, KeyPair};
use rustls_pki_types::ServerName;
use serde_json::json;
use std::{
    convert::Infallible,
    net::{Ipv4Addr, SocketAddr},
};
use tokio::{
    io::AsyncReadExt,
    net::{TcpListener, TcpStream},
    task::JoinHandle,
};
use tokio_tungstenite::tungstenite::Message;

const NODES: usize = 3;
/// A message of gRPC: not compressed, five bytes.
const GRPC_MESSAGE: &[u8] = b"\0\0\0\0\x05hello";

/// A gRPC service that sends the request's messages back, and its status in trailers.
struct GrpcEcho {
    address: SocketAddr,
    serving: JoinHandle<()>,
}

impl GrpcEcho {
    async fn start() -> GrpcEcho {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
        let address = listener.local_addr().unwrap();
        let serving = tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let builder = hyper::server::conn::http2::Builder::new(TokioExecutor::new());
                tokio::spawn(builder.serve_connection(TokioIo::new(stream), service_fn(echo)));
            }
        });
        GrpcEcho { address, serving }
    }
}

impl Drop for GrpcEcho {
    fn drop(&mut self) {
        self.serving.abort();
    }
}

async fn echo(
    request: Request<Incoming>,
) -> Result<Response<impl hyper::body::Body<Data = Bytes, Error = Infallible>>, Infallible> {
    assert_eq!(request.headers()["te"], "trailers");
    let messages = request.into_body().collect().await.map(|body| body.to_bytes()).unwrap_or_default();
    let trailers = [("grpc-status", "0")].map(|(name, value)| (name.parse().unwrap(), value.parse().unwrap()));
    let frames = [Frame::data(messages), Frame::trailers(trailers.into_iter().collect())];
    let body = StreamBody::new(futures::stream::iter(frames.map(Ok)));
    Ok(Response::builder().header("content-type", "application/grpc").body(body).unwrap())
}

/// The services behind the agent of each node.
struct Services {
    web: Origin,
    grpc: GrpcEcho,
    vault: ScriptedOrigin,
    vault_certificate: CertifiedKey<KeyPair>,
    line: Echo,
}

impl Services {
    async fn start(node: usize) -> Services {
        let vault_certificate = self_signed(&host("vault", node));
        let greet = |mut connection: OriginConnection<_>| async move { connection.close_with(b"from the vault").await };
        Services {
            web: Origin::start(&format!("node {node}")).await,
            grpc: GrpcEcho::start().await,
            vault: ScriptedOrigin::serving_tls(tls::acceptor(&vault_certificate, &[]), greet).await,
            vault_certificate,
            line: Echo::named(&format!("line {node}")).await,
        }
    }

    /// Publishes them at an agent that has no session but that with this node. Gives the port of the TCP service.
    async fn publish(&self, cluster: &Cluster, node: usize, token: &str) -> (Agent, u16) {
        let setup = cluster.agent_setup(node, &format!("agent{node}"), token).setting("sessions", "1");
        let agent = setup.start().await;
        agent.https_at("web", &host("web", node), &self.web).await;
        let grpc = json!({
            "name": "grpc", "proto": "http", "addr": self.grpc.address.to_string(), "domain": host("grpc", node), "app_protocol": "http2"
        });
        agent.tunnel(grpc).await;
        let vault =
            json!({ "name": "vault", "proto": "tls", "addr": self.vault.to_string(), "domain": host("vault", node) });
        agent.tunnel(vault).await;
        let port = agent.tcp("line", &self.line).await.port();
        (agent, port)
    }
}

fn host(service: &str, node: usize) -> String {
    format!("{service}{node}.localhost")
}

#[tokio::test]
async fn a_visitor_at_each_node_reaches_an_agent_at_each_other_over_every_protocol() {
    let cluster = Cluster::start(NODES).await;
    cluster.until_linked().await;
    let (_, token) = cluster.operator(0).credential(&[]).await;
    let (mut services, mut agents) = (Vec::new(), Vec::new());
    for node in 0..NODES {
        let here = Services::start(node).await;
        agents.push(here.publish(&cluster, node, &token).await);
        services.push(here);
    }
    for at in 0..NODES {
        for of in (0..NODES).filter(|of| *of != at) {
            cluster.until_read(at, &host("web", of), &format!("node {of}")).await;
            http_of_both_versions(&cluster, at, of).await;
            websocket(&cluster, at, of).await;
            grpc(&cluster, at, of).await;
            tls_passed_through(&cluster, at, of, &services[of].vault_certificate).await;
            tcp(at, of, agents[of].1).await;
        }
    }
}

async fn http_of_both_versions(cluster: &Cluster, at: usize, of: usize) {
    let url = cluster.url(at, &host("web", of));
    let second = cluster.visitor(at).get(&url).await;
    assert_eq!((second.version, second.text()), (http::Version::HTTP_2, format!("node {of}")));
    let first = cluster.visitor(at).with(|client| client.http1_only()).get(&url).await;
    assert_eq!((first.version, first.text()), (http::Version::HTTP_11, format!("node {of}")));
}

async fn websocket(cluster: &Cluster, at: usize, of: usize) {
    let url = format!("{}socket", cluster.url(at, &host("web", of)));
    let (mut socket, response) = cluster.visitor(at).websocket(&url).await;
    assert_eq!(response.status(), 101);
    for message in [Message::text("hello"), Message::binary(vec![7; 100_000])] {
        assert_echoes(&mut socket, message).await;
    }
    socket.close(None).await.expect("closed in order");
}

async fn grpc(cluster: &Cluster, at: usize, of: usize) {
    let name = host("grpc", of);
    eventually("the node serves it", async || {
        let stream = cluster.visitor(at).tls(&name, &[b"h2"]).await.ok()?;
        let (mut sender, connection) =
            hyper::client::conn::http2::handshake(TokioExecutor::new(), TokioIo::new(stream)).await.ok()?;
        let driving = tokio::spawn(connection);
        let request = Request::post(format!("https://{name}/demo.Greeter/SayHello"))
            .header("content-type", "application/grpc")
            .header("te", "trailers")
            .body(Full::new(Bytes::from_static(GRPC_MESSAGE)))
            .unwrap();
        let response = finishes("a response", sender.send_request(request)).await.ok()?;
        let is_there = response.status() == 200;
        let body = finishes("its end", response.into_body().collect()).await.ok()?;
        driving.abort();
        let status = body.trailers().and_then(|trailers| trailers.get("grpc-status")).cloned();
        (is_there && status? == "0" && body.to_bytes() == GRPC_MESSAGE).then_some(())
    })
    .await;
}

async fn tls_passed_through(cluster: &Cluster, at: usize, of: usize, service: &CertifiedKey<KeyPair>) {
    let name = host("vault", of);
    // Only the service has the certificate that is trusted here.
    let connector = tls::connector([service.cert.der()], &[]);
    eventually("the node passes TLS through", async || {
        let stream = TcpStream::connect(cluster.nodes[at].addresses.https).await.ok()?;
        let server = ServerName::try_from(name.clone()).expect("a name");
        let mut text = String::new();
        connector.connect(server, stream).await.ok()?.read_to_string(&mut text).await.ok()?;
        (text == "from the vault").then_some(())
    })
    .await;
}

async fn tcp(at: usize, of: usize, port: u16) {
    let address = SocketAddr::from(([127, 0, 0, at as u8 + 1], port));
    let (mut line, greeting) =
        eventually("the port is open at the node", async || EchoClient::connect_to(address).await).await;
    assert_eq!(greeting, format!("line {of}"));
    assert_eq!(line.echo("hello").await.as_deref(), Some("hello"));
}
