use super::*;
use std::collections::BTreeMap;

fn changes(add: &[(&str, &str)], remove: &[&str]) -> HeaderChanges {
    let add: BTreeMap<_, _> = add.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    HeaderChanges { enabled: true, add, remove: remove.iter().map(|name| (*name).to_owned()).collect() }
}

fn map(list: &[(&str, &str)]) -> HeaderMap {
    let mut map = HeaderMap::new();
    for (name, value) in list {
        map.append(HeaderName::try_from(*name).expect("a name"), HeaderValue::try_from(*value).expect("a value"));
    }
    map
}

fn facts() -> Facts {
    let mut facts = Facts::default();
    facts.add(Variable::ClientIp, "203.0.113.9");
    facts.add(Variable::Path, "/a\r\nX-Evil: 1");
    facts
}

fn changed(list: &[(&str, &str)], add: &[(&str, &str)], remove: &[&str]) -> HeaderMap {
    let mut headers = map(list);
    let ready = Changes::of(&changes(add, remove), Direction::Request).expect("good changes");
    ready.apply(&mut headers, &facts());
    headers
}

#[test]
fn adding_appends_removing_takes_all_and_both_together_replace() {
    let before = [("host", "a.test"), ("X-A", "1"), ("x-a", "2"), ("x-b", "1")];
    let after = changed(&before, &[("X-A", "3"), ("X-B", "2"), ("Host", "b.test")], &["x-A"]);
    assert_eq!(after, map(&[("host", "b.test"), ("x-a", "3"), ("x-b", "1"), ("x-b", "2")]));
    assert_eq!(changed(&before, &[], &["X-a", "x-absent"]), map(&[("host", "a.test"), ("x-b", "1")]));
    assert_eq!(changed(&before, &[("host", "c.test")], &["host"])["host"], "c.test");
}

#[test]
fn variables_stand_for_facts_and_unknown_ones_for_nothing() {
    let after = changed(&[], &[("x-ip", "[${conn.client_ip}]"), ("x-none", "${geo.country}"), ("x-half", "a${b")], &[]);
    assert_eq!(after, map(&[("x-ip", "[203.0.113.9]"), ("x-none", ""), ("x-half", "a${b")]));
    let after = changed(&[], &[("x-path", "${req.path}")], &[]);
    assert_eq!(after["x-path"], "/a%0D%0AX-Evil: 1", "one line, whatever the visitor sent");
    let after = changed(&[], &[("x-status", "<${res.status}>")], &[]);
    assert_eq!(after["x-status"], "<>", "requests have no status");
}

#[test]
fn variables_cannot_make_a_message_grow_without_bounds() {
    let mut facts = Facts::default();
    facts.add(Variable::Path, &"a".repeat(100_000));
    let many: Vec<(String, String)> = (0..20).map(|i| (format!("x-{i}"), "${req.path}-".repeat(8))).collect();
    let many: Vec<(&str, &str)> = many.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
    let ready = Changes::of(&changes(&many, &[]), Direction::Request).expect("good changes");
    let mut headers = HeaderMap::new();
    ready.apply(&mut headers, &facts);
    let total: usize = headers.values().map(HeaderValue::len).sum();
    assert_eq!(total, EXPANDED_LIMIT + 20 * 8);
}

#[test]
fn what_frames_a_message_is_never_changed() {
    for name in ["Content-Length", "transfer-encoding", "CONNECTION", "upgrade", "te", "trailer", "keep-alive"] {
        for direction in [Direction::Request, Direction::Response] {
            assert!(Changes::of(&changes(&[(name, "1")], &[]), direction).is_err(), "{name}");
            assert!(Changes::of(&changes(&[], &[name]), direction).is_err(), "{name}");
        }
    }
}
