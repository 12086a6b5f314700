//! A snapshot of everything the console shows.

use super::log_tail::LogTail;
use crate::{context::AgentContext, session::SessionState};
use jiff::{Timestamp, tz::TimeZone};
use postern_api::local::{
    ConfiguredTunnel, ConnectionMetrics, RequestMetrics, RequestSummary, RunningTunnel, TunnelMetrics,
};
use serde_json::Value as Json;

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
    /// Requests, or connections where there are none: total, rates and durations; and open connections.
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
        let now = postern_api::clock::now();
        let published = context.tunnels.list();
        let tunnels = context.tunnels.configured();
        let tunnels = tunnels.into_iter().map(|tunnel| TunnelRow::new(tunnel, &published)).collect();
        let exchanges = context.store.page(u64::MAX, rows);
        let requests = exchanges.iter().map(|exchange| RequestRow::from(&exchange.summary())).collect();
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
    fn new(tunnel: ConfiguredTunnel, published: &[RunningTunnel]) -> Self {
        let live = published.iter().find(|live| live.name == tunnel.name);
        let local = match live {
            Some(live) => live.config.addr.clone(),
            None => tunnel.definition.get("addr").and_then(Json::as_str).unwrap_or_default().to_owned(),
        };
        TunnelRow {
            public: tunnel.public_url.filter(|url| !url.is_empty()).unwrap_or_else(|| tunnel.state.to_string()),
            local,
            failure: tunnel.error.or(tunnel.service).map(|reason| reason.message),
            counts: live.map(|live| counts(&live.proto, &live.metrics)),
            name: tunnel.name,
        }
    }
}

/// The counts of what a tunnel carries: an HTTP tunnel carries requests, of which many share a connection.
fn counts(proto: &str, metrics: &TunnelMetrics) -> [String; 6] {
    let ConnectionMetrics { count, gauge, rate1, rate5, p50, p90, .. } = metrics.conns;
    let RequestMetrics { count: requests, rate1: http1, rate5: http5, p50: http50, p90: http90, .. } = metrics.http;
    let (count, rates, durations) = match proto.starts_with("http") || requests > 0 {
        true => (requests, [http1, http5], [http50, http90]),
        false => (count, [rate1, rate5], [p50, p90]),
    };
    let ([rate1, rate5], [p50, p90]) = (rates.map(|rate| format!("{rate:.2}")), durations.map(shown_duration));
    [count.to_string(), gauge.to_string(), rate1, rate5, p50, p90]
}

/// A duration with its unit, in at most seven characters.
fn shown_duration(nanoseconds: u64) -> String {
    let milliseconds = nanoseconds as f64 / 1e6;
    match milliseconds {
        0.0 => "–".to_owned(),
        ..9.95 => format!("{milliseconds:.1} ms"),
        ..999.5 => format!("{milliseconds:.0} ms"),
        ..99_950.0 => format!("{:.1} s", milliseconds / 1e3),
        _ => format!("{:.0} s", milliseconds / 1e3),
    }
}

impl From<&RequestSummary<'_>> for RequestRow {
    fn from(summary: &RequestSummary<'_>) -> Self {
        let start: Option<Timestamp> = summary.start.parse().ok();
        let time = start.map(|start| start.to_zoned(TimeZone::system()).strftime("%H:%M:%S").to_string());
        let code = summary.status_code.unwrap_or(0);
        let reason = http::StatusCode::from_u16(code).ok().and_then(|code| code.canonical_reason()).unwrap_or_default();
        let outcome = match &summary.error {
            Some(error) => error.clone(),
            None if code == 0 => "…".to_owned(),
            None => format!("{code} {reason}").trim_end().to_owned(),
        };
        let took = match summary.duration {
            Some(nanoseconds) if code != 0 => format!("{:.1} ms", nanoseconds as f64 / 1e6),
            _ => String::new(),
        };
        RequestRow {
            time: time.unwrap_or_default(),
            method: summary.method.clone().into_owned(),
            path: summary.path.clone().into_owned(),
            outcome,
            code,
            took,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use postern_api::local::RunningTunnelConfig;
    use serde_json::json;

    #[test]
    fn a_tunnel_is_shown_with_its_address_or_its_state() {
        let configured = |tunnel: Json| serde_json::from_value::<ConfiguredTunnel>(tunnel).expect("a tunnel");
        let conns = ConnectionMetrics { count: 12, gauge: 1, p50: 9_800_000_000, ..ConnectionMetrics::default() };
        let http = RequestMetrics {
            count: 187,
            rate1: 0.456,
            rate5: 0.1,
            p50: 1_500_000,
            p90: 2_000_000_000,
            ..RequestMetrics::default()
        };
        let live = RunningTunnel {
            name: "a".to_owned(),
            uri: String::new(),
            public_url: String::new(),
            proto: "https".to_owned(),
            config: RunningTunnelConfig { addr: "http://localhost:8080".to_owned(), inspect: true },
            metrics: TunnelMetrics { conns, http },
            labels: None,
        };
        let up = configured(json!({"name": "a", "public_url": "https://a.localhost", "state": "running"}));
        let tunnel = TunnelRow::new(up, &[live]);
        assert_eq!((tunnel.public.as_str(), tunnel.local.as_str()), ("https://a.localhost", "http://localhost:8080"));
        assert_eq!(tunnel.counts.expect("live"), ["187", "1", "0.46", "0.10", "1.5 ms", "2.0 s"]);
        let failed =
            configured(json!({"name": "b", "public_url": null, "state": "failed", "definition": {"addr": "22"},
            "error": {"message": "The name is taken."}}));
        let tunnel = TunnelRow::new(failed, &[]);
        assert_eq!((tunnel.public.as_str(), tunnel.local.as_str()), ("failed", "22"));
        assert_eq!(tunnel.failure.as_deref(), Some("The name is taken."));
    }

    #[test]
    fn a_tcp_tunnel_counts_its_connections() {
        let conns = ConnectionMetrics { count: 3, gauge: 2, p50: 61_000_000_000, ..ConnectionMetrics::default() };
        let metrics = TunnelMetrics { conns, http: RequestMetrics::default() };
        assert_eq!(counts("tcp", &metrics), ["3", "2", "0.00", "0.00", "61.0 s", "–"]);
        let shown = [9_940_000, 9_960_000, 999_000_000, 100_000_000_000].map(shown_duration);
        assert_eq!(shown, ["9.9 ms", "10 ms", "999 ms", "100 s"]);
    }

    #[test]
    fn a_request_shows_its_status_or_its_error() {
        let request = |more: Json| {
            let mut summary = json!({"id": "1", "tunnel_name": "a (https)", "start": "2026-11-21T23:00:00Z",
                "method": "GET", "path": "/a", "host": "a.localhost", "remote_addr": "::1", "cut": false,
                "request_size": 0, "response_size": 0});
            summary.as_object_mut().expect("an object").extend(more.as_object().expect("an object").clone());
            RequestRow::from(&serde_json::from_value(summary).expect("a summary"))
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
