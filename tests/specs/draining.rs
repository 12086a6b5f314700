//! The end: open requests are finished, nobody new is let in, the exit status is 0.

use postern_tests::process::ended_well;
use postern_tests::{Origin, World, eventually};
use rustix::process::Signal;
use std::time::Duration;
use tokio::net::TcpStream;

#[tokio::test]
async fn an_open_request_is_finished_and_the_exit_status_is_0() {
    for signal in [Signal::TERM, Signal::INT] {
        let world = World::start().await;
        let origin = Origin::says("hello").await;
        let agent = world.agent().await;
        let tunnel = agent.https("site", &origin).await;
        let visitor = world.visitor().with(|client| client.http1_only());
        let url = tunnel.url("/slow");
        let open = tokio::spawn(async move { visitor.get(&url).await });
        origin.hears("/slow", 1).await;

        let (process, addresses) = (world.server.process, world.server.addresses);
        process.signal(signal);
        for address in [addresses.https, addresses.http, addresses.api] {
            eventually("nobody new is let in", async || TcpStream::connect(address).await.is_err().then_some(())).await;
        }
        assert!(process.is_running() && !open.is_finished(), "the request is waited for");
        origin.goes_on();
        assert_eq!(open.await.unwrap().text(), "at last");
        let ended = process.ended_within(Duration::from_secs(5)).await;
        assert!(ended_well(ended.status), "{ended:?}");
    }
}

#[tokio::test]
async fn without_open_requests_the_end_comes_at_once_although_agents_are_connected() {
    let world = World::start().await;
    let origin = Origin::says("hello").await;
    let agent = world.agent().await;
    let tunnel = agent.https("site", &origin).await;
    world.visitor().get(&tunnel.url("/")).await;
    let folder = world.server.folder().to_owned();
    world.server.process.terminate();
    let ended = world.server.process.ended_within(Duration::from_secs(3)).await;
    assert!(ended_well(ended.status), "{ended:?}");
    assert!(!folder.join("addresses.json").exists(), "nobody looks for it any more");
    agent.session_is("waiting").await;
}

#[tokio::test]
async fn the_drain_timeout_bounds_the_wait() {
    let world = World::with(|setup| setup.flags(&["--drain-timeout", "300ms"])).await;
    let origin = Origin::says("hello").await;
    let agent = world.agent().await;
    let tunnel = agent.https("site", &origin).await;
    let visitor = world.visitor();
    let request = visitor.http.get(tunnel.url("/slow"));
    let open = tokio::spawn(async move { request.send().await.map(|answer| answer.status()) });
    origin.hears("/slow", 1).await;
    world.server.process.terminate();
    let ended = world.server.process.ended_within(Duration::from_secs(3)).await;
    assert!(ended_well(ended.status), "{ended:?}");
    assert!(!matches!(open.await.unwrap(), Ok(status) if status == 200), "the origin never answered");
}

#[tokio::test]
async fn a_second_signal_ends_at_once() {
    let world = World::start().await;
    let origin = Origin::says("hello").await;
    let agent = world.agent().await;
    let tunnel = agent.https("site", &origin).await;
    let request = world.visitor().http.get(tunnel.url("/slow"));
    tokio::spawn(async move { request.send().await.map(drop) });
    origin.hears("/slow", 1).await;
    world.server.process.terminate();
    world.server.process.says("SIGTERM").await;
    world.server.process.terminate();
    world.server.process.ended_within(Duration::from_secs(2)).await;
}
