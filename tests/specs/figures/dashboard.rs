//! The Grafana dashboard in `docs/grafana` asks for metrics and labels that a server has.

use super::metrics::Metrics;
use postern_tests::{World, eventually};
use serde_json::Value;
use std::{collections::BTreeSet, path::Path};

/// Labels that Prometheus itself adds, and that of histograms.
const ADDED_LABELS: [&str; 2] = ["instance", "le"];
/// Endings of the series of a histogram.
const HISTOGRAM_ENDINGS: [&str; 3] = ["_bucket", "_count", "_sum"];

fn dashboard() -> Value {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/grafana/postern.json");
    serde_json::from_str(&std::fs::read_to_string(path).expect("a dashboard")).expect("JSON")
}

/// All expressions, with the titles of their panels.
fn expressions(dashboard: &Value) -> Vec<(String, String)> {
    let panels = dashboard["panels"].as_array().expect("panels");
    let drawn = panels.iter().filter(|panel| panel["type"] != "row");
    let expressions = drawn.flat_map(|panel| {
        let title = panel["title"].as_str().expect("a title").to_owned();
        let targets = panel["targets"].as_array().expect("targets");
        assert!(!targets.is_empty(), "{title} shows nothing");
        targets.iter().map(move |target| (title.clone(), target["expr"].as_str().expect("an expression").to_owned()))
    });
    expressions.collect()
}

/// The names of metrics in an expression.
fn names(expression: &str) -> BTreeSet<String> {
    let words = expression.split(|letter: char| !letter.is_ascii_alphanumeric() && letter != '_');
    words.filter(|word| word.starts_with("postern_")).map(str::to_owned).collect()
}

/// The labels by which an expression groups.
fn labels(expression: &str) -> BTreeSet<String> {
    let groups = expression.split("by (").skip(1).filter_map(|rest| rest.split(')').next());
    groups.flat_map(|group| group.split(", ")).map(str::to_owned).collect()
}

#[tokio::test]
async fn every_metric_and_label_of_the_dashboard_is_there() {
    let world = World::start().await;
    let unpublished = format!("https://unpublished.localhost:{}/", world.server.addresses.https.port());
    assert_eq!(world.visitor().get(&unpublished).await.status, 404);
    let metrics = eventually("the refusal is counted", async || {
        let metrics = Metrics::read(&world).await;
        (metrics.sum("postern_edge_refusals_total") > 0).then_some(metrics)
    })
    .await;
    let scraped = metrics.labels();
    let dashboard = dashboard();
    let mut shown = BTreeSet::new();
    for (title, expression) in expressions(&dashboard) {
        let names = names(&expression);
        assert!(!names.is_empty(), "{title} asks for none of our metrics: {expression}");
        for name in &names {
            let labels_there =
                scraped.get(name.as_str()).unwrap_or_else(|| panic!("{title} asks for {name}, which is not there"));
            for label in labels(&expression) {
                let is_there = labels_there.contains(label.as_str()) || ADDED_LABELS.contains(&label.as_str());
                assert!(is_there, "{title} groups {name} by {label}, which it does not have");
            }
            let ending = HISTOGRAM_ENDINGS.into_iter().find_map(|ending| name.strip_suffix(ending));
            shown.insert(ending.unwrap_or(name).to_owned());
        }
    }
    assert_eq!(shown, metrics.families, "the metrics on the dashboard, and all that there are");
}

#[test]
fn panels_have_ids_of_their_own_and_do_not_overlap() {
    let dashboard = dashboard();
    let panels = dashboard["panels"].as_array().expect("panels");
    let ids: BTreeSet<_> = panels.iter().map(|panel| panel["id"].as_u64().expect("an id")).collect();
    assert_eq!(ids.len(), panels.len());
    let mut cells = BTreeSet::new();
    for panel in panels {
        let at = |side: &str| panel["gridPos"][side].as_u64().expect("a number");
        assert!(at("x") + at("w") <= 24, "{panel}");
        for (x, y) in (0..at("w")).flat_map(|x| (0..at("h")).map(move |y| (x, y))) {
            assert!(cells.insert((at("x") + x, at("y") + y)), "{} overlaps", panel["title"]);
        }
    }
}
