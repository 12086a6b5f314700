//! A snapshot of everything the console shows.

use super::log_tail::LogTail;
use crate::{context::AgentContext, session::SessionState};
use jiff::{Timestamp, tz::TimeZone};
use serde_json::{Value as Json, json};

/// Everything the console shows.
#[derive(Clone, Debug)]
pub(super) struct ConsoleSnapshot {
    pub(super) state: SessionState,
    /// The reason why it is not online, and the time of the next attempt.
    pub(super) reason: Option<String>,
    pub(super) next_try: Option<String>,
    pub(super) server: String,
    pub(super) latency: Option<String>,
    pub(super) web: Option<String>,
    pub(super) config_problem: Option<String>,
    pub(super) tunnels: Vec<TunnelRow>,
    pub(super) requests: Vec<RequestRow>,
    /// The last warning of the log.
    pub(super) message: Option<String>,
}

/// A tunnel with its connection counts.
#[derive(Clone, Debug)]
pub(super) struct TunnelRow {
    pub(super) name: String,
    /// The public address, or the tunnel's state.
    pub(super) public: String,
    pub(super) local: String,
    pub(super) failure: Option<String>,
    /// Connections: total, open, rates, and durations in seconds.
    pub(super) counts: Option<[String; 6]>,
}

/// A captured request.
#[derive(Clone, Debug)]
pub(super) struct RequestRow {
    pub(super) time: String,
    pub(super) method: String,
    pub(super) path: String,
    /// The status, or the reason why there is none.
    pub(super) outcome: String,
    pub(super) code: u16,
    pub(super) took: String,
}

impl ConsoleSnapshot {
    /// The current state, with as many requests as could fit into `rows` lines.
    pub(super) fn take(context: &AgentContext, log_tail: &LogTail, rows: usize) -> Self {
        let status = context.session_status.current();
        let now = Timestamp::now();
        let published: Vec<Json> = context.tunnels.list().iter().map(|one| json!(one)).collect();
        let tunnels =
            context.tunnels.configured().iter().map(|one| TunnelRow::from_json(&json!(one), &published)).collect();
        let requests = context
            .store
            .page(u64::MAX, rows)
            .iter()
            .map(|one| RequestRow::from_summary(&json!(one.summary())))
            .collect();
        ConsoleSnapshot {
            state: status.state,
            reason: status.reason.map(|reason| reason.message),
            next_try: status.next_try.map(|moment| in_seconds(now, moment)),
            server: match status.server_version.as_str() {
                version if status.state == SessionState::Online => {
                    format!("{} (version {version}, region {})", status.server_addr, status.region)
                }
                _ => status.server_addr,
            },
            latency: context.latency().map(|latency| format!("{:.1} ms", latency.as_secs_f64() * 1000.0)),
            web: context.web_addr().map(|address| format!("http://{address}")),
            config_problem: context
                .config_problems()
                .map(|problems| problems.to_string().lines().next().unwrap_or_default().to_owned()),
            tunnels,
            requests,
            message: log_tail.last(),
        }
    }
}

/// Rounded up, so that a moment in the future is never 0 s.
fn in_seconds(now: Timestamp, moment: Timestamp) -> String {
    let left = moment.duration_since(now).as_millis().max(0);
    format!("{} s", (left + 999) / 1000)
}

impl TunnelRow {
    fn from_json(one: &Json, published: &[Json]) -> Self {
        let name = text(&one["name"]);
        let live = published.iter().find(|tunnel| tunnel["name"] == one["name"]);
        let public = match one["public_url"].as_str() {
            Some(url) if !url.is_empty() => url.to_owned(),
            _ => text(&one["state"]),
        };
        let local = live.map(|live| text(&live["config"]["addr"]));
        TunnelRow {
            local: local.unwrap_or_else(|| text(&one["definition"]["addr"])),
            failure: one["error"]["message"].as_str().map(str::to_owned),
            counts: live.map(|live| counts(&live["metrics"]["conns"])),
            name,
            public,
        }
    }
}

fn counts(of: &Json) -> [String; 6] {
    let whole = |key: &str| of[key].as_u64().unwrap_or(0).to_string();
    let rate = |key: &str| format!("{:.2}", of[key].as_f64().unwrap_or(0.0));
    let seconds = |key: &str| format!("{:.2}", of[key].as_f64().unwrap_or(0.0) / 1e9);
    [whole("count"), whole("gauge"), rate("rate1"), rate("rate5"), seconds("p50"), seconds("p90")]
}

impl RequestRow {
    fn from_summary(summary: &Json) -> Self {
        let start: Option<Timestamp> = summary["start"].as_str().and_then(|start| start.parse().ok());
        let time = start.map(|start| start.to_zoned(TimeZone::system()).strftime("%H:%M:%S").to_string());
        let code = summary["status_code"].as_u64().and_then(|code| u16::try_from(code).ok()).unwrap_or(0);
        let reason = http::StatusCode::from_u16(code).ok().and_then(|code| code.canonical_reason()).unwrap_or_default();
        let outcome = match summary["error"].as_str() {
            Some(error) => error.to_owned(),
            None if code == 0 => "…".to_owned(),
            None => format!("{code} {reason}").trim_end().to_owned(),
        };
        let took = match summary["duration"].as_f64() {
            Some(nanoseconds) if code != 0 => format!("{:.1} ms", nanoseconds / 1e6),
            _ => String::new(),
        };
        RequestRow {
            time: time.unwrap_or_default(),
            method: text(&summary["method"]),
            path: text(&summary["path"]),
            outcome,
            code,
            took,
        }
    }
}

fn text(value: &Json) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tunnel_is_shown_with_its_address_or_its_state() {
        let live = json!({"name": "a", "config": {"addr": "http://localhost:8080"}, "metrics": {"conns":
            {"count": 12, "gauge": 1, "rate1": 0.456, "rate5": 0.1, "p50": 1_500_000_000_u64, "p90": 2_000_000_000_u64}}});
        let up = json!({"name": "a", "public_url": "https://a.localhost", "state": "running", "error": null});
        let tunnel = TunnelRow::from_json(&up, &[live]);
        assert_eq!((tunnel.public.as_str(), tunnel.local.as_str()), ("https://a.localhost", "http://localhost:8080"));
        assert_eq!(tunnel.counts.expect("live"), ["12", "1", "0.46", "0.10", "1.50", "2.00"]);
        let failed = json!({"name": "b", "public_url": null, "state": "failed", "definition": {"addr": "22"},
            "error": {"message": "The name is taken."}});
        let tunnel = TunnelRow::from_json(&failed, &[]);
        assert_eq!((tunnel.public.as_str(), tunnel.local.as_str()), ("failed", "22"));
        assert_eq!(tunnel.failure.as_deref(), Some("The name is taken."));
    }

    #[test]
    fn a_request_shows_its_status_or_its_error() {
        let request = |more: Json| {
            let mut summary = json!({"start": "2026-11-21T23:00:00Z", "method": "GET", "path": "/a"});
            summary.as_object_mut().expect("an object").extend(more.as_object().expect("an object").clone());
            RequestRow::from_summary(&summary)
        };
        let done = request(json!({"status_code": 404, "duration": 3_893_202}));
        assert_eq!((done.outcome.as_str(), done.took.as_str()), ("404 Not Found", "3.9 ms"));
        assert_eq!(request(json!({"status_code": null})).outcome, "…");
        assert_eq!(request(json!({"error": "It is down."})).outcome, "It is down.");
    }

    #[test]
    fn the_next_attempt_is_counted_down() {
        let now: Timestamp = "2026-11-21T23:00:00Z".parse().expect("a time");
        let at = |milliseconds| in_seconds(now, now + jiff::SignedDuration::from_millis(milliseconds));
        assert_eq!([at(1800), at(1000), at(1), at(-500)], ["2 s", "1 s", "1 s", "0 s"]);
    }
}
