//! Agents find back by themselves, whatever happened to the way, and soon: each specification prints how long it took.

mod crowd;
mod network;
mod restarts;

use postern_tests::{Agent, Operator};
use serde_json::Value;
use std::time::Duration;

/// Within so long after the way is free the agent is back, in 95 of 100 cases.
const PROMISE: Duration = Duration::from_secs(3);
/// A single case may be one of the other five.
const ONE_CASE: Duration = Duration::from_secs(6);

/// Everything of a kind that the server knows.
async fn all(operator: &Operator, kind: &str) -> Vec<Value> {
    let mut known = Vec::new();
    let mut page = format!("/{kind}?limit=100");
    loop {
        let list = operator.get(&page).await.ok().body;
        known.extend(list[kind].as_array().expect("a list").iter().cloned());
        match list["next_page_uri"].as_str() {
            Some(next) => page = next.to_owned(),
            None => return known,
        }
    }
}

/// How many sessions the server knows.
async fn sessions(operator: &Operator) -> usize {
    all(operator, "tunnel_sessions").await.len()
}

/// The agent, and nobody in its name beside it.
async fn is_there_once(agent: &Agent, operator: &Operator) {
    agent.is_online().await;
    assert_eq!(sessions(operator).await, 1, "sessions on the server");
}

/// The longest of 95 of 100.
fn p95(times: &mut [Duration]) -> Duration {
    times.sort_unstable();
    times[(times.len() * 95).div_ceil(100) - 1]
}

/// Writes a measured time down.
#[allow(clippy::print_stdout, reason = "measured times stand beside the verdict")]
fn record(what: &str, times: &mut [Duration]) {
    let (p95, worst) = (p95(times), times[times.len() - 1]);
    println!("{what}: {:.2} s (p95), {:.2} s (worst of {})", p95.as_secs_f64(), worst.as_secs_f64(), times.len());
}
