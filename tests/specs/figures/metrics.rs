//! The metrics of the server in the Prometheus text format.

use postern_tests::World;
use std::collections::HashMap;

/// All samples at one time.
pub(super) struct Metrics(HashMap<String, f64>);

impl Metrics {
    pub(super) async fn read(world: &World) -> Metrics {
        let text = world.stranger().get("/metrics").await.ok().text;
        let samples = text.lines().filter(|line| !line.starts_with('#')).filter_map(|line| {
            let (name, value) = line.rsplit_once(' ')?;
            Some((name.to_owned(), value.parse().ok()?))
        });
        Metrics(samples.collect())
    }

    /// The value of a sample; 0 if it is not there.
    pub(super) fn value(&self, metric: &str, labels: &str) -> i64 {
        let name = if labels.is_empty() { metric.to_owned() } else { format!("{metric}{{{labels}}}") };
        self.0.get(&name).copied().unwrap_or_default() as i64
    }
}
