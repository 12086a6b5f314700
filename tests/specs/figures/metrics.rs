//! The metrics of the server, or the sums of all nodes, in the Prometheus text format.

use postern_tests::{Operator, Server, World, eventually};
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// All samples at one time.
pub(super) struct Metrics {
    samples: HashMap<String, f64>,
    /// The names of the metrics, from their `# TYPE` lines.
    pub(super) families: BTreeSet<String>,
    /// The names with a `# HELP` line.
    pub(super) described: BTreeSet<String>,
}

impl Metrics {
    pub(super) async fn read(world: &World) -> Metrics {
        Metrics::of(&world.servers()).await
    }

    /// Those of one node, or the sums of several.
    pub(super) async fn of(servers: &[&Server]) -> Metrics {
        let mut samples: HashMap<String, f64> = HashMap::new();
        let mut text = String::new();
        for server in servers {
            let of_server = Operator::new(server.addresses.api, None).get("/metrics").await.ok().text;
            for line in of_server.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
                let (name, value) = line.rsplit_once(' ').expect("a sample");
                *samples.entry(name.to_owned()).or_default() += value.parse::<f64>().expect("a number");
            }
            text += &of_server;
        }
        let names = |prefix: &str| -> BTreeSet<String> {
            let rest = text.lines().filter_map(|line| line.strip_prefix(prefix));
            rest.filter_map(|rest| rest.split(' ').next()).map(str::to_owned).collect()
        };
        Metrics { samples, families: names("# TYPE "), described: names("# HELP ") }
    }

    /// The value of a sample; 0 if it is not there.
    pub(super) fn float(&self, metric: &str, labels: &str) -> f64 {
        let name = if labels.is_empty() { metric.to_owned() } else { format!("{metric}{{{labels}}}") };
        self.samples.get(&name).copied().unwrap_or_default()
    }

    /// The value of a sample that counts; 0 if it is not there.
    pub(super) fn value(&self, metric: &str, labels: &str) -> i64 {
        self.float(metric, labels) as i64
    }

    /// The labels of each metric; of a histogram, of each of its series.
    pub(super) fn labels(&self) -> BTreeMap<&str, BTreeSet<&str>> {
        let mut found = BTreeMap::<_, BTreeSet<_>>::new();
        for name in self.samples.keys() {
            let (metric, rest) = name.split_once('{').unwrap_or((name, ""));
            let labels = rest.trim_end_matches('}').split(',').filter_map(|label| label.split_once('='));
            found.entry(metric).or_default().extend(labels.map(|(label, _)| label));
        }
        found
    }

    /// The sum of all samples of a metric.
    pub(super) fn sum(&self, metric: &str) -> i64 {
        let of_metric = self.samples.iter().filter(|(name, _)| name.split('{').next() == Some(metric));
        of_metric.map(|(_, value)| *value as i64).sum()
    }
}

/// Waits until samples have these values.
pub(super) async fn samples(world: &World, expected: &[(&str, &str, i64)]) {
    eventually(&format!("the metrics are {expected:?}"), async || {
        let now = Metrics::read(world).await;
        expected.iter().all(|(metric, labels, value)| now.value(metric, labels) == *value).then_some(())
    })
    .await;
}
