//! 100 MB in each direction, byte for byte.

use futures::StreamExt;
use postern_tests::{
    Origin, World, bytes,
    condition::finishes,
    tcp::{Echo, EchoClient},
};

const LENGTH: u64 = 100 << 20;

#[tokio::test]
async fn a_hundred_megabytes_go_up_through_https() {
    let world = World::start().await;
    let origin = Origin::start("hello").await;
    let agent = world.agent().await;
    let tunnel = agent.https("site", &origin).await;
    for visitor in [world.visitor(), world.visitor().with(|client| client.http1_only())] {
        let body = reqwest::Body::wrap_stream(bytes::flow(1, LENGTH));
        let reply = finishes("the upload", visitor.send(visitor.http.post(tunnel.url("/sum")).body(body))).await;
        assert_eq!((reply.status, reply.text()), (200, bytes::sum(1, LENGTH)));
    }
}

#[tokio::test]
async fn a_hundred_megabytes_come_down_through_https() {
    let world = World::start().await;
    let origin = Origin::start("hello").await;
    let agent = world.agent().await;
    let tunnel = agent.https("site", &origin).await;
    for visitor in [world.visitor(), world.visitor().with(|client| client.http1_only())] {
        let url = tunnel.url(&format!("/flow?seed=2&length={LENGTH}"));
        let mut body = visitor.http.get(url).send().await.expect("an answer").bytes_stream();
        let mut sum = bytes::Sum::default();
        finishes("the download", async {
            while let Some(piece) = body.next().await {
                sum.add(&piece.expect("whole"));
            }
        })
        .await;
        assert_eq!(sum.finish(), bytes::sum(2, LENGTH));
    }
}

#[tokio::test]
async fn a_hundred_megabytes_go_up_and_come_back_through_tcp() {
    let world = World::start().await;
    let echo = Echo::named("echo").await;
    let agent = world.agent().await;
    let tunnel = agent.tcp("echo", &echo).await;
    let (line, _) = EchoClient::connect(tunnel.port()).await.expect("open");
    let back = finishes("there and back", line.echo_bytes(3, LENGTH)).await;
    assert_eq!(back, bytes::sum(3, LENGTH));
}
