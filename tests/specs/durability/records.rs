//! All records of a server, read through its lists.

use postern_tests::Operator;
use serde_json::Value;
use std::collections::BTreeMap;

pub(super) const POLICIES: &str = "/ip_policies";
pub(super) const RULES: &str = "/ip_policy_rules";
pub(super) const GROUPS: &str = "/backends/tunnel_group";
pub(super) const EDGES: &str = "/edges/tcp";
pub(super) const CREDENTIALS: &str = "/credentials";
/// The kinds of records in this specification.
pub(super) const KINDS: [&str; 5] = [POLICIES, RULES, GROUPS, EDGES, CREDENTIALS];

/// A record's kind, as its path, and its id.
pub(super) type Key = (&'static str, String);

/// Records as the lists return them.
#[derive(Clone, Debug, Default)]
pub(super) struct Records(pub(super) BTreeMap<Key, Value>);

impl Records {
    /// Reads all pages of all kinds.
    pub(super) async fn read(operator: &Operator) -> Records {
        let mut all = Records::default();
        for kind in KINDS {
            let mut next = kind.to_owned();
            loop {
                let page = operator.get(&next).await.ok().body;
                let records = page.as_object().unwrap().values().find_map(Value::as_array).unwrap();
                for record in records {
                    let former = all.0.insert((kind, text(&record["id"])), record.clone());
                    assert!(former.is_none(), "listed twice: {record}");
                }
                match page["next_page_uri"].as_str() {
                    Some(uri) => next = uri.to_owned(),
                    None => break,
                }
            }
        }
        all
    }

    /// The records of one kind.
    pub(super) fn of(&self, kind: &'static str) -> impl Iterator<Item = (&String, &Value)> {
        self.0.iter().filter(move |((of, _), _)| *of == kind).map(|((_, id), record)| (id, record))
    }

    /// The kinds and ids of all records.
    pub(super) fn keys(&self) -> impl Iterator<Item = &Key> {
        self.0.keys()
    }
}

pub(super) fn text(value: &Value) -> String {
    value.as_str().unwrap_or_else(|| panic!("no text: {value}")).to_owned()
}

/// The ports of an edge.
pub(super) fn ports_of(edge: &Value) -> Vec<u16> {
    let hostports = edge["hostports"].as_array().unwrap();
    hostports.iter().map(|hostport| text(hostport).rsplit_once(':').unwrap().1.parse().unwrap()).collect()
}

/// Whether a record has the requested value in a field or module.
pub(super) fn shows(record: &Value, field: &str, requested: &Value) -> bool {
    match field {
        "ip_policy_id" => record["ip_policy"]["id"] == *requested,
        "backend" => record["backend"]["backend"]["id"] == requested["backend_id"],
        "ip_restriction" => {
            let policies = record["ip_restriction"]["ip_policies"].as_array();
            policies.is_some_and(|policies| {
                let ids: Vec<&Value> = policies.iter().map(|policy| &policy["id"]).collect();
                ids == requested["ip_policy_ids"].as_array().unwrap().iter().collect::<Vec<_>>()
            })
        }
        _ => record[field] == *requested,
    }
}
