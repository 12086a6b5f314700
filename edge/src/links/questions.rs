//! Questions between nodes: what each counts by itself, and commands to the agents of another node.

use super::NodeLinks;
use crate::{
    telemetry::{TrafficSample, TrafficSpan, traffic::TrafficSamples},
    tunnels::TunnelRegistry,
};
use base64::{Engine, prelude::BASE64_STANDARD_NO_PAD};
use futures::future::join_all;
use postern_api::{
    resource::{NodeName, RequestFilter},
    traffic::{Traffic, TrafficQuery},
};
use postern_logins::{LoginQuestion, Logins};
use postern_tunnel::ServerSession;
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use std::{cmp::Reverse, time::Duration};
use tokio::time::timeout;

/// Longest wait for an answer.
const ANSWER_TIMEOUT: Duration = Duration::from_millis(300);
/// Counters in one answer, those with the most requests.
const MAX_COUNTERS: usize = 10_000;
/// Queries of one question at most.
const MAX_QUERIES: usize = 400;

/// What a node asks another. One that does not know the question sends an empty answer.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(tag = "ask", rename_all = "snake_case")]
pub(crate) enum Question {
    /// Traffic of each edge, route and tunnel that has had any.
    Traffic,
    /// Traffic of one edge, route or tunnel, with its history.
    TrafficOf {
        /// Its id.
        id: String,
    },
    /// Traffic of the whole node.
    TrafficInAll,
    /// Recorded traffic of one edge or route, or of the whole node.
    TrafficSamples {
        /// Its id; empty for the whole node.
        id: String,
        /// The intervals.
        span: TrafficSpan,
    },
    /// Recorded traffic of several edges and routes as sums.
    TrafficSums {
        /// What is asked for, at most [`MAX_QUERIES`].
        queries: Vec<TrafficQuery>,
    },
    /// The last requests of one edge, route or tunnel.
    Requests {
        /// Its id; empty for everything.
        id: String,
        /// Which of them.
        filter: RequestFilter,
    },
    /// Asks an agent to open another session. The answer is whether the session exists.
    Restart {
        /// Session id.
        session: String,
    },
    /// Ends the session of an agent. The answer is whether the session existed.
    Stop {
        /// Session id.
        session: String,
    },
    /// A question about login attempts.
    Login {
        /// What is asked.
        login: LoginQuestion,
    },
    /// A question that this build does not know.
    #[serde(other)]
    Unknown,
}

/// Samples as one node sends them to another: the number of each interval, and the stored form in Base64.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct SampleList(Vec<(u64, String)>);

impl SampleList {
    fn new(samples: &TrafficSamples) -> Self {
        let encoded = |sample: &TrafficSample| BASE64_STANDARD_NO_PAD.encode(sample.encode());
        SampleList(samples.iter().map(|(number, sample)| (*number, encoded(sample))).collect())
    }

    /// The samples; those that cannot be read are left out.
    pub(crate) fn into_samples(self) -> impl Iterator<Item = (u64, TrafficSample)> {
        self.0.into_iter().filter_map(|(number, encoded)| {
            let bytes = BASE64_STANDARD_NO_PAD.decode(encoded).ok()?;
            Some((number, TrafficSample::decode(&bytes).ok()?))
        })
    }
}

/// Answers a question as JSON; empty if it is not known.
pub(super) async fn answer(registry: &TunnelRegistry, logins: &Logins, question: &str) -> String {
    let telemetry = &registry.access.telemetry;
    let traffic = &telemetry.traffic;
    match serde_json::from_str(question).unwrap_or(Question::Unknown) {
        Question::Traffic => written(&busiest(traffic.shown())),
        Question::TrafficOf { id } => written(&traffic.one(&id)),
        Question::TrafficInAll => written(&traffic.total()),
        Question::TrafficSamples { id, span } => {
            written(&SampleList::new(&telemetry.recorder.samples(&id, span).await))
        }
        Question::TrafficSums { mut queries } => {
            queries.truncate(MAX_QUERIES);
            written(&telemetry.recorder.sums(queries).await)
        }
        Question::Requests { id, filter } => written(&traffic.requests(&id, &filter)),
        Question::Restart { session } => written(&registry.restart_own(&session)),
        Question::Stop { session } => written(&registry.stop_own(&session).await),
        Question::Login { login } => written(&logins.answer_node(login)),
        Question::Unknown => String::new(),
    }
}

/// Asks one node. `None` if there is no answer in time.
pub(crate) async fn ask_node<T: DeserializeOwned>(link: &ServerSession, question: &Question) -> Option<T> {
    let answer = timeout(ANSWER_TIMEOUT, link.ask(&written(question))).await.ok()??;
    serde_json::from_str(&answer).ok()
}

/// Asks all other nodes at the same time. Returns their answers with their ids, and the nodes without one.
pub(crate) async fn ask_nodes<T: DeserializeOwned>(
    links: &NodeLinks,
    registry: &TunnelRegistry,
    question: &Question,
) -> (Vec<(String, T)>, Vec<NodeName>) {
    let asked =
        registry.node_links().into_iter().map(|(node, link, _)| async move { (node, ask_node(&link, question).await) });
    let (mut answers, mut answered) = (Vec::new(), Vec::new());
    for (node, answer) in join_all(asked).await {
        if let Some(answer) = answer {
            answered.push(node.clone());
            answers.push((node, answer));
        }
    }
    (answers, links.others(&answered))
}

impl NodeLinks {
    /// The nodes whose sessions and tunnels are not known here at the moment.
    pub(crate) fn unknown_nodes(&self, registry: &TunnelRegistry) -> Vec<NodeName> {
        let known = registry.node_links().into_iter().filter(|(.., is_complete)| *is_complete);
        self.others(&known.map(|(node, ..)| node).collect::<Vec<String>>())
    }
}

fn busiest(mut traffic: Vec<Traffic>) -> Vec<Traffic> {
    if traffic.len() > MAX_COUNTERS {
        traffic.sort_unstable_by_key(|one| Reverse((one.last_minute.requests, one.total.requests)));
        traffic.truncate(MAX_COUNTERS);
    }
    traffic
}

fn written(value: &impl Serialize) -> String {
    serde_json::to_string(value).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn questions_of_tomorrow_are_read_as_unknown() {
        let question = Question::TrafficOf { id: "tn_1".to_owned() };
        let read = serde_json::from_str::<Question>(&written(&question)).unwrap();
        assert!(matches!(read, Question::TrafficOf { id } if id == "tn_1"));
        let unknown = r#"{"ask":"of_tomorrow","session":"ts_1"}"#;
        assert!(matches!(serde_json::from_str::<Question>(unknown).unwrap(), Question::Unknown));
    }
}
