//! WebSocket connections that reach the backend as byte streams.

use crate::kit::{
    ScriptedOrigin, World,
    agent::Agent,
    edges::{address, below, failover, group, https, response, to},
    in_time, ports, visitor,
};
use bytes::Bytes;
use futures::{SinkExt, StreamExt};
use http_body_util::Full;
use postern_api::{
    module::{CircuitBreaker, HeaderChanges, UserAgentFilter, WebsocketTcpConverter},
    published::Settings,
};
use postern_tunnel::StreamKind;
use tokio::net::TcpStream;
use tokio_rustls::client::TlsStream;
use tokio_tungstenite::{
    WebSocketStream, client_async,
    tungstenite::{
        Error, Message, client::IntoClientRequest, handshake::client::Response, protocol::frame::coding::CloseCode,
    },
};

const HOST: &str = "shop.localhost";

fn converting(backend: &str) -> Settings {
    Settings { websocket_tcp_converter: Some(WebsocketTcpConverter { enabled: true }), ..to(backend) }
}

type Socket = WebSocketStream<TlsStream<TcpStream>>;

async fn connect(world: &World, headers: &[(&'static str, &str)]) -> Result<(Socket, Response), Error> {
    let mut request = format!("wss://{HOST}/any/path").into_client_request().unwrap();
    for (name, value) in headers {
        request.headers_mut().insert(*name, value.parse().unwrap());
    }
    let stream = visitor::tls(world, HOST, &[b"http/1.1"]).await;
    Box::pin(in_time(client_async(request, stream))).await
}

async fn receive(socket: &mut Socket, size: usize) -> Vec<u8> {
    let mut received = Vec::new();
    while received.len() < size {
        match in_time(socket.next()).await {
            Some(Ok(Message::Binary(bytes))) => received.extend_from_slice(&bytes),
            other => panic!("{other:?}"),
        }
    }
    received
}

#[tokio::test]
async fn bytes_pass_in_both_directions() {
    let world = World::start().await;
    let echo = ScriptedOrigin::echo().await;
    let agent = Agent::connect(&world, "one").await;
    agent.labels(&[("app", "shop")], echo.address).await.unwrap();
    world.backends([("bkdtg_1", group(&[("app", "shop")])), ("bkdsc_1", address(echo.address))]).await;
    for backend in ["bkdtg_1", "bkdsc_1"] {
        world.https_edge(https(&[HOST], &[below("/", converting(backend))])).await;
        let (mut socket, response) = connect(&world, &[("sec-websocket-protocol", "mqtt")]).await.unwrap();
        assert_eq!(response.status(), 101);
        assert_eq!(response.headers()["sec-websocket-protocol"], "mqtt");
        for size in [1, 60_000, 1 << 20, 5] {
            let sent: Vec<u8> = (0..size).map(|number: u32| (number % 251) as u8).collect();
            let (mut sink, source) = socket.split();
            let message = Message::binary(sent.clone());
            let sending = tokio::spawn(async move {
                sink.send(message).await.unwrap();
                sink
            });
            let mut source = source;
            let mut received = Vec::new();
            while received.len() < sent.len() {
                match in_time(source.next()).await {
                    Some(Ok(Message::Binary(bytes))) => received.extend_from_slice(&bytes),
                    other => panic!("{other:?}"),
                }
            }
            assert!(received == sent, "{backend} {size}");
            socket = source.reunite(sending.await.unwrap()).unwrap();
        }
        socket.send(Message::Ping(Bytes::from("p"))).await.unwrap();
        assert_eq!(in_time(socket.next()).await.unwrap().unwrap(), Message::Pong(Bytes::from("p")));
        socket.close(None).await.unwrap();
        assert!(matches!(in_time(socket.next()).await, Some(Ok(Message::Close(_))) | None));
    }
    let starts = agent.starts.lock().unwrap().clone();
    assert_eq!(starts.len(), 1);
    assert_eq!(starts[0].kind, StreamKind::Tcp, "the agent carries it as it is");
}

#[tokio::test]
async fn an_http_response_backend_is_passed_over() {
    let world = World::start().await;
    let greeter = ScriptedOrigin::greeting("220 welcome\r\n").await;
    let fallback = failover(&["bkdhr_1", "bkdsc_1"]);
    let backends =
        [("bkdhr_1", response(200, "no stream")), ("bkdsc_1", address(greeter.address)), ("bkdfo_1", fallback)];
    world.backends(backends).await;
    world.https_edge(https(&[HOST], &[below("/", converting("bkdfo_1"))])).await;
    let (mut socket, _) = connect(&world, &[]).await.unwrap();
    assert_eq!(receive(&mut socket, 13).await, b"220 welcome\r\n");
}

#[tokio::test]
async fn the_last_bytes_of_a_backend_are_delivered() {
    let world = World::start().await;
    let greeter = ScriptedOrigin::greeting("220 welcome\r\n").await;
    world.backends([("bkdsc_1", address(greeter.address))]).await;
    world.https_edge(https(&[HOST], &[below("/", converting("bkdsc_1"))])).await;
    let (mut socket, _) = connect(&world, &[]).await.unwrap();
    assert_eq!(receive(&mut socket, 13).await, b"220 welcome\r\n");
    match in_time(socket.next()).await {
        Some(Ok(Message::Close(Some(frame)))) => assert_eq!(frame.code, CloseCode::Normal),
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn text_is_refused_with_its_own_code() {
    let world = World::start().await;
    let echo = ScriptedOrigin::echo().await;
    world.backends([("bkdsc_1", address(echo.address))]).await;
    world.https_edge(https(&[HOST], &[below("/", converting("bkdsc_1"))])).await;
    let (mut socket, _) = connect(&world, &[]).await.unwrap();
    socket.send(Message::text("words")).await.unwrap();
    match in_time(socket.next()).await {
        Some(Ok(Message::Close(Some(frame)))) => assert_eq!(frame.code, CloseCode::Unsupported),
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn invalid_handshakes_never_reach_the_backend() {
    let world = World::start().await;
    let origin = ScriptedOrigin::with_text("hello").await;
    world.backends([("bkdsc_1", address(origin.address)), ("bkdhr_1", response(200, "fixed"))]).await;
    world.https_edge(https(&[HOST], &[below("/", converting("bkdsc_1"))])).await;
    let good = "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n";
    for (line, head) in [
        ("GET / HTTP/1.1", String::new()),
        ("POST / HTTP/1.1", good.to_owned()),
        ("GET / HTTP/1.1", good.replace("13", "12")),
        ("GET / HTTP/1.1", good.replace("dGhl", "dGh")),
        ("GET / HTTP/1.1", good.replace("Upgrade: websocket", "Upgrade: other")),
        ("GET / HTTP/1.1", good.replace("Connection: Upgrade", "Connection: keep-alive")),
        ("GET / HTTP/1.1", format!("{good}Upgrade: h2c\r\n")),
        ("GET / HTTP/1.0", good.to_owned()),
    ] {
        let request = format!("{line}\r\nHost: {HOST}\r\n{head}\r\n");
        let response = visitor::https(&world, HOST).await.request(&request).await;
        assert_eq!((response.status, response.code()), (400, "ERR_POSTERN_3206"), "{request}");
        assert_eq!(response.header("sec-websocket-version"), Some("13"));
    }
    let mut sender = visitor::http2(&world, HOST).await;
    let request = hyper::Request::get(format!("https://{HOST}/")).body(Full::new(Bytes::new())).unwrap();
    assert_eq!(visitor::whole(sender.send_request(request).await.unwrap()).await.0.status, 400);
    assert_eq!(origin.connections(), 0);

    world.https_edge(https(&[HOST], &[below("/", converting("bkdhr_1"))])).await;
    let response =
        visitor::https(&world, HOST).await.request(&format!("GET / HTTP/1.1\r\nHost: {HOST}\r\n{good}\r\n")).await;
    assert_eq!((response.status, response.code()), (503, "ERR_POSTERN_724"), "an response is no stream");
}

#[tokio::test]
async fn other_stages_come_first_and_last_and_the_handshake_counts_for_the_circuit() {
    let world = World::start().await;
    world.backends([("bkdsc_1", address(ports::unused_address()))]).await;
    let breaker = CircuitBreaker { volume_threshold: 2, ..CircuitBreaker::default() };
    let filter = UserAgentFilter { enabled: true, allow: Vec::new(), deny: vec!["bot".to_owned()] };
    let headers = HeaderChanges {
        enabled: true,
        add: [("x-stage".to_owned(), "${res.status}".to_owned())].into(),
        remove: Vec::new(),
    };
    let settings = Settings {
        circuit_breaker: Some(breaker),
        user_agent_filter: Some(filter),
        response_headers: Some(headers),
        ..converting("bkdsc_1")
    };
    world.https_edge(https(&[HOST], &[below("/", settings)])).await;
    let refused = async |agent: &str| match connect(&world, &[("user-agent", agent)]).await {
        Err(Error::Http(response)) => response.headers()["postern-error-code"].to_str().unwrap().to_owned(),
        other => panic!("{other:?}"),
    };
    assert_eq!(refused("bot").await, "ERR_POSTERN_3211");
    assert_eq!(visitor::get(&world, HOST, "/").await.code(), "ERR_POSTERN_3206", "which is no error of the backend");
    assert_eq!(refused("browser").await, "ERR_POSTERN_8012", "told before the connection is taken");
    assert_eq!(refused("browser").await, "ERR_POSTERN_8012");
    assert_eq!(refused("browser").await, "ERR_POSTERN_3202");

    let echo = ScriptedOrigin::echo().await;
    world.backends([("bkdsc_1", address(echo.address))]).await;
    let headers = HeaderChanges {
        enabled: true,
        add: [("x-stage".to_owned(), "${res.status}".to_owned())].into(),
        remove: Vec::new(),
    };
    let settings = Settings { response_headers: Some(headers), ..converting("bkdsc_1") };
    world.https_edge(https(&[HOST], &[below("/", settings)])).await;
    let (_, response) = connect(&world, &[]).await.unwrap();
    assert_eq!(response.headers()["x-stage"], "101");
}

#[tokio::test]
async fn a_change_applies_to_new_connections_only() {
    let world = World::start().await;
    let (echo, origin) = (ScriptedOrigin::echo().await, ScriptedOrigin::with_text("hello").await);
    world.backends([("bkdsc_1", address(echo.address)), ("bkdsc_2", address(origin.address))]).await;
    world.https_edge(https(&[HOST], &[below("/", converting("bkdsc_1"))])).await;
    let (mut socket, _) = connect(&world, &[]).await.unwrap();
    socket.send(Message::binary(&b"before"[..])).await.unwrap();
    assert_eq!(receive(&mut socket, 6).await, b"before");
    world.https_edge(https(&[HOST], &[below("/", to("bkdsc_2"))])).await;
    assert_eq!(visitor::get(&world, HOST, "/").await.text(), "hello", "without the module it is a route like others");
    socket.send(Message::binary(&b"after"[..])).await.unwrap();
    assert_eq!(receive(&mut socket, 5).await, b"after");
    world.https_edge(https(&[HOST], &[below("/", converting("bkdsc_1"))])).await;
    assert_eq!(visitor::get(&world, HOST, "/").await.code(), "ERR_POSTERN_3206");
}
