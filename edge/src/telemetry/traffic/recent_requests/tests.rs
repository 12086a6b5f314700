//! Rings with their bounds.

use super::*;
use crate::telemetry::traffic::Traffic;
use postern_api::traffic::TrafficKind;

fn begun(path: &str, status: u16) -> BegunRequest<'_> {
    BegunRequest {
        request: RequestDescription {
            visitor: ([192, 0, 2, 7], 1).into(),
            scheme: "https",
            protocol: "HTTP/1.1",
            host: "shop.test",
            method: "GET",
            path,
        },
        responded_at: postern_api::clock::now(),
        latency: Duration::from_millis(2),
        status,
        fault: (status >= 400).then_some(Fault::Service),
        error: None,
    }
}

fn shown(requests: &RecentRequests, id: &str) -> Vec<(String, u16)> {
    let mut found = Vec::new();
    requests.add_to(&mut found, id);
    found.into_iter().map(|request| (request.path, request.status)).collect()
}

#[test]
fn failures_are_kept_apart_and_each_ring_has_its_bound() {
    let (traffic, limits) = (Traffic::default(), RequestLimits::new(3));
    let edge = traffic.of(TrafficKind::HttpsEdge, "edghts_shop");
    let mut trace = Trace::default();
    trace.at_edge(crate::telemetry::metrics::TargetKind::HttpsEdge, &edge);
    let requests = RecentRequests::default();
    requests.begin(&limits, &begun("/broken", 502), &mut trace).expect("kept");
    for number in 0..7 {
        requests.begin(&limits, &begun(&format!("/{number}"), 200), &mut trace).expect("kept");
    }
    let mut kept = shown(&requests, "edghts_shop");
    kept.sort();
    let expected = [("/4", 200), ("/5", 200), ("/6", 200), ("/broken", 502)];
    assert_eq!(kept, expected.map(|(path, status)| (path.to_owned(), status)));
    assert!(shown(&requests, "edghts_other").is_empty());
    assert_eq!(limits.kept.load(Relaxed), 4, "a ring that is full does not grow");
}

#[test]
fn a_request_is_completed_unless_a_newer_one_has_its_place() {
    let (traffic, limits) = (Traffic::default(), RequestLimits::new(1));
    let tunnel = traffic.of(TrafficKind::Tunnel, "tn_1");
    let mut trace = Trace::default();
    trace.at_tunnel(&tunnel);
    let requests = RecentRequests::default();
    let first = requests.begin(&limits, &begun("/first", 200), &mut trace).expect("kept");
    let second = requests.begin(&limits, &begun("/second", 200), &mut trace).expect("kept");
    requests.complete(first, 1, 1, Duration::from_secs(1));
    let one = || {
        let mut found = Vec::new();
        requests.add_to(&mut found, "tn_1");
        found.remove(0)
    };
    let open = one();
    assert_eq!((open.path.as_str(), open.complete, open.bytes_out), ("/second", false, 0));
    requests.complete(second, 5, 7, Duration::from_micros(9));
    let over = one();
    assert_eq!((over.complete, over.bytes_in, over.bytes_out, over.duration_microseconds), (true, 5, 7, 9));
    assert_eq!((over.ip.as_str(), over.host.as_str(), over.method.as_str()), ("192.0.2.7", "shop.test", "GET"));
}

#[test]
fn long_texts_are_cut_and_their_room_is_freed() {
    let (traffic, limits) = (Traffic::default(), RequestLimits::new(1));
    let tunnel = traffic.of(TrafficKind::Tunnel, "tn_1");
    let mut trace = Trace::default();
    trace.at_tunnel(&tunnel);
    let requests = RecentRequests::default();
    let (path, message) = ("/".repeat(9000), "why".repeat(900));
    let long = BegunRequest { error: Some((Code::AddressDenied, message.as_str())), ..begun(&path, 200) };
    requests.begin(&limits, &long, &mut trace).expect("kept");
    let mut found = Vec::new();
    requests.add_to(&mut found, "tn_1");
    assert_eq!((found[0].path.len(), found[0].msg.len()), (MAX_PATH_BYTES, MAX_MESSAGE_BYTES));
    requests.begin(&limits, &begun("/", 200), &mut trace).expect("kept");
    let state = requests.state();
    assert!(state.as_ref().expect("rings").succeeded.places[0].text.capacity() <= MAX_REUSED_BYTES);
}

#[test]
fn all_rings_together_are_bounded_and_the_idle_ones_are_emptied_first() {
    let (each, many) = (MAX_RECENT_REQUESTS, MAX_KEPT / MAX_RECENT_REQUESTS + 2);
    let traffic = Traffic::new(each);
    let edges: Vec<_> = (0..many).map(|edge| traffic.of(TrafficKind::HttpsEdge, &format!("edghts_{edge}"))).collect();
    let full = begun("/", 200);
    for (age, edge) in edges.iter().rev().enumerate() {
        let mut trace = Trace::default();
        trace.at_edge(crate::telemetry::metrics::TargetKind::HttpsEdge, edge);
        let responded_at = full.responded_at - Duration::from_secs(age as u64);
        for _ in 0..each {
            edge.recent.begin(&traffic.request_limits, &BegunRequest { responded_at, ..begun("/", 200) }, &mut trace);
        }
    }
    let kept = || edges.iter().filter_map(|edge| edge.recent.extent()).map(|(kept, _)| kept).sum::<usize>();
    assert_eq!(kept(), MAX_KEPT);
    traffic.sample(1);
    assert!((MAX_KEPT / 2..=MAX_KEPT * 3 / 4).contains(&kept()), "{}", kept());
    assert_eq!(edges.last().and_then(|edge| edge.recent.extent()).map(|(kept, _)| kept), Some(each), "the busiest");
}
