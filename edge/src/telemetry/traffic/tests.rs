//! Counters sampled second by second.

use super::*;
use crate::refusal::Fault;

#[test]
fn what_came_between_two_looks_is_a_point() {
    let traffic = Traffic::default();
    let shop = traffic.of(TrafficKind::HttpsEdge, "edghts_shop");
    let quiet = traffic.of(TrafficKind::Tunnel, "tn_quiet");
    for second in 1..=3 {
        (0..second).for_each(|_| shop.request());
        shop.outcome(TrafficOutcome::Failed(Fault::Agent));
        traffic.sample(second);
    }
    traffic.sample(4);
    let view = traffic.one("edghts_shop").expect("it is there");
    let history = view.history.expect("it is asked for alone");
    assert_eq!((view.total.requests, view.total.failed, view.total.faults.agent), (6, 3, 3));
    assert_eq!(view.last_minute, Point { requests: 6, refused: 0, failed: 3 });
    let requests: Vec<u32> = history.seconds.iter().map(|point| point.requests).collect();
    assert_eq!(requests[56..], [1, 2, 3, 0]);
    assert_eq!(traffic.shown().len(), 1, "nothing is said of {}", quiet.id());
    assert!(traffic.one("tn_quiet").is_some() && traffic.one("tn_other").is_none());
}

#[test]
fn numbers_outlive_a_change_of_what_they_are_of_but_not_its_end() {
    let traffic = Traffic::default();
    let before = traffic.of(TrafficKind::HttpsRoute, "edghtsrt_one");
    before.request();
    let after = traffic.of(TrafficKind::HttpsRoute, "edghtsrt_one");
    drop(before);
    traffic.sample(1);
    assert_eq!(traffic.one("edghtsrt_one").map(|shown| shown.total.requests), Some(1));
    drop(after);
    assert!(traffic.one("edghtsrt_one").is_none());
    traffic.sample(2);
    assert!(traffic.state().each.is_empty(), "nothing is kept of what is gone");
}

#[test]
fn histories_take_room_only_where_something_passed_within_the_hour() {
    let traffic = Traffic::default();
    let tallies: Vec<_> =
        (0..10_000).map(|edge| traffic.of(TrafficKind::HttpsEdge, &format!("edghts_{edge}"))).collect();
    tallies[7].request();
    let kept = |traffic: &Traffic| traffic.state().each.values().filter(|one| one.history.rings.is_some()).count();
    traffic.sample(1);
    assert_eq!(kept(&traffic), 1);
    traffic.sample(3600);
    assert_eq!(kept(&traffic), 0);
    assert_eq!(traffic.shown()[0].total.requests, 1, "what was counted stays");
}
