//! Follows the store and publishes what the edge needs, one whole configuration after another.

use crate::{
    Snapshot,
    resources::{Codec, Kept, KeptModule, ModuleRules, Rules, kept},
    snapshot::{PublishedCredential, PublishedIpRestriction, PublishedTcpEdge},
    store::{Change, Entry, Range, Result, Revision, Store, StoreError},
};
use postern_api::{
    AnyId,
    ip_rules::{IpRule, IpRules},
    module::{Backend, IpRestriction, Module},
    resource::{self, ApiKey, Credential, IpPolicyRule, Resource, TcpEdge, TunnelGroupBackend},
    token::TokenHash,
};
use std::{
    collections::{BTreeMap, HashMap},
    sync::Arc,
    time::Duration,
};
use tokio::sync::watch;

/// Keys read at once when everything is read.
const STEP: usize = 1000;
/// How long to wait before a failed read is tried again.
const RETRY: Duration = Duration::from_millis(200);

/// Keeps the published configuration up to date until it is dropped.
pub(crate) struct Publisher {
    pub(crate) snapshots: watch::Receiver<Arc<Snapshot>>,
    /// The revision up to which the snapshot is complete.
    pub(crate) reached: watch::Receiver<Revision>,
    task: tokio::task::JoinHandle<()>,
}

impl Publisher {
    /// Publishes what the store holds, then goes on following it.
    pub(crate) async fn start(store: Arc<dyn Store>, codec: Codec) -> Result<Self> {
        let mut mirror = Mirror::new(codec.clone());
        let mut after = mirror.load(store.as_ref()).await?;
        let (announce, snapshots) = watch::channel(Arc::new(mirror.snapshot(after)));
        let (reach, reached) = watch::channel(after);
        let task = tokio::spawn(async move {
            let mut watch = store.watch("", after);
            loop {
                match watch.next().await {
                    Ok(batch) => {
                        after = batch.revision;
                        let touched =
                            batch.changes.into_iter().fold(false, |touched, change| mirror.apply(change) | touched);
                        if touched {
                            announce.send_replace(Arc::new(mirror.snapshot(after)));
                        }
                        reach.send_replace(after);
                    }
                    Err(StoreError::Compacted(_)) => {
                        let mut fresh = Mirror::new(codec.clone());
                        if let Ok(revision) = fresh.load(store.as_ref()).await {
                            (mirror, after) = (fresh, revision);
                            announce.send_replace(Arc::new(mirror.snapshot(after)));
                            reach.send_replace(after);
                            watch = store.watch("", after);
                        } else {
                            tokio::time::sleep(RETRY).await;
                        }
                    }
                    Err(error) => {
                        tracing::error!(%error, "the configuration could not be read; trying again");
                        tokio::time::sleep(RETRY).await;
                    }
                }
            }
        });
        Ok(Publisher { snapshots, reached, task })
    }
}

impl Drop for Publisher {
    fn drop(&mut self) {
        self.task.abort();
    }
}

/// The part of the store that matters to the edge, read once and kept up to date by its changes.
struct Mirror {
    codec: Codec,
    credentials: Part<HashMap<String, PublishedCredential>>,
    api_keys: Part<HashMap<String, TokenHash>>,
    groups: Part<HashMap<String, BTreeMap<String, String>>>,
    edges: BTreeMap<String, Vec<u16>>,
    backends: HashMap<String, Backend>,
    restrictions: HashMap<String, Option<IpRestriction>>,
    /// By policy, then by rule.
    rules: HashMap<String, BTreeMap<String, IpRule>>,
    /// The policy of each rule, for a deletion tells only the rule.
    policy_of: HashMap<String, AnyId>,
    published_edges: Option<Arc<Vec<PublishedTcpEdge>>>,
    guards: BTreeMap<String, Kept<resource::IpRestriction>>,
    published_guards: Option<Arc<Vec<PublishedIpRestriction>>>,
}

/// Something large that is copied for publishing only if it has changed.
#[derive(Default)]
struct Part<T> {
    now: T,
    published: Option<Arc<T>>,
}

impl<T: Clone> Part<T> {
    fn change(&mut self) -> &mut T {
        self.published = None;
        &mut self.now
    }
    fn publish(&mut self) -> Arc<T> {
        self.published.get_or_insert_with(|| Arc::new(self.now.clone())).clone()
    }
}

impl Mirror {
    fn new(codec: Codec) -> Self {
        Mirror {
            codec,
            credentials: Part::default(),
            api_keys: Part::default(),
            groups: Part::default(),
            edges: BTreeMap::new(),
            backends: HashMap::new(),
            restrictions: HashMap::new(),
            rules: HashMap::new(),
            policy_of: HashMap::new(),
            published_edges: None,
            guards: BTreeMap::new(),
            published_guards: None,
        }
    }

    /// Reads everything. Gives the revision from which on changes must be applied.
    async fn load(&mut self, store: &dyn Store) -> Result<Revision> {
        let prefixes = [
            kept::records::<Credential>(),
            kept::records::<ApiKey>(),
            kept::records::<TunnelGroupBackend>(),
            kept::records::<TcpEdge>(),
            kept::records::<IpPolicyRule>(),
            kept::records::<resource::IpRestriction>(),
            "modules/".to_owned(),
        ];
        let mut oldest = Revision::MAX;
        for prefix in prefixes {
            let mut range = Range::of(prefix, STEP);
            loop {
                let page = store.range(range.clone()).await?;
                oldest = oldest.min(page.revision);
                range.before = page.entries.last().map(|entry| entry.key.clone());
                let more = page.entries.len() == STEP;
                for entry in page.entries {
                    self.apply(Change { revision: entry.revision, key: entry.key, value: Some(entry.value) });
                }
                if !more {
                    break;
                }
            }
        }
        Ok(oldest)
    }

    /// Takes a change in; false if it does not matter to the edge.
    fn apply(&mut self, change: Change) -> bool {
        let mut parts = change.key.split('/');
        let (Some(first), Some(second), Some(third)) = (parts.next(), parts.next(), parts.next()) else { return false };
        let entry = change.value.map(|value| Entry { key: change.key.clone(), value, revision: change.revision });
        let entry = entry.as_ref();
        match (first, second) {
            ("records", Credential::KIND) => {
                let publish = |kept: Kept<Credential>| PublishedCredential {
                    id: kept.id.to_string(),
                    hash: kept.hidden,
                    acl: kept.spec.acl,
                };
                set(self.credentials.change(), ksuid(third), record(&self.codec, entry).map(publish));
            }
            ("records", ApiKey::KIND) => {
                let hash = |kept: Kept<ApiKey>| kept.hidden;
                set(self.api_keys.change(), ksuid(third), record(&self.codec, entry).map(hash));
            }
            ("records", TunnelGroupBackend::KIND) => {
                let publish = |kept: Kept<TunnelGroupBackend>| kept.spec.labels;
                set(self.groups.change(), third.to_owned(), record(&self.codec, entry).map(publish));
            }
            ("records", TcpEdge::KIND) => {
                let edge: Option<Kept<TcpEdge>> = record(&self.codec, entry);
                match edge {
                    Some(edge) => self.edges.insert(third.to_owned(), crate::resources::ports(&edge.spec)),
                    None => self.edges.remove(third),
                };
                self.published_edges = None;
            }
            ("records", IpPolicyRule::KIND) => self.rule(third, record(&self.codec, entry)),
            ("records", resource::IpRestriction::KIND) => {
                match record(&self.codec, entry) {
                    Some(restriction) => self.guards.insert(third.to_owned(), restriction),
                    None => self.guards.remove(third),
                };
                self.published_guards = None;
            }
            ("modules", owner) if third == Backend::NAME => {
                let module = module::<Backend>(&self.codec, entry).map(|kept| kept.module);
                set(&mut self.backends, owner.to_owned(), module);
                self.published_edges = None;
            }
            ("modules", owner) if third == IpRestriction::NAME => {
                // One that cannot be read keeps everybody out: it stands there as `None`.
                let restriction = module::<IpRestriction>(&self.codec, entry).map(|kept| kept.module);
                set(&mut self.restrictions, owner.to_owned(), entry.map(|_| restriction));
                self.published_edges = None;
            }
            _ => return false,
        }
        true
    }

    fn rule(&mut self, id: &str, rule: Option<Kept<IpPolicyRule>>) {
        self.published_edges = None;
        self.published_guards = None;
        if let Some(policy) = self.policy_of.remove(id)
            && let Some(rules) = self.rules.get_mut(policy.as_str())
        {
            rules.remove(id);
            if rules.is_empty() {
                self.rules.remove(policy.as_str());
            }
        }
        if let Some(rule) = rule {
            let judged = IpRule { network: rule.spec.cidr, action: rule.spec.action, id: id.to_owned() };
            self.policy_of.insert(id.to_owned(), rule.hidden.any());
            self.rules.entry(rule.hidden.to_string()).or_default().insert(id.to_owned(), judged);
        }
    }

    fn snapshot(&mut self, revision: Revision) -> Snapshot {
        let tcp_edges = match &self.published_edges {
            Some(edges) => edges.clone(),
            None => {
                let edges = self.edges.iter().map(|(id, ports)| self.edge(id, ports)).collect();
                self.published_edges.insert(Arc::new(edges)).clone()
            }
        };
        let ip_restrictions = match &self.published_guards {
            Some(guards) => guards.clone(),
            None => {
                let guards = self.guards.iter().map(|(id, kept)| self.guard(id, kept)).collect();
                self.published_guards.insert(Arc::new(guards)).clone()
            }
        };
        Snapshot {
            revision,
            credentials: self.credentials.publish(),
            api_keys: self.api_keys.publish(),
            tunnel_groups: self.groups.publish(),
            tcp_edges,
            ip_restrictions,
        }
    }

    fn edge(&self, id: &str, ports: &[u16]) -> PublishedTcpEdge {
        let backend = self.backends.get(id).filter(|backend| backend.enabled);
        let ip_restriction = match self.restrictions.get(id) {
            Some(Some(restriction)) if !restriction.enabled => None,
            Some(Some(restriction)) => Some(self.rules_of(restriction.ip_policy_ids.iter().map(String::as_str))),
            Some(None) => Some(Arc::default()),
            None => None,
        };
        PublishedTcpEdge {
            id: id.to_owned(),
            ports: ports.to_vec(),
            backend: backend.map(|backend| backend.backend_id.clone()),
            ip_restriction,
        }
    }

    fn guard(&self, id: &str, kept: &Kept<resource::IpRestriction>) -> PublishedIpRestriction {
        PublishedIpRestriction {
            id: id.to_owned(),
            guards: kept.spec.kind,
            enforced: kept.spec.enforced,
            rules: self.rules_of(kept.hidden.iter().map(postern_api::Id::as_str)),
        }
    }

    /// The rules of all policies together. One that was deleted adds none.
    fn rules_of<'a>(&self, policies: impl Iterator<Item = &'a str>) -> Arc<IpRules> {
        let policies = policies.filter_map(|policy| self.rules.get(policy));
        Arc::new(IpRules::new(policies.flat_map(BTreeMap::values).cloned().collect()))
    }
}

/// The part of an id that tokens begin with.
fn ksuid(id: &str) -> String {
    id.split_once('_').map_or("", |(_, ksuid)| ksuid).to_owned()
}

fn set<T>(map: &mut HashMap<String, T>, key: String, value: Option<T>) {
    match value {
        Some(value) => map.insert(key, value),
        None => map.remove(&key),
    };
}

/// Reads a record that is there; what cannot be read is left out and said so.
fn record<R: Rules>(codec: &Codec, entry: Option<&Entry>) -> Option<Kept<R>> {
    entry.and_then(|entry| readable(entry, codec.read_record(entry)))
}

/// The same for a module.
fn module<M: ModuleRules>(codec: &Codec, entry: Option<&Entry>) -> Option<KeptModule<M>> {
    entry.and_then(|entry| readable(entry, codec.read_module(entry)))
}

fn readable<T>(entry: &Entry, read: postern_api::Result<T>) -> Option<T> {
    read.inspect_err(|error| tracing::error!(key = %entry.key, %error, "a stored value is left out")).ok()
}
