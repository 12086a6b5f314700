//! The management API under load, compared with its foundations: a bare handler for reads, bare SQLite for writes.
//!
//! `bench/management` starts the server and then this program: `management <data folder> <folder>`.
//! The second folder is for the databases to compare with, and should be on the server's disk.
#![expect(clippy::disallowed_types, reason = "a benchmark measures real time")]
#![allow(clippy::print_stdout, clippy::expect_used, missing_docs, unreachable_pub)]

mod bare;
mod engine;
mod load;

use bare::Bare;
use bytes::Bytes;
use http::Method;
use load::{Next, Target, load, reading};
use serde_json::{Value, json};
use std::{path::Path, sync::Arc, time::Duration};

/// Duration and number of measurements, each in turn with its baseline.
const TIME: Duration = Duration::from_secs(2);
const ROUNDS: usize = 3;
const FEW: usize = 1_000;
const MANY: usize = 100_000;

fn main() {
    let mut arguments = std::env::args().skip(1).filter(|argument| argument != "--bench");
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().expect("a runtime");
    match (arguments.next().as_deref(), arguments.next()) {
        (Some(bare::ARGUMENT), _) => runtime.block_on(bare::serve()),
        (Some(data), Some(folder)) => runtime.block_on(measure(&running(Path::new(data)), Path::new(&folder))),
        _ => println!("Start it with bench/management, which starts a server for it."),
    }
}

/// The server that uses a data folder.
fn running(data: &Path) -> Target {
    let read = |name: &str| std::fs::read_to_string(data.join(name)).expect("a server runs there");
    let addresses: Value = serde_json::from_str(&read("addresses.json")).expect("JSON");
    Target {
        address: addresses["api"].as_str().and_then(|api| api.parse().ok()).expect("an address"),
        process: addresses["pid"].as_u64().and_then(|pid| pid.try_into().ok()).expect("a process"),
        key: format!("Bearer {}", read("admin.key").trim()),
    }
}

async fn measure(target: &Target, folder: &Path) {
    let cores = std::thread::available_parallelism().map_or(0, usize::from);
    println!("{cores} cores; each figure is the median of {ROUNDS} rounds of {} s, taken in turn", TIME.as_secs());
    let parts = std::env::var("POSTERN_BENCH_PARTS").unwrap_or_else(|_| "reads creations lists".to_owned());
    for part in parts.split_whitespace() {
        match part {
            "reads" => reads(target).await,
            "creations" => creations(target, folder).await,
            "lists" => lists(target).await,
            other => println!("There is no part `{other}`."),
        }
    }
}

async fn made(target: &Target, path: &str, body: Value) -> Value {
    let bytes = target.connect().await.ask(Method::POST, path, body.to_string().into()).await;
    serde_json::from_slice(&bytes).expect("JSON")
}

fn id(record: &Value) -> &str {
    record["id"].as_str().expect("an id")
}

/// Bodies of the created records.
fn creating(path: &'static str) -> Next {
    Arc::new(move |connection, number| {
        let body =
            json!({"description": format!("made by {connection}, number {number}"), "metadata": "{\"team\":\"shop\"}"});
        (Method::POST, path.to_owned(), body.to_string().into())
    })
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

// === single reads ===

async fn reads(target: &Target) {
    println!("\nGET of one resource, answers/s\n");
    println!("| what | connections | bare handler | CPU µs | p50, p99 ms | Postern | CPU µs | p50, p99 ms | share |");
    println!("|---|---|---|---|---|---|---|---|---|");
    let text = json!({"description": "an ordinary record", "metadata": "{\"team\":\"shop\"}"});
    let policy = made(target, "/ip_policies", text.clone()).await;
    let group = made(target, "/backends/tunnel_group", json!({"labels": {"app": "shop"}})).await;
    let edge = json!({"backend": {"backend_id": id(&group)}, "ip_restriction": {"ip_policy_ids": [id(&policy)]}});
    let edge = made(target, "/edges/tcp", edge).await;
    let key = made(target, "/api_keys", text).await;
    let paths = [
        ("an IP policy", format!("/ip_policies/{}", id(&policy))),
        ("an API key", format!("/api_keys/{}", id(&key))),
        ("a TCP edge with two modules", format!("/edges/tcp/{}", id(&edge))),
    ];
    for (what, path) in paths {
        let answer = target.connect().await.ask(Method::GET, &path, Bytes::new()).await;
        let bare = Bare::start(&answer);
        for connections in [1, 16, 64] {
            let (mut rates, mut costs) = ([Vec::new(), Vec::new()], [Vec::new(), Vec::new()]);
            let mut times = [String::new(), String::new()];
            for _ in 0..ROUNDS {
                for (at, server) in [&bare.target, target].into_iter().enumerate() {
                    let load = load(server, connections, TIME, reading(&path)).await;
                    rates[at].push(load.rate);
                    costs[at].push(load.cost);
                    times[at] = format!("{:.2}, {:.2}", load.within(0.5), load.within(0.99));
                }
            }
            let ([bare, ours], [bare_cost, our_cost], [bare_times, our_times]) =
                (rates.map(median), costs.map(median), times);
            println!(
                "| {what}, {} bytes | {connections} | {bare:.0} | {bare_cost:.1} | {bare_times} | {ours:.0} | {our_cost:.1} | {our_times} | {:.2} |",
                answer.len(),
                ours / bare
            );
        }
    }
}

// === durable creations ===

async fn creations(target: &Target, folder: &Path) {
    println!("\nPOST of one resource, on disk before the answer, answers/s\n");
    println!(
        "| what | writers | SQLite, one insert a commit | SQLite, as many inserts a commit | Postern | CPU µs | p50, p99 ms | share of the first |"
    );
    println!("|---|---|---|---|---|---|---|---|");
    for (what, path) in [("IP policies", "/ip_policies"), ("credentials", "/credentials"), ("TCP edges", "/edges/tcp")]
    {
        for writers in [1, 16, 64] {
            let (mut single, mut grouped, mut ours) = (Vec::new(), Vec::new(), Vec::new());
            let (mut costs, mut times) = (Vec::new(), String::new());
            for _ in 0..ROUNDS {
                single.push(engine::inserts(folder, 300, 1, TIME));
                grouped.push(engine::inserts(folder, 300, writers, TIME));
                let load = load(target, writers, TIME, creating(path)).await;
                ours.push(load.rate);
                costs.push(load.cost);
                times = format!("{:.2}, {:.2}", load.within(0.5), load.within(0.99));
            }
            let (single, grouped, ours) = (median(single), median(grouped), median(ours));
            let cost = median(costs);
            println!(
                "| {what} | {writers} | {single:.0} | {grouped:.0} | {ours:.0} | {cost:.0} | {times} | {:.2} |",
                ours / single
            );
        }
    }
}

// === lists ===

/// Kinds that start empty: each is measured with few records and with many.
async fn lists(target: &Target) {
    println!("\nGET of a page of 100, pages/s on 4 connections\n");
    println!("| what | of {FEW} | of {MANY} | cost of the second beside the first |");
    println!("|---|---|---|---|");
    let kind = "/backends/tunnel_group";
    let mut ids = fill(target, kind, FEW).await;
    let few = pages(target, kind, &ids).await;
    ids.extend(fill(target, kind, MANY - FEW).await);
    ids.sort();
    let many = pages(target, kind, &ids).await;
    for ((what, few), (_, many)) in few.into_iter().zip(many) {
        println!("| {what} page | {few:.0} | {many:.0} | {:.2} |", few / many);
    }
}

/// Creates a number of records over many connections.
async fn fill(target: &Target, path: &'static str, count: usize) -> Vec<String> {
    const CONNECTIONS: usize = 64;
    let making: Vec<_> = (0..CONNECTIONS)
        .map(|at| {
            let (target, own) = (target.clone(), count / CONNECTIONS + usize::from(at < count % CONNECTIONS));
            tokio::spawn(async move {
                let mut connection = target.connect().await;
                let mut ids = Vec::with_capacity(own);
                for _ in 0..own {
                    let body = json!({"labels": {"app": "shop"}, "description": "one of many"}).to_string();
                    let bytes = connection.ask(Method::POST, path, body.into()).await;
                    let record: Value = serde_json::from_slice(&bytes).expect("JSON");
                    ids.push(id(&record).to_owned());
                }
                ids
            })
        })
        .collect();
    let mut all = Vec::with_capacity(count);
    for task in making {
        all.extend(task.await.expect("made"));
    }
    all.sort();
    all
}

/// Pages per second: the newest, one in the middle, the oldest.
async fn pages(target: &Target, path: &str, ids: &[String]) -> Vec<(&'static str, f64)> {
    let before = |at: usize| format!("{path}?limit=100&before_id={}", ids[at]);
    let asked = [("first", format!("{path}?limit=100")), ("middle", before(ids.len() / 2)), ("last", before(100))];
    let mut measured = Vec::new();
    for (what, path) in asked {
        let mut rates = Vec::new();
        for _ in 0..ROUNDS {
            rates.push(load(target, 4, TIME, reading(&path)).await.rate);
        }
        measured.push((what, median(rates)));
    }
    measured
}
