//! What the public side does with each case of h2spec, the conformance suite for servers of HTTP/2: its sections and
//! numbers, judged by RFC 9113, which replaced RFC 7540.

mod case;
mod connection;
mod frame_types;
mod generic;
mod header_compression;
mod messages;
mod streams;
mod window;

use crate::kit::{WAIT_TIMEOUT, World, agent::Agent, strict_origin::StrictOrigin};
use case::{Case, Step};
use connection::{Connection, Outcome};
use futures::StreamExt;
use std::collections::BTreeSet;

const HOST: &str = "a.localhost";
/// Concurrent requests that the edge allows on a connection.
const MAX_STREAMS: u32 = 4;
/// Cases at the same time.
const AT_ONCE: usize = 8;

/// What a case came to: nothing to say, or a sentence.
async fn verdict(world: &World, case: Case) -> Option<String> {
    let outcome = tokio::time::timeout(WAIT_TIMEOUT / 2, outcome(world, &case)).await.unwrap_or(Outcome::Silence);
    let (is_accepted, shown) = (case.accepts.contains(&outcome), format!("{} ({}): {outcome:?}", case.id, case.what));
    match case.deviation {
        Some((deviation, reason)) if is_accepted => {
            Some(format!("{shown} is right, yet listed as a deviation to {deviation:?}: {reason}"))
        }
        Some((deviation, _)) if outcome == deviation => None,
        None if is_accepted => None,
        _ => Some(format!("{shown}, not one of {:?}", case.accepts)),
    }
}

async fn outcome(world: &World, case: &Case) -> Outcome {
    let mut connection = Connection::open(world, HOST, case).await;
    for step in &case.steps {
        match step {
            Step::Send(bytes) => connection.send(bytes).await,
            Step::Await(watched) => {
                if let Some(outcome) = connection.outcome(*watched).await.error() {
                    return outcome;
                }
            }
        }
    }
    connection.settled(case.watched).await
}

fn all_cases() -> Vec<Case> {
    let sections = [
        generic::cases(),
        streams::cases(),
        frame_types::cases(),
        window::cases(),
        messages::cases(),
        header_compression::cases(),
    ];
    sections.into_iter().flatten().collect()
}

#[tokio::test]
async fn the_cases_of_h2spec_end_as_rfc_9113_says() {
    let world = World::with(|settings| settings.limits.streams = MAX_STREAMS).await;
    let origin = StrictOrigin::start().await;
    let agent = Agent::connect(&world, "one").await;
    agent.http(Some("a"), origin.address).await.unwrap();
    let cases = all_cases();
    let ids: BTreeSet<&str> = cases.iter().map(|case| case.id).collect();
    assert_eq!((ids.len(), cases.len()), (147, 147), "every case of h2spec 2.6 once");
    let verdicts = futures::stream::iter(cases).map(|case| verdict(&world, case)).buffer_unordered(AT_ONCE);
    let faults: Vec<String> = verdicts.filter_map(std::future::ready).collect().await;
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    assert_eq!(origin.violations(), [""; 0]);
    let heads = origin.heads();
    assert!(!heads.is_empty());
    for head in heads {
        assert!(head.contains(" /valid HTTP/1.1\r\n"), "only valid requests are forwarded: {head}");
        assert!(!head.to_ascii_lowercase().contains("malformed"), "nothing malformed is forwarded: {head}");
    }
}
