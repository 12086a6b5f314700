//! Follows the store and publishes what the edge needs, one whole configuration after another.

use crate::{
    Snapshot,
    resources::{Kept, KeptModule, kept},
    snapshot::{PublishedCredential, PublishedTcpEdge},
    store::{Change, Range, Result, Revision, Store, StoreError},
};
use postern_api::{
    AnyId,
    ip_rules::{IpRule, IpRules},
    module::{Backend, IpRestriction, Module},
    resource::{ApiKey, Credential, IpPolicyRule, Resource, TcpEdge, TunnelGroupBackend},
    token::TokenHash,
};
use serde::de::DeserializeOwned;
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
    pub(crate) async fn start(store: Arc<dyn Store>) -> Result<Self> {
        let mut mirror = Mirror::default();
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
                        let mut fresh = Mirror::default();
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
#[derive(Default)]
struct Mirror {
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
    /// Reads everything. Gives the revision from which on changes must be applied.
    async fn load(&mut self, store: &dyn Store) -> Result<Revision> {
        let prefixes = [
            kept::records::<Credential>(),
            kept::records::<ApiKey>(),
            kept::records::<TunnelGroupBackend>(),
            kept::records::<TcpEdge>(),
            kept::records::<IpPolicyRule>(),
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
        let value = change.value.as_deref();
        match (first, second) {
            ("records", Credential::KIND) => {
                let publish = |kept: Kept<Credential>| PublishedCredential {
                    id: kept.id.to_string(),
                    hash: kept.hidden,
                    acl: kept.spec.acl,
                };
                set(self.credentials.change(), ksuid(third), read(&change.key, value).map(publish));
            }
            ("records", ApiKey::KIND) => {
                let hash = |kept: Kept<ApiKey>| kept.hidden;
                set(self.api_keys.change(), ksuid(third), read(&change.key, value).map(hash));
            }
            ("records", TunnelGroupBackend::KIND) => {
                let publish = |kept: Kept<TunnelGroupBackend>| kept.spec.labels;
                set(self.groups.change(), third.to_owned(), read(&change.key, value).map(publish));
            }
            ("records", TcpEdge::KIND) => {
                let edge: Option<Kept<TcpEdge>> = read(&change.key, value);
                match edge {
                    Some(edge) => self.edges.insert(third.to_owned(), crate::resources::ports(&edge.spec)),
                    None => self.edges.remove(third),
                };
                self.published_edges = None;
            }
            ("records", IpPolicyRule::KIND) => self.rule(third, read(&change.key, value)),
            ("modules", owner) if third == Backend::NAME => {
                let module = |kept: KeptModule<Backend>| kept.module;
                set(&mut self.backends, owner.to_owned(), read(&change.key, value).map(module));
                self.published_edges = None;
            }
            ("modules", owner) if third == IpRestriction::NAME => {
                // One that cannot be read keeps everybody out: it stands there as `None`.
                let restriction = read::<KeptModule<IpRestriction>>(&change.key, value).map(|kept| kept.module);
                set(&mut self.restrictions, owner.to_owned(), value.map(|_| restriction));
                self.published_edges = None;
            }
            _ => return false,
        }
        true
    }

    fn rule(&mut self, id: &str, rule: Option<Kept<IpPolicyRule>>) {
        self.published_edges = None;
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
        Snapshot {
            revision,
            credentials: self.credentials.publish(),
            api_keys: self.api_keys.publish(),
            tunnel_groups: self.groups.publish(),
            tcp_edges,
        }
    }

    fn edge(&self, id: &str, ports: &[u16]) -> PublishedTcpEdge {
        let backend = self.backends.get(id).filter(|backend| backend.enabled);
        let ip_restriction = match self.restrictions.get(id) {
            Some(Some(restriction)) if !restriction.enabled => None,
            Some(Some(restriction)) => Some(self.rules_of(restriction)),
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

    /// The rules of all policies together. One that was deleted adds none.
    fn rules_of(&self, restriction: &IpRestriction) -> Arc<IpRules> {
        let policies = restriction.ip_policy_ids.iter().filter_map(|policy| self.rules.get(policy));
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

/// Reads a value that is there; what cannot be read is left out and said so.
fn read<T: DeserializeOwned>(key: &str, value: Option<&[u8]>) -> Option<T> {
    let read = serde_json::from_slice(value?);
    read.inspect_err(|error| tracing::error!(%key, %error, "a stored value cannot be read and is left out")).ok()
}
