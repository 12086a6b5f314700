//! Too much of something: headers, connections, requests.

use crate::kit::{World, agent::Agent, origin::Origin, until, visitor};
use bytes::Bytes;
use http_body_util::Empty;
use hyper::Request;
use std::sync::Arc;
use tokio::{io::AsyncReadExt, net::TcpStream, sync::Notify, time::timeout};

#[tokio::test]
async fn more_header_lines_than_allowed_are_431() {
    for limit in [20, 100, 150] {
        let world = World::with(|settings| settings.limits.headers = limit).await;
        let origin = Origin::says("ok").await;
        let agent = Agent::connect(&world, "one").await;
        agent.http(Some("a"), origin.address).await.unwrap();
        let request = |lines: usize| {
            let more: String = (1..lines).map(|number| format!("X-{number}: x\r\n")).collect();
            format!("GET / HTTP/1.1\r\nHost: a.localhost\r\n{more}\r\n")
        };
        let mut polite = visitor::https(&world, "a.localhost").await;
        let answer = polite.ask(&request(limit)).await;
        assert_eq!(answer.status, 200, "{limit}: {}", answer.text());
        let answer = polite.ask(&request(limit + 1)).await;
        assert_eq!((answer.status, answer.code()), (431, "ERR_POSTERN_3011"), "{limit}");
        let two = |lines: usize| {
            let request = Request::get("https://a.localhost/");
            let with = (0..lines).fold(request, |request, number| request.header(format!("x-{number}"), "x"));
            with.body(Empty::<Bytes>::new().boxed()).unwrap()
        };
        use http_body_util::BodyExt;
        let stream = visitor::tls(&world, "a.localhost", &[b"h2"]).await;
        let (mut sender, connection) = hyper::client::conn::http2::handshake(
            hyper_util::rt::TokioExecutor::new(),
            hyper_util::rt::TokioIo::new(stream),
        )
        .await
        .unwrap();
        tokio::spawn(connection);
        assert_eq!(sender.send_request(two(limit)).await.unwrap().status(), 200, "{limit}");
        assert_eq!(sender.send_request(two(limit + 1)).await.unwrap().status(), 431, "{limit}");
        assert_eq!(origin.heard().len(), 2, "{limit}");
    }
}

/// A service that answers when it is told to.
async fn waiting() -> (Origin, Arc<Notify>) {
    let go = Arc::new(Notify::new());
    let held = go.clone();
    let origin = Origin::serving(move |mut talk| {
        let go = held.clone();
        async move {
            while talk.request().await.is_some() {
                go.notified().await;
                let _ = talk.say(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok").await;
            }
        }
    })
    .await;
    (origin, go)
}

#[tokio::test]
async fn what_is_too_much_at_once_is_told_503_early_and_the_rest_is_served() {
    let world = World::with(|settings| settings.limits.requests = 2).await;
    let (origin, go) = waiting().await;
    let agent = Agent::connect(&world, "one").await;
    agent.http(Some("a"), origin.address).await.unwrap();
    let request = "GET / HTTP/1.1\r\nHost: a.localhost\r\n\r\n";
    let mut served = [visitor::https(&world, "a.localhost").await, visitor::https(&world, "a.localhost").await];
    for (count, visitor) in served.iter_mut().enumerate() {
        visitor.say(request.as_bytes()).await;
        until("the request has arrived", || origin.heard().len() == count + 1).await;
    }
    for _ in 0..3 {
        let mut visitor = visitor::https(&world, "a.localhost").await;
        let answer = visitor.ask(request).await;
        assert_eq!((answer.status, answer.code()), (503, "ERR_POSTERN_3018"), "{}", answer.text());
        assert_eq!(answer.header("retry-after"), Some("1"));
        assert_eq!(answer.header("connection"), Some("close"));
        assert!(visitor.rest().await.is_empty());
    }
    let mut sender = visitor::http2(&world, "a.localhost").await;
    let two = Request::get("https://a.localhost/").body(http_body_util::Full::default()).unwrap();
    assert_eq!(sender.send_request(two).await.unwrap().status(), 503);
    for visitor in &mut served {
        go.notify_one();
        assert_eq!(visitor.answer(false).await.status, 200, "who was there first is served");
    }
    for visitor in &mut served {
        go.notify_one();
        assert_eq!(visitor.ask(request).await.status, 200, "there is room again");
    }
    assert_eq!(origin.heard().len(), 4, "nothing of the rest reached the local service");
}

#[tokio::test]
async fn a_visitor_without_a_place_is_turned_away_at_once() {
    let world = World::with(|settings| settings.limits.connections = 3).await;
    let address = world.edge.https_addr();
    let places = [(); 3].map(|()| TcpStream::connect(address));
    let [first, second, third] = places;
    let (first, second, third) = (first.await.unwrap(), second.await.unwrap(), third.await.unwrap());
    let mut late = TcpStream::connect(address).await.unwrap();
    let read = timeout(crate::kit::PATIENCE, late.read(&mut [0; 16])).await.expect("told in time");
    assert!(matches!(read, Ok(0) | Err(_)), "{read:?}");
    // The other port has places of its own.
    assert_eq!(visitor::plain(&world).await.ask("GET / HTTP/1.1\r\nHost: a.localhost\r\n\r\n").await.status, 404);
    drop((first, second, third));
    until("there is a place again", || {
        let stream = std::net::TcpStream::connect(address).unwrap();
        stream.set_read_timeout(Some(std::time::Duration::from_millis(50))).unwrap();
        let read = std::io::Read::read(&mut &stream, &mut [0; 16]);
        matches!(read, Err(error) if error.kind() == std::io::ErrorKind::WouldBlock)
    })
    .await;
}
