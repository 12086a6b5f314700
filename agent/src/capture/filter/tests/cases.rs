//! What filters say of requests, written down for the inspector page, which judges by itself what its list shows.
//!
//! The file is made here and nowhere else: `POSTERN_WRITE_DESCRIPTION=1 cargo test -p postern-agent filter` writes it.

use super::*;
use proptest::{strategy::ValueTree, test_runner::TestRunner};
use serde_json::{Value as Json, json};
use std::path::Path;

const FILE: &str = "../ui/src/model/filter/cases.json";
/// Beside what chance makes: what people type, and what they mistype.
const TYPED: [&str; 62] = [
    "",
    "  ",
    "a",
    "A",
    "\"a b\"",
    "a*b",
    "*",
    "\"\"",
    "200",
    "status:200",
    "status:2xx",
    "status:5XX",
    "status:05xx",
    "status:+5xx",
    "status:400-499",
    "status:499-400",
    "status>=400",
    "status<300",
    "status>999",
    "(status>=400 or error:*)",
    "error:*",
    "note:*",
    "note=\"\"",
    "method:get",
    "METHOD=post",
    "tunnel:a",
    "tunnel:\"a (https)\"",
    "tunnel:\"a (http)\"",
    "remote:192.0.2",
    "dur>100ms",
    "dur<=1.5s",
    "dur>0.2m",
    "dur<250us",
    "dur>1µs",
    "size>100",
    "size<=0.1kb",
    "request.size>1b",
    "response.size=0",
    "size>18446744073709551615",
    "size>1.2.3",
    "size>1.",
    "size>.5",
    "size>1e3",
    "pending:yes",
    "pending:TRUE",
    "not pending:no",
    "replayed:yes or pinned:yes",
    "cut:yes",
    "imported:no",
    "path:/a not path:/b",
    "path=/",
    "host:A",
    "a or b c",
    "a and b or not c",
    "a and",
    "and a",
    "not",
    "not not a",
    "(a",
    "a)",
    "path:",
    "é",
];
/// Refused, each for another reason.
const MISTYPED: [&str; 17] = [
    "status:wrong",
    "status:99",
    "status~5",
    "stauts:200",
    "GET http://a/b",
    "()",
    "path>5",
    "dur>500",
    "dur:500ms",
    "size>1tb",
    "pinned:maybe",
    "path:a(b",
    "path:\"a",
    "header.:x",
    "request.status:200",
    "a\u{a0}b\u{85}\u{feff}c",
    "😀 path:",
];

fn case(text: &str, exchanges: &[Arc<Exchange>]) -> Json {
    match Filter::parse(text) {
        Err(error) => json!({"filter": text, "position": error.position}),
        Ok(filter) => {
            let passed: Vec<usize> =
                (0..exchanges.len()).filter(|at| filter.matches(&exchanges[*at], &mut 0)).collect();
            json!({"filter": text, "passes": passed})
        }
    }
}

fn written() -> String {
    let mut chance = TestRunner::deterministic();
    let mut some = |count: usize| -> Vec<Model> {
        (0..count).map(|_| model().new_tree(&mut chance).expect("a request").current()).collect()
    };
    let exchanges: Vec<Arc<Exchange>> = some(40).iter().map(Model::captured).collect();
    let mut chance = TestRunner::deterministic();
    let questions = (0..500).map(|_| question().new_tree(&mut chance).expect("a question").current().written());
    let deep = "(".repeat(40) + "a" + &")".repeat(40);
    let bounds = [deep, "not ".repeat(40), "a ".repeat(65), "a".repeat(5000)];
    let typed = TYPED.into_iter().chain(MISTYPED).map(str::to_owned).chain(bounds);
    let cases: Vec<String> = typed.chain(questions).map(|text| case(&text, &exchanges).to_string()).collect();
    let requests: Vec<String> = exchanges.iter().map(|exchange| shown(exchange).to_string()).collect();
    format!("{{\"requests\": [\n{}\n], \"cases\": [\n{}\n]}}\n", requests.join(",\n"), cases.join(",\n"))
}

/// A line of the list, without what differs from run to run.
fn shown(exchange: &Exchange) -> Json {
    let mut summary = json!(exchange.summary());
    summary["id"] = "0".into();
    summary["start"] = "2026-01-02T03:04:05Z".into();
    summary
}

#[test]
fn the_page_has_the_answers_of_this_filter() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(FILE);
    let written = written();
    if std::env::var_os("POSTERN_WRITE_DESCRIPTION").is_some() {
        std::fs::write(&path, &written).expect("the file is writable");
    }
    let known = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(known == written, "{FILE} is stale; write it with POSTERN_WRITE_DESCRIPTION=1");
}
