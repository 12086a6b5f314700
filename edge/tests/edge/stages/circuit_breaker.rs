//! The circuit breaker: tripping, refusing, trials and recovery.

use crate::kit::{
    WAIT_TIMEOUT, World,
    edges::{address, below, https, to},
    origin::Origin,
    until, visitor,
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
use tokio::{net::TcpStream, sync::watch, time::Instant};
use tokio_rustls::client::TlsStream;

const HOST: &str = "shop.localhost";

fn breaker() -> CircuitBreaker {
    CircuitBreaker { tripped_duration: 1, rolling_window: 60, volume_threshold: 4, ..CircuitBreaker::default() }
}

fn guarded(breaker: &CircuitBreaker) -> Settings {
    Settings { circuit_breaker: Some(breaker.clone()), ..to("bkdsc_1") }
}

/// An origin whose status can be changed.
async fn moody() -> (Origin, Arc<AtomicU16>) {
    let status = Arc::new(AtomicU16::new(200));
    let says = status.clone();
    let origin = Origin::answering(move |_| {
        format!("HTTP/1.1 {} Whatever\r\nContent-Length: 4\r\n\r\nbody", says.load(Ordering::SeqCst))
    })
    .await;
    (origin, status)
}

async fn world(origin: &Origin, settings: Settings) -> World {
    let world = World::start().await;
    world.backends([("bkdsc_1", address(origin.address))]).await;
    world.https_edge(https(&[HOST], &[below("/", settings)])).await;
    world
}

async fn status(world: &World) -> u16 {
    visitor::get(world, HOST, "/").await.status
}

/// Sends requests until the circuit admits one.
async fn let_through(world: &World) -> visitor::TestResponse {
    let deadline = Instant::now() + WAIT_TIMEOUT;
    loop {
        let answer = visitor::get(world, HOST, "/").await;
        if answer.code() != "ERR_POSTERN_3202" {
            return answer;
        }
        assert!(Instant::now() < deadline, "the circuit stays open");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

#[tokio::test]
async fn it_trips_refuses_without_touching_the_backend_and_recovers() {
    let (origin, says) = moody().await;
    let world = world(&origin, guarded(&breaker())).await;
    for _ in 0..3 {
        assert_eq!(status(&world).await, 200);
    }
    says.store(500, Ordering::SeqCst);
    for _ in 0..3 {
        let answer = visitor::get(&world, HOST, "/").await;
        assert_eq!((answer.status, answer.text().as_str()), (500, "body"), "errors pass as they are");
    }
    let heard = origin.heard().len();
    let answer = visitor::get(&world, HOST, "/").await;
    assert_eq!((answer.status, answer.code()), (503, "ERR_POSTERN_3202"), "three of six");
    assert_eq!(answer.header("retry-after"), Some("1"));
    assert_eq!(origin.heard().len(), heard, "the backend is left alone");

    let answer = let_through(&world).await;
    assert_eq!((answer.status, answer.text().as_str()), (500, "body"), "the trial fails");
    assert_eq!(visitor::get(&world, HOST, "/").await.code(), "ERR_POSTERN_3202", "open again");
    says.store(404, Ordering::SeqCst);
    assert_eq!(let_through(&world).await.status, 404, "a visitor's mistake is no failure of the backend");
    for _ in 0..20 {
        assert_eq!(status(&world).await, 404, "closed");
    }
}

#[tokio::test]
async fn a_backend_that_cannot_be_reached_trips_it_and_refusals_of_other_stages_do_not() {
    let filter = UserAgentFilter { enabled: true, allow: Vec::new(), deny: vec!["bot".to_owned()] };
    let (origin, _) = moody().await;
    let world = world(&origin, Settings { user_agent_filter: Some(filter), ..guarded(&breaker()) }).await;
    let mut bot = visitor::https(&world, HOST).await;
    for _ in 0..10 {
        let answer = bot.ask("GET / HTTP/1.1\r\nHost: shop.localhost\r\nUser-Agent: bot\r\n\r\n").await;
        assert_eq!((answer.status, answer.code()), (403, "ERR_POSTERN_3211"));
    }
    assert_eq!(status(&world).await, 200);
    world.backends([("bkdsc_1", address(Origin::nowhere().await))]).await;
    let mut codes = Vec::new();
    for _ in 0..4 {
        codes.push(visitor::get(&world, HOST, "/").await.code().to_owned());
    }
    assert_eq!(codes, ["ERR_POSTERN_8012", "ERR_POSTERN_8012", "ERR_POSTERN_8012", "ERR_POSTERN_3202"]);
}

#[tokio::test]
async fn it_stays_open_through_other_changes_and_closes_when_its_own_settings_change() {
    let (origin, says) = moody().await;
    let lasting = CircuitBreaker { tripped_duration: 3600, ..breaker() };
    let world = world(&origin, guarded(&lasting)).await;
    let mut open = visitor::https(&world, HOST).await;
    let ask = "GET / HTTP/1.1\r\nHost: shop.localhost\r\n\r\n";
    says.store(500, Ordering::SeqCst);
    for _ in 0..4 {
        assert_eq!(open.ask(ask).await.status, 500);
    }
    assert_eq!(open.ask(ask).await.code(), "ERR_POSTERN_3202");
    says.store(200, Ordering::SeqCst);

    let everybody = UserAgentFilter { enabled: true, allow: Vec::new(), deny: Vec::new() };
    let other = Settings { user_agent_filter: Some(everybody), ..guarded(&lasting) };
    world.https_edge(https(&[HOST, "other.localhost"], &[below("/", other)])).await;
    assert_eq!(open.ask(ask).await.code(), "ERR_POSTERN_3202", "another stage and another name change nothing");

    let changed = CircuitBreaker { volume_threshold: 5, ..lasting.clone() };
    world.https_edge(https(&[HOST], &[below("/", guarded(&changed))])).await;
    assert_eq!(open.ask(ask).await.status, 200, "new settings begin anew, on the same connection");

    says.store(500, Ordering::SeqCst);
    for _ in 0..8 {
        open.ask(ask).await;
    }
    assert_eq!(open.ask(ask).await.code(), "ERR_POSTERN_3202");
    world.https_edge(https(&[HOST], &[below("/", to("bkdsc_1"))])).await;
    for _ in 0..8 {
        assert_eq!(open.ask(ask).await.status, 500, "without the module nothing is counted");
    }
}

/// An origin that fails, or delays its responses until told to.
async fn waiting(go_on: &watch::Sender<bool>) -> (Origin, Arc<AtomicU16>) {
    let (go_on, status) = (go_on.subscribe(), Arc::new(AtomicU16::new(500)));
    let says = status.clone();
    let origin = Origin::serving(move |mut talk| {
        let (mut go_on, says) = (go_on.clone(), says.clone());
        async move {
            while talk.request().await.is_some() {
                let status = says.load(Ordering::SeqCst);
                if status == 200 && go_on.wait_for(|go_on| *go_on).await.is_err() {
                    return;
                }
                let answer = format!("HTTP/1.1 {status} Whatever\r\nContent-Length: 0\r\n\r\n");
                if talk.say(answer.as_bytes()).await.is_err() {
                    return;
                }
            }
        }
    })
    .await;
    (origin, status)
}

/// Sends requests until one is admitted, and leaves it waiting for the origin.
async fn on_trial(world: &World, origin: &Origin) -> visitor::Visitor<TlsStream<TcpStream>> {
    let heard = origin.heard().len();
    let deadline = Instant::now() + WAIT_TIMEOUT;
    loop {
        assert!(Instant::now() < deadline, "no trial begins");
        let mut visitor = visitor::https(world, HOST).await;
        visitor.say(b"GET / HTTP/1.1\r\nHost: shop.localhost\r\n\r\n").await;
        tokio::select! {
            answer = visitor.answer(false) => assert_eq!(answer.code(), "ERR_POSTERN_3202"),
            () = until("the origin hears it", || origin.heard().len() > heard) => return visitor,
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

#[tokio::test]
async fn there_is_one_trial_at_a_time_and_a_canceled_one_is_released() {
    let go_on = watch::Sender::new(false);
    let (origin, says) = waiting(&go_on).await;
    let world = world(&origin, guarded(&breaker())).await;
    for _ in 0..4 {
        assert_eq!(status(&world).await, 500);
    }
    assert_eq!(visitor::get(&world, HOST, "/").await.code(), "ERR_POSTERN_3202");
    says.store(200, Ordering::SeqCst);
    let leaving = on_trial(&world, &origin).await;
    let heard = origin.heard().len();
    for _ in 0..5 {
        assert_eq!(visitor::get(&world, HOST, "/").await.code(), "ERR_POSTERN_3202", "one at a time");
    }
    assert_eq!(origin.heard().len(), heard);
    drop(leaving);
    let mut next = on_trial(&world, &origin).await;
    assert_eq!(visitor::get(&world, HOST, "/").await.code(), "ERR_POSTERN_3202");
    go_on.send_replace(true);
    assert_eq!(next.answer(false).await.status, 200);
    assert_eq!(status(&world).await, 200, "closed");
}

#[tokio::test]
async fn a_trial_with_an_unfinished_request_times_out() {
    let (origin, says) = moody().await;
    let world = World::with(|settings| {
        settings.limits.answer = Duration::from_secs(2);
        settings.limits.body_grace = Duration::from_secs(1);
        settings.limits.body_rate = 0;
    })
    .await;
    world.backends([("bkdsc_1", address(origin.address))]).await;
    world.https_edge(https(&[HOST], &[below("/", guarded(&breaker()))])).await;
    says.store(500, Ordering::SeqCst);
    for _ in 0..4 {
        assert_eq!(status(&world).await, 500);
    }
    says.store(200, Ordering::SeqCst);
    let deadline = Instant::now() + WAIT_TIMEOUT;
    let _dawdler = loop {
        assert!(Instant::now() < deadline, "no trial begins");
        let mut visitor = visitor::https(&world, HOST).await;
        visitor.say(b"POST / HTTP/1.1\r\nHost: shop.localhost\r\nContent-Length: 10\r\n\r\nx").await;
        match tokio::time::timeout(Duration::from_millis(500), visitor.answer(false)).await {
            Ok(answer) => assert_eq!(answer.code(), "ERR_POSTERN_3202"),
            Err(_) => break visitor,
        }
    };
    assert_eq!(visitor::get(&world, HOST, "/").await.code(), "ERR_POSTERN_3202", "one at a time");
    assert_eq!(let_through(&world).await.status, 200, "the next one is tried");
    assert_eq!(status(&world).await, 200, "closed");
}
