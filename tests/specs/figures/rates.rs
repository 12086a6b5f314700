//! Rates of connections and requests. They are averages like the load of Linux: after each five seconds, those of the
//! tunnel's life, the rate within them is taken in; the first rate is taken as it is.

use super::{Origin, visitor_over};
use postern_tests::{World, eventually};
use std::time::Duration;
use tokio::time::Instant;

const INTERVAL: Duration = Duration::from_secs(5);

#[tokio::test]
async fn rates_are_those_of_the_visits() {
    let world = World::start().await;
    let origin = Origin::start("hello").await;
    let agent = world.agent_with_one_session().await;
    let began = Instant::now();
    let tunnel = agent.https("site", &origin).await;
    for http2 in [false, true, true] {
        let visitor = visitor_over(&world, http2);
        for _ in 0..4 {
            assert_eq!(visitor.get(&tunnel.url("/")).await.text(), "hello");
        }
    }
    super::connections(&agent, "site", 3, 0).await;
    let visited = began.elapsed();
    let metrics = eventually("the first interval is over", async || {
        let metrics = agent.get("/api/tunnels/site").await.ok()["metrics"].clone();
        let is_over = |part: &str| metrics[part]["rate1"].as_f64() > Some(0.0);
        (is_over("conns") && is_over("http")).then_some(metrics)
    })
    .await;
    let read = began.elapsed();
    for (part, count) in [("conns", 3.0), ("http", 12.0)] {
        let all_at_once = count / INTERVAL.as_secs_f64();
        for name in ["rate1", "rate5", "rate15"] {
            let rate = metrics[part][name].as_f64().expect("a rate");
            assert!(rate > 0.0 && rate <= all_at_once, "{part}.{name} of {metrics}");
            // Unless the machine is so slow that the visits fell into two intervals, or one more has passed.
            if visited < INTERVAL && read < 2 * INTERVAL {
                assert_eq!(rate, all_at_once, "{part}.{name} of {metrics}");
            }
        }
    }
}
