//! The circuit breaker: tripping, refusing, trials and recovery.

use crate::kit::{
    Http1Client, Http1Response, ScriptedOrigin, World,
    edges::{address, below, https, to},
    eventually, ports, until, visitor,
};
use postern_api::{
    module::{CircuitBreaker, UserAgentFilter},
    published::Settings,
};
use std::{
    sync::{
        Arc,
        atomic::{AtomicU16, Ordering},
    },
    time::Duration,
};
use tokio::{net::TcpStream, sync::watch};
use tokio_rustls::client::TlsStream;

const HOST: &str = "shop.localhost";
/// The code of a refusal by an open circuit.
const OPEN: &str = "ERR_POSTERN_3202";
const REQUEST: &str = "GET / HTTP/1.1\r\nHost: shop.localhost\r\n\r\n";

fn breaker() -> CircuitBreaker {
    CircuitBreaker { tripped_duration: 1, rolling_window: 60, volume_threshold: 4, ..CircuitBreaker::default() }
}

/// Like [`breaker`], open until the end of the test.
fn lasting() -> CircuitBreaker {
    CircuitBreaker { tripped_duration: 3600, ..breaker() }
}

fn guarded(breaker: &CircuitBreaker) -> Settings {
    Settings { circuit_breaker: Some(breaker.clone()), ..to("bkdsc_1") }
}

/// An origin whose status can be changed.
async fn with_changeable_status() -> (ScriptedOrigin, Arc<AtomicU16>) {
    let status = Arc::new(AtomicU16::new(200));
    let origin_status = status.clone();
    let origin = ScriptedOrigin::responding(move |_| {
        format!("HTTP/1.1 {} Whatever\r\nContent-Length: 4\r\n\r\nbody", origin_status.load(Ordering::SeqCst))
    })
    .await;
    (origin, status)
}

async fn world(origin: &ScriptedOrigin, settings: Settings) -> World {
    let world = World::start().await;
    world.backends([("bkdsc_1", address(origin.address))]).await;
    world.https_edge(https(&[HOST], &[below("/", settings)])).await;
    world
}

async fn status(world: &World) -> u16 {
    visitor::get(world, HOST, "/").await.status
}

/// Sends requests until the circuit admits one.
async fn admitted(world: &World) -> Http1Response {
    eventually("the circuit admits a request", async || {
        Some(visitor::get(world, HOST, "/").await).filter(|response| response.code() != OPEN)
    })
    .await
}

/// A world whose origin has failed so often that the circuit is open.
async fn open_circuit(breaker: &CircuitBreaker) -> (World, ScriptedOrigin, Arc<AtomicU16>) {
    let (origin, origin_status) = with_changeable_status().await;
    let world = world(&origin, guarded(breaker)).await;
    origin_status.store(500, Ordering::SeqCst);
    for _ in 0..breaker.volume_threshold {
        assert_eq!(status(&world).await, 500);
    }
    assert_eq!(visitor::get(&world, HOST, "/").await.code(), OPEN);
    (world, origin, origin_status)
}

#[tokio::test]
async fn it_trips_when_half_of_the_requests_fail_and_passes_their_errors_as_they_are() {
    let (origin, origin_status) = with_changeable_status().await;
    let world = world(&origin, guarded(&breaker())).await;
    for _ in 0..3 {
        assert_eq!(status(&world).await, 200);
    }
    origin_status.store(500, Ordering::SeqCst);
    for _ in 0..3 {
        let response = visitor::get(&world, HOST, "/").await;
        assert_eq!((response.status, response.text().as_str()), (500, "body"));
    }
    let response = visitor::get(&world, HOST, "/").await;
    assert_eq!((response.status, response.code()), (503, OPEN), "three of six");
}

#[tokio::test]
async fn an_open_circuit_refuses_without_touching_the_backend_and_says_for_how_long() {
    let (world, origin, _) = open_circuit(&lasting()).await;
    let before = origin.requests().len();
    let response = visitor::get(&world, HOST, "/").await;
    assert_eq!((response.status, response.code()), (503, OPEN));
    assert_eq!(response.header("retry-after"), Some("3600"));
    assert_eq!(origin.requests().len(), before);
}

#[tokio::test]
async fn a_failed_trial_opens_the_circuit_again() {
    let (world, _origin, _) = open_circuit(&breaker()).await;
    let response = admitted(&world).await;
    assert_eq!((response.status, response.text().as_str()), (500, "body"), "the trial fails");
    assert_eq!(visitor::get(&world, HOST, "/").await.code(), OPEN);
}

#[tokio::test]
async fn a_trial_that_the_visitor_got_wrong_closes_the_circuit() {
    let (world, _origin, origin_status) = open_circuit(&breaker()).await;
    origin_status.store(404, Ordering::SeqCst);
    assert_eq!(admitted(&world).await.status, 404, "a visitor's mistake is no failure of the backend");
    for _ in 0..20 {
        assert_eq!(status(&world).await, 404, "closed");
    }
}

#[tokio::test]
async fn a_backend_that_cannot_be_reached_trips_it_and_refusals_of_other_stages_do_not() {
    let filter = UserAgentFilter { enabled: true, allow: Vec::new(), deny: vec!["bot".to_owned()] };
    let (origin, _) = with_changeable_status().await;
    let world = world(&origin, Settings { user_agent_filter: Some(filter), ..guarded(&breaker()) }).await;
    let mut bot = visitor::https(&world, HOST).await;
    for _ in 0..10 {
        let response = bot.request("GET / HTTP/1.1\r\nHost: shop.localhost\r\nUser-Agent: bot\r\n\r\n").await;
        assert_eq!((response.status, response.code()), (403, "ERR_POSTERN_3211"));
    }
    assert_eq!(status(&world).await, 200);
    world.backends([("bkdsc_1", address(ports::unused_address()))]).await;
    let mut codes = Vec::new();
    for _ in 0..4 {
        codes.push(visitor::get(&world, HOST, "/").await.code().to_owned());
    }
    assert_eq!(codes, ["ERR_POSTERN_8012", "ERR_POSTERN_8012", "ERR_POSTERN_8012", OPEN]);
}

#[tokio::test]
async fn an_open_circuit_stays_open_through_changes_of_other_settings() {
    let (world, _origin, origin_status) = open_circuit(&lasting()).await;
    let mut visitor = visitor::https(&world, HOST).await;
    assert_eq!(visitor.request(REQUEST).await.code(), OPEN);
    origin_status.store(200, Ordering::SeqCst);
    let every_agent = UserAgentFilter { enabled: true, allow: Vec::new(), deny: Vec::new() };
    let other = Settings { user_agent_filter: Some(every_agent), ..guarded(&lasting()) };
    world.https_edge(https(&[HOST, "other.localhost"], &[below("/", other)])).await;
    assert_eq!(visitor.request(REQUEST).await.code(), OPEN, "another stage and another name change nothing");
}

#[tokio::test]
async fn a_change_of_its_own_settings_closes_an_open_circuit() {
    let (world, _origin, origin_status) = open_circuit(&lasting()).await;
    let mut visitor = visitor::https(&world, HOST).await;
    assert_eq!(visitor.request(REQUEST).await.code(), OPEN);
    origin_status.store(200, Ordering::SeqCst);
    let changed = CircuitBreaker { volume_threshold: 5, ..lasting() };
    world.https_edge(https(&[HOST], &[below("/", guarded(&changed))])).await;
    assert_eq!(visitor.request(REQUEST).await.status, 200, "new settings begin anew, on the same connection");
    origin_status.store(500, Ordering::SeqCst);
    for _ in 0..8 {
        visitor.request(REQUEST).await;
    }
    assert_eq!(visitor.request(REQUEST).await.code(), OPEN, "and trip anew");
}

#[tokio::test]
async fn removing_the_module_closes_an_open_circuit() {
    let (world, _origin, _) = open_circuit(&lasting()).await;
    let mut visitor = visitor::https(&world, HOST).await;
    assert_eq!(visitor.request(REQUEST).await.code(), OPEN);
    world.https_edge(https(&[HOST], &[below("/", to("bkdsc_1"))])).await;
    for _ in 0..8 {
        assert_eq!(visitor.request(REQUEST).await.status, 500, "without the module nothing is counted");
    }
}

/// An origin that fails, or delays its responses until told to.
async fn waiting(go_on: &watch::Sender<bool>) -> (ScriptedOrigin, Arc<AtomicU16>) {
    let (go_on, status) = (go_on.subscribe(), Arc::new(AtomicU16::new(500)));
    let origin_status = status.clone();
    let origin = ScriptedOrigin::serving(move |mut connection| {
        let (mut go_on, origin_status) = (go_on.clone(), origin_status.clone());
        async move {
            while connection.request().await.is_some() {
                let status = origin_status.load(Ordering::SeqCst);
                if status == 200 && go_on.wait_for(|go_on| *go_on).await.is_err() {
                    return;
                }
                let response = format!("HTTP/1.1 {status} Whatever\r\nContent-Length: 0\r\n\r\n");
                if connection.send(response.as_bytes()).await.is_err() {
                    return;
                }
            }
        }
    })
    .await;
    (origin, status)
}

/// Sends requests until one is admitted, and leaves it waiting for the origin.
async fn on_trial(world: &World, origin: &ScriptedOrigin) -> Http1Client<TlsStream<TcpStream>> {
    let before = origin.requests().len();
    eventually("a trial begins", async || {
        let mut visitor = visitor::https(world, HOST).await;
        visitor.send(b"GET / HTTP/1.1\r\nHost: shop.localhost\r\n\r\n").await;
        tokio::select! {
            response = visitor.response() => assert_eq!(response.code(), OPEN),
            () = until("the origin receives it", || origin.requests().len() > before) => return Some(visitor),
        }
        None
    })
    .await
}

#[tokio::test]
async fn there_is_one_trial_at_a_time_and_a_canceled_one_is_released() {
    let go_on = watch::Sender::new(false);
    let (origin, origin_status) = waiting(&go_on).await;
    let world = world(&origin, guarded(&breaker())).await;
    for _ in 0..4 {
        assert_eq!(status(&world).await, 500);
    }
    assert_eq!(visitor::get(&world, HOST, "/").await.code(), OPEN);
    origin_status.store(200, Ordering::SeqCst);
    let leaving = on_trial(&world, &origin).await;
    let received = origin.request_texts().len();
    for _ in 0..5 {
        assert_eq!(visitor::get(&world, HOST, "/").await.code(), OPEN, "one at a time");
    }
    assert_eq!(origin.request_texts().len(), received);
    drop(leaving);
    let mut next = on_trial(&world, &origin).await;
    assert_eq!(visitor::get(&world, HOST, "/").await.code(), OPEN);
    go_on.send_replace(true);
    assert_eq!(next.response().await.status, 200);
    assert_eq!(status(&world).await, 200, "closed");
}

#[tokio::test]
async fn a_trial_with_an_unfinished_request_times_out() {
    let (origin, origin_status) = with_changeable_status().await;
    let world = World::with(|settings| {
        settings.limits.answer = Duration::from_secs(2);
        settings.limits.body_grace = Duration::from_secs(1);
        settings.limits.body_rate = 0;
    })
    .await;
    world.backends([("bkdsc_1", address(origin.address))]).await;
    world.https_edge(https(&[HOST], &[below("/", guarded(&breaker()))])).await;
    origin_status.store(500, Ordering::SeqCst);
    for _ in 0..4 {
        assert_eq!(status(&world).await, 500);
    }
    origin_status.store(200, Ordering::SeqCst);
    let _unfinished = eventually("a trial begins", async || {
        let mut visitor = visitor::https(&world, HOST).await;
        visitor.send(b"POST / HTTP/1.1\r\nHost: shop.localhost\r\nContent-Length: 10\r\n\r\nx").await;
        match tokio::time::timeout(Duration::from_millis(500), visitor.response()).await {
            Ok(response) => assert_eq!(response.code(), OPEN),
            Err(_) => return Some(visitor),
        }
        None
    })
    .await;
    assert_eq!(visitor::get(&world, HOST, "/").await.code(), OPEN, "one at a time");
    assert_eq!(admitted(&world).await.status, 200, "the next one is tried");
    assert_eq!(status(&world).await, 200, "closed");
}
