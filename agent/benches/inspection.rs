//! What looking at captured requests costs with 100,000 of them held, over the local API. `bench/inspection` runs it.
//! Prints a table; fails if the budget is passed.

#![expect(clippy::disallowed_types, reason = "a benchmark measures real time")]
#![allow(clippy::print_stdout, reason = "a table is what it is for")]

use hdrhistogram::Histogram;
use postern_agent::{
    agent::{Agent, AgentOptions, AutoStart},
    capture::{
        CaptureStore, TunnelTag,
        sniffer::{Conversation, Observer},
    },
    config::{Sources, tree::ConfigNode},
};
use std::{sync::Arc, time::Instant};

/// Requests that are held.
const HELD: usize = 100_000;
/// Enough for them, and honoured.
const BUDGET: usize = 256 << 20;
/// The path of each round's call.
type Paths = Box<dyn Fn(usize) -> String>;

const ROUNDS: usize = 100;

fn main() {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build();
    runtime.expect("a runtime").block_on(measure());
}

async fn measure() {
    let folder = tempfile::tempdir().expect("a folder");
    let config = folder.path().join("postern.yml");
    let text = format!(
        "version: 2\nserver_addr: 127.0.0.1:1\nweb_addr: 127.0.0.1:0\ninspect_db_size: {BUDGET}\nauthtoken: none\n"
    );
    std::fs::write(&config, text).expect("written");
    let sources = Sources { files: vec![config], may_be_missing: false, overlay: ConfigNode::empty() };
    let agent =
        Agent::start(AgentOptions { sources, auto_start: AutoStart::All, extra: Vec::new() }).await.expect("it starts");
    let store = agent.context().store.clone();
    let filling = Instant::now();
    fill(&store, 0..HELD);
    let each = filling.elapsed() / HELD as u32;
    println!("{HELD} requests captured, {each:?} each, {} bytes on the account", store.bytes());
    assert_eq!(store.page(u64::MAX, 2 * HELD).len(), HELD, "all are held");

    let web = format!("http://{}", agent.context().web_addr().expect("it listens"));
    let client = reqwest::Client::new();
    let ids: Vec<String> = store.page(u64::MAX, HELD).iter().map(|one| format!("{:016x}", one.id())).collect();
    let middle = &ids[HELD / 2];
    println!("{:52} {:>9} {:>9} {:>9}", "call", "p50 ms", "p95 ms", "max ms");
    let calls: Vec<(&str, Paths)> = vec![
        ("list, newest 50", Box::new(|_| "/api/requests/http".into())),
        ("short list, newest 50", Box::new(|_| "/api/requests/http/summaries".into())),
        ("short list, 1000 from the middle", {
            let path = format!("/api/requests/http/summaries?limit=1000&before={middle}");
            Box::new(move |_| path.clone())
        }),
        ("filter status:5xx method:POST", filtered("status:5xx method:POST")),
        ("filter path:/item/99 dur<1s", filtered("path:/item/99 dur<1s")),
        ("filter that nothing passes, of the list", filtered("path:/nowhere or size>1gb")),
        ("filter that nothing passes, of headers", filtered("header.x-number=none")),
        ("filter that nothing passes, of bodies", filtered("body~\"no[tw]here\"")),
        ("detail", {
            let ids = ids.clone();
            Box::new(move |round| format!("/api/requests/http/{}", ids[round * 7919 % ids.len()]))
        }),
    ];
    for (name, path) in calls {
        let mut histogram = Histogram::<u64>::new(3).expect("a histogram");
        for round in 0..ROUNDS {
            let begun = Instant::now();
            let answer = client.get(format!("{web}{}", path(round))).send().await.expect("answered");
            assert_eq!(answer.status(), 200, "{name}");
            answer.bytes().await.expect("read");
            histogram.record(u64::try_from(begun.elapsed().as_micros()).unwrap_or(u64::MAX)).expect("recorded");
        }
        let at = |quantile: f64| histogram.value_at_quantile(quantile) as f64 / 1000.0;
        println!("{name:52} {:9.2} {:9.2} {:9.2}", at(0.5), at(0.95), histogram.max() as f64 / 1000.0);
    }
    fill(&store, HELD..4 * HELD);
    println!("after {} more: {} bytes on the account, budget {BUDGET}", 3 * HELD, store.bytes());
    agent.shutdown().await;
}

fn filtered(text: &'static str) -> Paths {
    let escaped: String = url::form_urlencoded::byte_serialize(text.as_bytes()).collect();
    Box::new(move |_| format!("/api/requests/http/summaries?filter={escaped}"))
}

fn fill(store: &Arc<CaptureStore>, numbers: std::ops::Range<usize>) {
    let mut conversation = Conversation::new(Observer {
        store: Some(store.clone()),
        meter: Arc::default(),
        tunnel: Arc::new(TunnelTag { definition: "web".into(), proto: "https" }),
        remote: "192.0.2.1:1".into(),
        replay_of: None,
        through_edge: false,
        http2: false,
        notes: None,
    });
    for number in numbers {
        let method = if number % 3 == 0 { "POST" } else { "GET" };
        let status = if number % 10 == 0 { 503 } else { 200 };
        let body = format!("{{\"number\":{number},\"text\":\"a small body\"}}");
        let request = format!(
            "{method} /item/{number}?page=2 HTTP/1.1\r\nHost: shop.localhost:4443\r\nUser-Agent: bench/1\r\nAccept: */*\r\nX-Number: {number}\r\nContent-Length: {}\r\n\r\n{body}",
            body.len()
        );
        let response = format!(
            "HTTP/1.1 {status} Said\r\nContent-Type: application/json\r\nDate: Sat, 21 Nov 2026 14:00:00 GMT\r\nContent-Length: {}\r\n\r\n{body}",
            body.len()
        );
        conversation.request_bytes(request.as_bytes());
        conversation.response_bytes(response.as_bytes());
        assert!(store.bytes() <= BUDGET, "{} bytes, {BUDGET} are allowed", store.bytes());
    }
}
