mod cases;

use super::*;
use crate::capture::{
    CaptureStore, TunnelTag,
    event::event_channel,
    sniffer::{Conversation, Observer},
};
use proptest::prelude::*;
use std::{sync::Arc, time::Duration};

/// A request as the test knows it, beside the one that was captured.
#[derive(Clone, Debug)]
struct Model {
    method: String,
    path: String,
    host: String,
    tunnel: String,
    header: (String, String),
    body: String,
    chunked: bool,
    answer: Option<SampleResponse>,
    pinned: bool,
    replayed: bool,
    note: Option<String>,
}

#[derive(Clone, Debug)]
struct SampleResponse {
    status: u16,
    kind: String,
    body: String,
    millis: u64,
}

/// A test of the filter, evaluated independently.
#[derive(Clone, Debug)]
enum Question {
    FilterField(&'static str, &'static str, String),
    Number(&'static str, &'static str, u64, &'static str, u64),
    Class(u16),
    FilterFlag(&'static str, bool),
    Free(String),
    And(Vec<Question>),
    Or(Vec<Question>),
    Not(Box<Question>),
}

fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}

impl Question {
    fn written(&self) -> String {
        match self {
            Question::FilterField(name, operator, text) => format!("{name}{operator}{}", quoted(text)),
            Question::Number(name, operator, number, unit, _) => format!("{name}{operator}{number}{unit}"),
            Question::Class(class) => format!("status:{class}xx"),
            Question::FilterFlag(name, value) => format!("{name}:{}", if *value { "yes" } else { "no" }),
            Question::Free(text) => quoted(text),
            Question::And(parts) => {
                format!("({})", parts.iter().map(Question::written).collect::<Vec<_>>().join(" "))
            }
            Question::Or(parts) => {
                format!("({})", parts.iter().map(Question::written).collect::<Vec<_>>().join(" OR "))
            }
            Question::Not(part) => format!("not {}", part.written()),
        }
    }

    fn holds(&self, model: &Model) -> bool {
        let answer = model.answer.as_ref();
        match self {
            Question::And(parts) => parts.iter().all(|part| part.holds(model)),
            Question::Or(parts) => parts.iter().any(|part| part.holds(model)),
            Question::Not(part) => !part.holds(model),
            Question::Class(class) => answer.is_some_and(|answer| answer.status / 100 == *class),
            Question::FilterFlag(name, value) => {
                let is = match *name {
                    "pinned" => model.pinned,
                    "replayed" => model.replayed,
                    "imported" => false,
                    _ => answer.is_none(),
                };
                is == *value
            }
            Question::Free(text) => {
                let status = answer.map(|answer| answer.status.to_string()).unwrap_or_default();
                let shown = format!("{} (https)", model.tunnel);
                let texts = [&model.method, &model.path, &model.host, &"192.0.2.9:1".to_owned(), &shown, &status];
                let note = model.note.as_ref().is_some_and(|note| has(note, text));
                note || texts
                    .into_iter()
                    .enumerate()
                    .any(|(at, known)| (at < 5 || answer.is_some()) && has(known, text))
            }
            Question::Number(name, operator, number, _, factor) => {
                let known = match *name {
                    "status" => answer.map(|answer| u64::from(answer.status)),
                    "dur" => answer.map(|answer| answer.millis * 1_000_000),
                    _ => Some(model.request_bytes().len() as u64),
                };
                let wanted = number * factor;
                known.is_some_and(|known| match *operator {
                    ">" => known > wanted,
                    ">=" => known >= wanted,
                    "<" => known < wanted,
                    "<=" => known <= wanted,
                    _ => known == wanted,
                })
            }
            Question::FilterField(name, operator, text) => {
                let judge = |known: &str| if *operator == "=" { known == text } else { has(known, text) };
                match *name {
                    "method" => model.method.eq_ignore_ascii_case(text),
                    "tunnel" => {
                        let shown = format!("{} (https)", model.tunnel);
                        model.tunnel.eq_ignore_ascii_case(text) || shown.eq_ignore_ascii_case(text)
                    }
                    "path" => judge(&model.path),
                    "host" => judge(&model.host),
                    "note" => model.note.as_deref().is_some_and(judge),
                    "request.header.x-a" => model.header.0.eq_ignore_ascii_case("x-a") && judge(model.header.1.trim()),
                    "header.content-type" | "type" => answer.is_some_and(|answer| judge(&answer.kind)),
                    "request.body" => judge(&model.body),
                    "response.body" => answer.is_some_and(|answer| judge(&answer.body)),
                    _ => judge(&model.body) || answer.is_some_and(|answer| judge(&answer.body)),
                }
            }
        }
    }
}

/// Whether a text contains another, `*` standing for anything: the slow way.
fn has(known: &str, wanted: &str) -> bool {
    fn from(known: &[u8], wanted: &[u8]) -> bool {
        match wanted.split_first() {
            None => true,
            Some((b'*', rest)) => (0..=known.len()).any(|at| from(&known[at..], rest)),
            Some((first, rest)) => known.first() == Some(first) && from(&known[1..], rest),
        }
    }
    let (known, wanted) = (known.to_ascii_lowercase(), wanted.to_ascii_lowercase());
    (0..=known.len()).any(|at| from(&known.as_bytes()[at..], wanted.as_bytes()))
}

impl Model {
    fn request_bytes(&self) -> Vec<u8> {
        let framing = if self.chunked {
            let chunks: String = self.body.chars().map(|c| format!("{:x}\r\n{c}\r\n", c.len_utf8())).collect();
            format!("Transfer-Encoding: chunked\r\n\r\n{chunks}0\r\n\r\n")
        } else {
            format!("Content-Length: {}\r\n\r\n{}", self.body.len(), self.body)
        };
        let (name, value) = &self.header;
        format!("{} {} HTTP/1.1\r\nHost: {}\r\n{name}: {value}\r\n{framing}", self.method, self.path, self.host)
            .into_bytes()
    }

    fn captured(&self) -> Arc<Exchange> {
        let store = Arc::new(CaptureStore::new(Some(10 << 20), 1 << 20, event_channel()));
        let mut conversation = Conversation::new(Observer {
            store: Some(store.clone()),
            meter: Arc::default(),
            tunnel: Arc::new(TunnelTag { definition: self.tunnel.clone(), proto: "https" }),
            remote: "192.0.2.9:1".into(),
            replay_of: self.replayed.then_some(7),
            through_edge: false,
            http2: false,
            notes: None,
        });
        conversation.request_bytes(&self.request_bytes());
        let exchange = store.page(u64::MAX, 1).remove(0);
        if let Some(answer) = &self.answer {
            let SampleResponse { status, kind, body, .. } = answer;
            let text = format!(
                "HTTP/1.1 {status} Said\r\nContent-Type: {kind}\r\nContent-Length: {}\r\n\r\n{body}",
                body.len()
            );
            conversation.response_bytes(text.as_bytes());
            exchange.locked().duration = Some(Duration::from_millis(answer.millis));
        } else {
            std::mem::forget(conversation);
        }
        store.annotate(&exchange, Some(self.pinned), Some(self.note.as_deref()));
        exchange
    }
}

fn word() -> impl Strategy<Value = String> {
    prop_oneof!["[a-cA-C/ ]{1,3}", "[a-c]\\*[a-c]", "[a-cé\"\\\\(]{1,2}", "[0-9]{1,2}"]
}

fn model() -> impl Strategy<Value = Model> {
    let answer = (200u16..600, "[a-c]{1,4}/[a-cA-C]{1,4}", "[a-cA-Cé0-9 ]{0,12}", 0u64..900).prop_map(
        |(status, kind, body, millis)| {
            // Responses with these have none, whatever follows their head.
            let body = if matches!(status, 204 | 304) { String::new() } else { body };
            SampleResponse { status, kind, body, millis }
        },
    );
    let texts = (
        "GET|POST|PATCH",
        "/[a-cA-C/]{0,8}",
        "[a-c]{1,4}",
        "[a-c]{1,2}",
        "X-A|x-a|X-B",
        "[a-cA-C0-9\"\\\\]{1,6}",
        "[a-cA-Cé0-9 ]{0,12}",
    );
    let rest =
        (any::<bool>(), proptest::option::of(answer), any::<bool>(), any::<bool>(), proptest::option::of("[a-c]{1,3}"));
    (texts, rest).prop_map(
        |((method, path, host, tunnel, name, value, body), (chunked, answer, pinned, replayed, note))| Model {
            method,
            path,
            host,
            tunnel,
            header: (name, value),
            body,
            chunked,
            answer,
            pinned,
            replayed,
            note,
        },
    )
}

fn question() -> impl Strategy<Value = Question> {
    let names = prop::sample::select(vec![
        "path",
        "host",
        "note",
        "request.header.x-a",
        "header.content-type",
        "type",
        "body",
        "request.body",
        "response.body",
    ]);
    let comparisons = prop::sample::select(vec![">", ">=", "<", "<="]);
    let leaf = prop_oneof![
        (names, prop::sample::select(vec![":", "="]), word())
            .prop_map(|(name, operator, text)| Question::FilterField(name, operator, text)),
        "get|POST|x".prop_map(|text| Question::FilterField("method", ":", text)),
        "[a-cA-C]{1,2}( \\(https\\))?".prop_map(|text| Question::FilterField("tunnel", ":", text)),
        (200u64..600, prop::sample::select(vec![":", "=", ">", "<="]))
            .prop_map(|(number, operator)| Question::Number("status", operator, number, "", 1)),
        (comparisons.clone(), 0u64..900)
            .prop_map(|(operator, number)| Question::Number("dur", operator, number, "ms", 1_000_000)),
        (comparisons, 0u64..200).prop_map(|(operator, number)| Question::Number(
            "request.size",
            operator,
            number,
            "b",
            1
        )),
        (2u16..6).prop_map(Question::Class),
        (prop::sample::select(vec!["pinned", "replayed", "pending", "imported"]), any::<bool>())
            .prop_map(|(name, value)| Question::FilterFlag(name, value)),
        word().prop_map(Question::Free),
    ];
    leaf.prop_recursive(3, 12, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 1..4).prop_map(Question::And),
            prop::collection::vec(inner.clone(), 1..4).prop_map(Question::Or),
            inner.prop_map(|part| Question::Not(Box::new(part))),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn it_judges_as_the_slow_way_does(model in model(), questions in prop::collection::vec(question(), 8)) {
        let exchange = model.captured();
        for question in questions {
            let text = question.written();
            let filter = Filter::parse(&text).map_err(|error| TestCaseError::fail(format!("{text}: {error:?}")))?;
            prop_assert_eq!(filter.matches(&exchange, &mut 0), question.holds(&model), "{}", text);
        }
    }

    #[test]
    fn any_text_is_understood_or_refused_with_a_place(text in prop_oneof![
        any::<String>(),
        "[()\"~:=<>a-d.* \\\\5x]{0,40}",
        prop::collection::vec(prop::sample::select(vec!["status:", "5xx", "and ", "or ", "not ", "(", ")", "\"", "body~", "dur>", "1ms", "[", "header.", "x", " "]), 0..20).prop_map(|parts| parts.concat()),
    ]) {
        if let Err(error) = Filter::parse(&text) {
            prop_assert!((1..=text.chars().count() + 1).contains(&error.position), "{:?}", error);
            prop_assert!(error.message.len() > 20, "{:?}", error);
        }
    }
}

#[test]
fn what_is_wrong_is_said_with_its_place_and_what_would_be_right() {
    for (text, position, part) in [
        ("status:wrong", 8, "`status:5xx`"),
        ("status:99", 8, "`status:404`"),
        ("status~5", 8, "status>=400"),
        ("stauts:200", 1, "Did you mean `status`?"),
        ("GET http://a/b", 5, "in quotes"),
        ("method:POST and", 16, "ends here"),
        ("or a", 1, "before this `or`"),
        ("(status:200", 1, "never closed"),
        ("status:200)", 11, "closes nothing"),
        ("()", 2, "is missing"),
        ("body~\"a", 6, "never closed"),
        ("body~\"(\"", 6, "not a regular expression"),
        ("path:", 6, "A value is missing"),
        ("path>5", 6, "contains"),
        ("dur>500", 5, "`dur>500ms`"),
        ("dur:500ms", 5, "`dur>500ms`"),
        ("size>1tb", 6, "`size>1mb`"),
        ("pinned:maybe", 8, "`:yes` or `:no`"),
        ("path:a(b", 7, "in quotes"),
        ("header.:x", 1, "There is no field"),
        ("request.status:200", 1, "There is no field"),
    ] {
        let error = Filter::parse(text).expect_err(text);
        assert_eq!(error.position, position, "{text}: {error:?}");
        assert!(error.message.contains(part), "{text}: {error:?}");
    }
    let deep = "(".repeat(40) + "a" + &")".repeat(40);
    assert_eq!(Filter::parse(&deep).expect_err("deep").position, 34);
    assert_eq!(Filter::parse(&"not ".repeat(40)).expect_err("deep").position, 133);
    assert_eq!(Filter::parse(&"a ".repeat(65)).expect_err("many").position, 129);
    assert_eq!(Filter::parse(&"a".repeat(5000)).expect_err("long").position, 4097);
    assert!(Filter::parse("body~\"(a{1000}){1000}\"").expect_err("large").message.contains("too large"));
}

#[test]
fn what_needs_reading_is_asked_last() {
    let filter = Filter::parse("body:x header.a:y path:z status:200").expect("understood");
    let FilterNode::All(nodes) = &filter.root else { panic!("{filter:?}") };
    assert_eq!(nodes.iter().map(FilterNode::cost).collect::<Vec<_>>(), [0, 1, 2, 3]);
}
