//! A writer that records which changes were acknowledged.

use super::records::{CREDENTIALS, EDGES, GROUPS, KINDS, Key, POLICIES, RULES, Records, shows, text};
use postern_api::Code;
use postern_tests::{Operator, operator::ManagementResponse};
use rand::{
    Rng, SeedableRng,
    rngs::StdRng,
    seq::{IndexedRandom, IteratorRandom},
};
use reqwest::Method;
use serde_json::{Value, json};
use tokio::sync::watch;

const MODULES: [&str; 2] = ["backend", "ip_restriction"];

/// Writes to its own records. Only the ports of its edges are requested by other writers too.
pub(super) struct Writer {
    name: String,
    random: StdRng,
    made: u32,
    ports: (u16, u16),
    /// The acknowledged records.
    own: Records,
    /// The write that was not acknowledged.
    unanswered: Option<Intent>,
}

/// One write.
#[derive(Clone, Debug)]
struct Intent {
    does: Does,
    body: Value,
}

#[derive(Clone, Debug)]
enum Does {
    Make(&'static str),
    Change(Key),
    Put(Key, &'static str),
    Clear(Key, &'static str),
    Remove(Key),
}

impl Intent {
    fn request(&self) -> (Method, String) {
        let item = |(kind, id): &Key| format!("{kind}/{id}");
        match &self.does {
            Does::Make(kind) => (Method::POST, (*kind).to_owned()),
            Does::Change(key) => (Method::PATCH, item(key)),
            Does::Put(key, module) => (Method::PUT, format!("{}/{module}", item(key))),
            Does::Clear(key, module) => (Method::DELETE, format!("{}/{module}", item(key))),
            Does::Remove(key) => (Method::DELETE, item(key)),
        }
    }
}

impl Writer {
    pub(super) fn new(number: u64, seed: u64, ports: (u16, u16)) -> Writer {
        Writer {
            name: format!("writer {number}"),
            random: StdRng::seed_from_u64(seed + number),
            made: 0,
            ports,
            own: Records::default(),
            unanswered: None,
        }
    }

    /// The records that this writer expects.
    pub(super) fn known(&self) -> impl Iterator<Item = &Key> {
        self.own.keys()
    }

    /// Writes until the server ends, and counts every acknowledged write.
    pub(super) async fn write_until_the_server_ends(mut self, operator: Operator, count: watch::Sender<u64>) -> Writer {
        loop {
            let intent = self.next();
            let (method, path) = intent.request();
            let Some(answer) = operator.try_call(method, &path, intent.body.clone()).await else {
                self.unanswered = Some(intent);
                return self;
            };
            if self.apply(&intent, answer) {
                count.send_modify(|count| *count += 1);
            }
        }
    }

    // === what to write next ===

    fn next(&mut self) -> Intent {
        let chance = self.random.random_range(0..100);
        let intent = match chance {
            0..35 => None,
            35..60 => self.any(&KINDS).map(|key| self.change(key)),
            60..72 => self.any(&[EDGES]).and_then(|edge| self.put(edge)),
            72..78 => self.any(&[EDGES]).map(|edge| {
                let module = MODULES.choose(&mut self.random).unwrap();
                Intent { does: Does::Clear(edge, module), body: Value::Null }
            }),
            _ => self.any(&KINDS).map(|key| Intent { does: Does::Remove(key), body: Value::Null }),
        };
        intent.unwrap_or_else(|| self.make())
    }

    fn any(&mut self, kinds: &[&str]) -> Option<Key> {
        self.own.keys().filter(|(kind, _)| kinds.contains(kind)).choose(&mut self.random).cloned()
    }

    fn make(&mut self) -> Intent {
        self.made += 1;
        let mut body = json!({ "description": format!("{} made {}", self.name, self.made) });
        let mut kind = *KINDS.choose(&mut self.random).unwrap();
        let policy = self.any(&[POLICIES]);
        if kind == RULES && policy.is_none() {
            kind = POLICIES;
        }
        match kind {
            RULES => {
                body["ip_policy_id"] = json!(policy.unwrap().1);
                body["cidr"] = self.cidr();
                body["action"] = json!(if self.random.random() { "allow" } else { "deny" });
            }
            GROUPS => body["labels"] = self.labels(),
            CREDENTIALS => body["acl"] = self.acl(),
            EDGES => {
                body["hostports"] = self.hostports();
                if let Some((_, group)) = self.any(&[GROUPS]) {
                    body["backend"] = json!({ "backend_id": group });
                }
                if let Some((_, policy)) = policy.filter(|_| self.random.random()) {
                    body["ip_restriction"] = json!({ "ip_policy_ids": [policy] });
                }
            }
            _ => {}
        }
        Intent { does: Does::Make(kind), body }
    }

    fn change(&mut self, key: Key) -> Intent {
        self.made += 1;
        let mut body = json!({ "metadata": format!("change {}", self.made) });
        match key.0 {
            RULES => body["cidr"] = self.cidr(),
            GROUPS => body["labels"] = self.labels(),
            CREDENTIALS => body["acl"] = self.acl(),
            EDGES => body["hostports"] = self.hostports(),
            _ => {}
        }
        Intent { does: Does::Change(key), body }
    }

    fn put(&mut self, edge: Key) -> Option<Intent> {
        let module = *MODULES.choose(&mut self.random).unwrap();
        let body = match module {
            "backend" => json!({ "backend_id": self.any(&[GROUPS])?.1 }),
            _ => json!({ "ip_policy_ids": [self.any(&[POLICIES])?.1] }),
        };
        Some(Intent { does: Does::Put(edge, module), body })
    }

    fn cidr(&mut self) -> Value {
        let [a, b]: [u8; 2] = self.random.random();
        json!(format!("10.{a}.{b}.0/24"))
    }
    fn labels(&mut self) -> Value {
        json!({ "app": format!("{}", self.random.random_range(0..1000)) })
    }
    fn acl(&mut self) -> Value {
        json!([format!("bind:{}.example.test", self.random.random_range(0..1000))])
    }
    fn hostports(&mut self) -> Value {
        let count = self.random.random_range(0..=2);
        let ports = (self.ports.0..=self.ports.1).choose_multiple(&mut self.random, count);
        ports.into_iter().map(|port| format!("localhost:{port}")).collect()
    }

    // === what became of it ===

    /// Applies a response. Returns whether the write was acknowledged.
    fn apply(&mut self, intent: &Intent, answer: ManagementResponse) -> bool {
        if answer.status >= 400 {
            match (&intent.does, answer.code()) {
                (Does::Make(EDGES) | Does::Change((EDGES, _)), Code::HostportTaken)
                | (Does::Make(RULES) | Does::Change((RULES, _)), Code::RuleDuplicate) => return false,
                (Does::Remove((GROUPS, id)), Code::BackendInUse) => {
                    assert!(self.uses(id), "no edge uses {id}: {answer:?}");
                    return false;
                }
                _ => panic!("{} requested {intent:?} and received {answer:?}", self.name),
            }
        }
        let mut body = answer.body;
        match &intent.does {
            Does::Make(kind) => {
                self.assert_shown(&body, intent);
                if *kind == CREDENTIALS {
                    assert!(body["token"].take().is_string(), "the one time it is shown");
                }
                self.own.0.insert((*kind, text(&body["id"])), body);
            }
            Does::Change(key) => {
                self.assert_shown(&body, intent);
                self.own.0.insert(key.clone(), body);
            }
            Does::Put(key, module) => self.own.0.get_mut(key).unwrap()[*module] = body,
            Does::Clear(key, module) => self.own.0.get_mut(key).unwrap()[*module] = Value::Null,
            Does::Remove((GROUPS, id)) if self.uses(id) => panic!("{id} was removed under an edge"),
            Does::Remove(key) => self.forget(key),
        }
        true
    }

    fn assert_shown(&self, record: &Value, intent: &Intent) {
        for (field, requested) in intent.body.as_object().unwrap() {
            assert!(shows(record, field, requested), "{}: `{field}` of {intent:?} is not in {record}", self.name);
        }
    }

    fn uses(&self, group: &str) -> bool {
        self.own.of(EDGES).any(|(_, edge)| edge["backend"]["backend"]["id"] == group)
    }

    /// Removes a record, and the rules of a policy with it.
    fn forget(&mut self, key: &Key) {
        self.own.0.remove(key);
        self.own.0.retain(|(kind, _), record| *kind != RULES || record["ip_policy"]["id"] != key.1);
    }

    // === what is there after a kill ===

    /// Compares the records with the acknowledged writes. The one write without a response may be present or absent, but not
    /// in part.
    pub(super) fn settle(&mut self, found: &Records) {
        if let Some(intent) = self.unanswered.take() {
            self.resolve(&intent, found);
        }
        for (key, acknowledged) in &self.own.0 {
            assert_eq!(found.0.get(key), Some(acknowledged), "{}: {key:?} was acknowledged so", self.name);
        }
    }

    fn resolve(&mut self, intent: &Intent, found: &Records) {
        match &intent.does {
            Does::Make(kind) => {
                let description = &intent.body["description"];
                let mut made = found.of(kind).filter(|(_, record)| record["description"] == *description);
                if let Some((id, record)) = made.next() {
                    self.assert_shown(record, intent);
                    self.own.0.insert((*kind, id.clone()), record.clone());
                }
                assert!(made.next().is_none(), "{description} was made twice");
            }
            Does::Change(key) => {
                let mut changed = self.own.0[key].clone();
                for (field, requested) in intent.body.as_object().unwrap() {
                    changed[field] = requested.clone();
                }
                self.one_of(key, changed, found);
            }
            Does::Put(key, module) => {
                let mut changed = self.own.0[key].clone();
                changed[*module] = found.0[key][*module].clone();
                if changed != self.own.0[key] {
                    assert!(shows(&changed, module, &intent.body), "{intent:?} is half there: {changed}");
                }
                self.one_of(key, changed, found);
            }
            Does::Clear(key, module) => {
                let mut changed = self.own.0[key].clone();
                changed[*module] = Value::Null;
                self.one_of(key, changed, found);
            }
            // Its rules are compared in any case: all are there with it, or none without it.
            Does::Remove(key) => {
                if !found.0.contains_key(key) {
                    self.forget(key);
                }
            }
        }
    }

    /// Asserts that a record has its old or its new state.
    fn one_of(&mut self, key: &Key, changed: Value, found: &Records) {
        if found.0.get(key) == Some(&changed) {
            self.own.0.insert(key.clone(), changed);
        }
    }
}
