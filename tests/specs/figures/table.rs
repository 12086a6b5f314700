//! The complete list of figures: every number that is shown has a specification that counts it a second time, or is no
//! figure for a reason. A new number fails here until it has its row.

use self::Figure::{Counted, Given};
use super::metrics::Metrics;
use postern_tests::World;
use serde_json::Value;
use std::{
    collections::{BTreeMap, BTreeSet},
    path::{Path, PathBuf},
};

/// How a number is held.
#[derive(Clone, Copy)]
enum Figure {
    /// This specification counts or measures it independently: `file::function` below `tests/specs`.
    Counted(&'static str),
    /// It is not counted or measured, but given, for this reason.
    Given(&'static str),
}

/// Numeric members of a schema, and how they are held.
type Row = (&'static str, &'static str, Figure);

const SETTING: Figure = Given("a setting, shown as it was sent");
const STATUS: Figure = Given("the status code of a response");
const PORT: Figure = Given("a port");

/// The agent's local API.
const LOCAL_API: &[Row] = &[
    ("AgentStatus", "pid", Given("a process id")),
    (
        "CaptureGauge",
        "bytes limit count pinned dropped",
        Counted("figures/capture::kept_and_dropped_requests_are_all_requests"),
    ),
    (
        "CaptureTiming",
        "edge modules queue connect sent first_byte last_byte",
        Counted("figures/durations::the_stages_of_a_request_lie_between_what_both_sides_saw"),
    ),
    ("CaptureTiming", "transit", Counted("figures/link::the_round_trip_is_that_of_the_link")),
    (
        "CapturedRequest",
        "duration",
        Counted("figures/durations::durations_of_requests_are_those_of_the_service_and_the_visitor"),
    ),
    ("CapturedRequest", "frames", Counted("figures/bytes::frames_and_bytes_of_a_websocket")),
    (
        "CapturedRequestMessage",
        "body_size",
        Counted("figures/bytes::sizes_of_captured_messages_are_what_the_service_received_and_sent"),
    ),
    (
        "CapturedResponseMessage",
        "body_size",
        Counted("figures/bytes::sizes_of_captured_messages_are_what_the_service_received_and_sent"),
    ),
    ("CapturedResponseMessage", "status_code", STATUS),
    ("ConfigurationProblem", "line column", Given("a position in a text")),
    (
        "ConfigurationText",
        "kept_secrets",
        Counted("guided_start::the_configuration_is_edited_as_text_without_a_secret_on_the_way"),
    ),
    ("ConnectionMetrics", "count gauge", Counted("figures::visitors_at_once_are_open_until_they_leave")),
    ("ConnectionMetrics", "rate1 rate5 rate15", Counted("figures/rates::rates_are_those_of_the_visits")),
    (
        "ConnectionMetrics",
        "p50 p90 p95 p99",
        Counted("figures/durations::durations_of_connections_are_those_of_the_visitor"),
    ),
    ("Decision", "microseconds", Counted("figures/durations::the_stages_of_a_request_lie_between_what_both_sides_saw")),
    ("DiagnosisCheck", "milliseconds", Counted("figures/link::the_round_trip_is_that_of_the_link")),
    ("FrameList", "next", Given("the place of the next page")),
    ("FrameList", "dropped count", Counted("figures/capture::kept_and_dropped_frames_are_all_frames")),
    ("FrameView", "number offset length", Counted("figures/bytes::frames_and_bytes_of_a_websocket")),
    ("HarImport", "imported", Counted("figures/capture::kept_and_dropped_requests_are_all_requests")),
    ("ListeningPort", "port", PORT),
    ("ListeningPort", "pid", Given("a process id")),
    ("LocalApiError", "error_code", Given("the number of an error")),
    ("LocalApiError", "status_code", STATUS),
    ("RequestMetrics", "count", Counted("figures::visitors_one_after_another_are_counted_once_each")),
    ("RequestMetrics", "rate1 rate5 rate15", Counted("figures/rates::rates_are_those_of_the_visits")),
    (
        "RequestMetrics",
        "p50 p90 p95 p99",
        Counted("figures/durations::durations_of_requests_are_those_of_the_service_and_the_visitor"),
    ),
    (
        "RequestSummary",
        "duration",
        Counted("figures/durations::durations_of_requests_are_those_of_the_service_and_the_visitor"),
    ),
    (
        "RequestSummary",
        "request_size response_size",
        Counted("figures/bytes::sizes_of_captured_messages_are_what_the_service_received_and_sent"),
    ),
    ("RequestSummary", "frames", Counted("figures/bytes::frames_and_bytes_of_a_websocket")),
    ("RequestSummary", "status_code", STATUS),
    ("SampleResponse", "status_code", STATUS),
    ("SessionLeg", "round_trip", Counted("figures/link::the_round_trip_is_that_of_the_link")),
    ("SessionView", "attempt", Counted("figures/link::attempts_are_the_connections_that_arrive")),
    (
        "Trace",
        "microseconds queue_microseconds",
        Counted("figures/durations::the_stages_of_a_request_lie_between_what_both_sides_saw"),
    ),
    ("TunnelDefinition", "addr", SETTING),
];

/// What the management API shows.
const MANAGEMENT_API: &[Row] = &[
    (
        "Agent",
        "tunnels",
        Counted("agents::an_agent_is_known_by_its_host_while_it_is_away_and_after_a_restart_of_the_server"),
    ),
    ("AlertRule", "threshold window_minutes minimum_requests", SETTING),
    ("AlertRule", "value", Counted("alerts::requests_that_reach_a_threshold_are_one_event_also_over_a_restart")),
    (
        "CircuitBreakerModule",
        "tripped_duration rolling_window num_buckets volume_threshold error_threshold_percentage",
        SETTING,
    ),
    (
        "Configured",
        "https_edges tls_edges tcp_edges backends tls_certificates credentials",
        Counted("figures/server::the_status_counts_what_is_configured_and_stored"),
    ),
    ("ConsoleSession", "inactivity_timeout", SETTING),
    ("Decision", "microseconds", Counted("figures/durations::the_stages_of_a_request_lie_between_what_both_sides_saw")),
    ("Endpoint", "port", PORT),
    ("Error", "status_code", STATUS),
    (
        "EventDelivery",
        "attempts",
        Counted("event_destinations::events_arrive_signed_and_in_order_and_the_secret_is_shown_once"),
    ),
    ("EventDelivery", "status_code", STATUS),
    ("EventDestination", "pending", Counted("event_destinations::a_destination_gets_what_its_filters_name")),
    ("EventDestination", "skipped", Counted("event_destinations::events_that_the_log_has_dropped_are_counted")),
    ("HttpResponseBackend", "status_code", SETTING),
    ("MaintenanceModule", "status_code", SETTING),
    ("OAuthModule", "inactivity_timeout maximum_duration auth_check_interval", SETTING),
    ("OidcModule", "inactivity_timeout maximum_duration", SETTING),
    ("RateLimitModule", "requests interval burst", SETTING),
    ("RedirectRule", "status_code", SETTING),
    ("RedirectRuleInput", "status_code", SETTING),
    ("RecentRequest", "status", STATUS),
    (
        "RecentRequest",
        "duration_microseconds bytes_in bytes_out",
        Counted("last_requests::requests_that_pass_fail_and_are_refused_are_listed_with_their_decisions"),
    ),
    ("RefusedVisit", "status", STATUS),
    ("RefusedVisit", "duration_microseconds", Counted("figures/server::refusals_are_counted_by_code_and_module")),
    ("SamlModule", "inactivity_timeout maximum_duration", SETTING),
    ("ServerFacts", "https_port first_tcp_port last_tcp_port", PORT),
    ("ServerStatus", "https_port", PORT),
    (
        "ServerStatus",
        "sessions tunnels",
        Counted("figures::requests_bytes_refusals_and_failures_are_the_same_numbers_everywhere"),
    ),
    (
        "Node",
        "revision",
        Counted("nodes::nodes_are_listed_while_they_live_and_register_again_when_the_store_forgot_them"),
    ),
    ("StoreStatus", "revision bytes", Counted("figures/server::the_status_counts_what_is_configured_and_stored")),
    (
        "TrafficCounts",
        "requests refused failed bytes_in bytes_out",
        Counted("figures::requests_bytes_refusals_and_failures_are_the_same_numbers_everywhere"),
    ),
    ("TrafficCounts", "redirected", Counted("figures/history::recorded_traffic_is_what_visitors_sent_and_got")),
    (
        "TrafficFaults",
        "visitor configuration agent service",
        Counted("figures/faults::each_fault_is_counted_for_its_party"),
    ),
    ("TrafficFaults", "server", Counted("figures/faults::the_limits_of_the_server_are_its_own_fault")),
    (
        "TrafficInterval",
        "requests succeeded redirected refused failed bytes_in bytes_out",
        Counted("figures/history::recorded_traffic_is_what_visitors_sent_and_got"),
    ),
    (
        "TrafficLatency",
        "p50 p95 p99",
        Counted("figures/history::recorded_latencies_lie_between_those_of_the_service_and_the_visitor"),
    ),
    ("TrafficPoint", "requests refused failed", Counted("figures/faults::each_fault_is_counted_for_its_party")),
    ("WeightedBackend", "backends", SETTING),
];

/// The metrics of the server.
const METRICS: &[(&str, Figure)] = &[
    ("postern_access_log_dropped_total", Counted("figures/server::lines_that_the_access_log_cannot_take_are_counted")),
    ("postern_audit_log_dropped_total", Counted("figures/server::events_that_the_audit_log_cannot_take_are_counted")),
    ("postern_build_info", Given("the version, as a label")),
    ("postern_edge_abandoned_total", Counted("figures/server::visitors_who_leave_before_the_response_are_counted")),
    ("postern_edge_circuits_opened_total", Counted("figures/server::floods_and_circuits_are_counted")),
    ("postern_edge_connections", Counted("figures/server::connections_are_open_at_their_listener_until_they_end")),
    (
        "postern_edge_connections_total",
        Counted("figures/server::connections_are_open_at_their_listener_until_they_end"),
    ),
    ("postern_edge_connections_turned_away_total", Counted("figures/server::connections_over_a_limit_are_counted")),
    ("postern_edge_failed_handshakes_total", Counted("figures/server::failed_handshakes_are_counted_by_reason")),
    ("postern_edge_received_bytes_total", Counted("figures/bytes::bytes_of_edges_are_those_that_visitors_got")),
    ("postern_edge_refusals_total", Counted("figures/server::refusals_are_counted_by_code_and_module")),
    (
        "postern_edge_request_seconds",
        Counted("figures/durations::durations_of_requests_are_those_of_the_service_and_the_visitor"),
    ),
    (
        "postern_edge_requests_total",
        Counted("figures::requests_bytes_refusals_and_failures_are_the_same_numbers_everywhere"),
    ),
    ("postern_edge_reset_floods_total", Counted("figures/server::floods_and_circuits_are_counted")),
    ("postern_edge_sent_bytes_total", Counted("figures/bytes::bytes_of_edges_are_those_that_visitors_got")),
    ("postern_edge_streams_total", Counted("figures/server::requests_take_a_new_stream_or_one_again")),
    ("postern_edge_upstream_reuse_total", Counted("figures/server::requests_take_a_new_stream_or_one_again")),
    ("postern_ip_restriction_refusals_total", Counted("figures/server::restrictions_are_counted_by_type")),
    ("postern_ip_restriction_warnings_total", Counted("figures/server::restrictions_are_counted_by_type")),
    ("postern_sessions", Counted("figures/server::connections_are_open_at_their_listener_until_they_end")),
    ("postern_start_time_seconds", Counted("figures/server::the_status_counts_what_is_configured_and_stored")),
    ("postern_tunnels", Counted("figures/server::connections_are_open_at_their_listener_until_they_end")),
];

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// The numeric members of all schemas of a description that are shown. Others are bodies of requests.
fn numbers_of(description: &str) -> BTreeSet<(String, String)> {
    let text = std::fs::read_to_string(folder().join(description)).expect("a description");
    let description: Value = serde_json::from_str(&text).expect("JSON");
    let schemas = description["components"]["schemas"].as_object().expect("schemas");
    let is_sent = |name: &str| ["Create", "Update", "Put"].iter().any(|end| name.ends_with(end));
    let shown = schemas.iter().filter(|(name, _)| !is_sent(name));
    let members = shown.flat_map(|(name, schema)| {
        let members = schema["properties"].as_object().into_iter().flatten();
        members.filter(|(_, member)| has_number(member)).map(move |(member, _)| (name.clone(), member.clone()))
    });
    members.collect()
}

/// Whether a schema, without those it refers to, allows a number.
fn has_number(schema: &Value) -> bool {
    let is_number = |kind: &Value| kind == "integer" || kind == "number";
    is_number(&schema["type"])
        || schema["type"].as_array().is_some_and(|kinds| kinds.iter().any(is_number))
        || ["anyOf", "oneOf", "allOf"]
            .iter()
            .any(|key| schema[key].as_array().is_some_and(|all| all.iter().any(has_number)))
        || ["items", "additionalProperties"].iter().any(|key| schema.get(key).is_some_and(has_number))
}

#[track_caller]
fn assert_complete(rows: &[Row], description: &str) {
    let mut listed = BTreeSet::new();
    for (schema, members, figure) in rows {
        for member in members.split(' ') {
            assert!(listed.insert((schema.to_string(), member.to_owned())), "{schema}.{member} is listed twice");
            assert_held(member, *figure);
        }
    }
    let numbers = numbers_of(description);
    let missing: Vec<_> = numbers.difference(&listed).collect();
    let unknown: Vec<_> = listed.difference(&numbers).collect();
    assert!(missing.is_empty(), "{description} shows numbers that no specification counts: {missing:?}");
    assert!(unknown.is_empty(), "{description} has no such numbers: {unknown:?}");
}

/// Checks that the specification exists and that its file speaks of the figure.
#[track_caller]
fn assert_held(name: &str, figure: Figure) {
    match figure {
        Given(reason) => assert!(!reason.is_empty(), "{name}"),
        Counted(specification) => {
            let (file, function) = specification.split_once("::").expect("file::function");
            let path = folder().join(format!("tests/specs/{file}.rs"));
            let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
            assert!(text.contains(&format!("async fn {function}()")), "{specification} does not exist");
            let helpers = std::fs::read_to_string(folder().join("tests/specs/figures/timed.rs")).expect("a file");
            let mut words = text.split(is_no_letter).chain(helpers.split(is_no_letter));
            assert!(words.any(|word| word == name), "{file}.rs does not speak of {name}");
        }
    }
}

fn is_no_letter(letter: char) -> bool {
    !letter.is_ascii_alphanumeric() && letter != '_'
}

#[test]
fn every_number_of_the_local_api_is_held() {
    assert_complete(LOCAL_API, "api/agent-openapi.json");
}

#[test]
fn every_number_of_the_management_api_is_held() {
    assert_complete(MANAGEMENT_API, "api/openapi.json");
}

/// The names of metrics that the sources of a crate record, and where.
fn recorded(folder: &Path, found: &mut BTreeMap<String, PathBuf>) {
    for entry in folder.read_dir().expect("a folder of sources") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            recorded(&path, found);
            continue;
        }
        let text = std::fs::read_to_string(&path).expect("a source file");
        for kind in ["counter!(\"", "gauge!(\"", "histogram!(\""] {
            let names = text.split(kind).skip(1).filter_map(|rest| rest.split('"').next());
            found.extend(names.map(|name| (name.to_owned(), path.clone())));
        }
    }
}

#[tokio::test]
async fn every_metric_is_held_described_and_shown_from_the_start() {
    let world = World::start().await;
    // Which codes and modules refuse is not known before.
    let unpublished = format!("https://unpublished.localhost:{}/", world.server.addresses.https.port());
    assert_eq!(world.visitor().get(&unpublished).await.status, 404);
    let metrics = Metrics::read(&world).await;
    let mut sources = BTreeMap::new();
    for part in ["edge/src", "server/src", "control/src", "logins/src", "tunnel/src"] {
        recorded(&folder().join(part), &mut sources);
    }
    let document = std::fs::read_to_string(folder().join("docs/watching.md")).expect("a document");
    let mut listed = BTreeSet::new();
    for (name, figure) in METRICS {
        assert_held(name, *figure);
        assert!(metrics.described.contains(*name), "{name} has no description");
        assert!(document.contains(&format!("`{name}`")), "docs/watching.md does not have {name}");
        listed.insert((*name).to_owned());
    }
    assert_eq!(metrics.families, listed, "the metrics that are shown from the start, and those that are listed");
    for (name, path) in sources {
        assert!(listed.contains(&name), "{name} of {} is not listed", path.display());
    }
}
