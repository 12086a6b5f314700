//! Reconnection of agents. Each specification prints the time it took.

mod many_agents;
mod network;
mod restarts;

use postern_tests::{Agent, Operator};
use serde_json::Value;
use std::time::Duration;

/// The 95th percentile of the time from a reachable server to the session.
const P95_LIMIT: Duration = Duration::from_secs(3);
/// The limit for a single case, which may be above the 95th percentile.
const SINGLE_CASE_LIMIT: Duration = Duration::from_secs(6);

/// All records of a kind.
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

/// The number of sessions at the server.
async fn sessions(operator: &Operator) -> usize {
    all(operator, "tunnel_sessions").await.len()
}

/// Asserts that the agent has exactly one session.
async fn is_there_once(agent: &Agent, operator: &Operator) {
    agent.wait_until_online().await;
    assert_eq!(sessions(operator).await, 1, "sessions on the server");
}

/// The 95th percentile.
fn p95(times: &mut [Duration]) -> Duration {
    times.sort_unstable();
    times[(times.len() * 95).div_ceil(100) - 1]
}

/// Prints measured times.
#[expect(clippy::print_stdout, reason = "measured times stand beside the verdict")]
fn record(what: &str, times: &mut [Duration]) {
    let (p95, worst) = (p95(times), times[times.len() - 1]);
    println!("{what}: {:.2} s (p95), {:.2} s (worst of {})", p95.as_secs_f64(), worst.as_secs_f64(), times.len());
}
