//! The part of the store that matters to the edge, read once and kept up to date by its changes.

use super::{
    credentials::Credentials,
    edges::Edges,
    logins::Logins,
    owners::{Owners, readable, record},
    shelf::Shelf,
};
use crate::{
    logins::stored,
    resources::{Codec, Kept, Rules, hosts, kept, reserved_address, reserved_domain},
    store::{Change, Entry, Range, Result, Revision, Store},
};
use postern_api::{
    host::HostName,
    published::{self, Backend, Certificate, ChangeCursor, Changed, DomainCertificate, Map, Names, Published},
    resource::{
        self, ApiKey, AppSession, BotUser, CertificateAuthority, Credential, FailoverBackend, HttpResponseBackend,
        HttpsEdge, HttpsRoute, IpPolicyRule, ReservedAddress, ReservedDomain, Resource, StaticBackend, TcpEdge,
        TlsCertificate, TlsEdge, TunnelGroupBackend, View, WeightedBackend,
    },
    token::TokenHash,
};
use std::{collections::HashMap, sync::Arc};

/// Keys read at once when everything is read.
const STEP: usize = 1000;

/// What is known, and what has been published of it.
pub(super) struct Mirror {
    codec: Codec,
    credentials: Credentials,
    api_keys: Map<String, TokenHash>,
    backends: Map<String, Arc<Backend>>,
    certificates: Shelf<Certificate, Certificate>,
    choices: Part<HashMap<String, DomainCertificate>>,
    /// The domains of reservations that say something about certificates, by the reservation.
    chosen_for: HashMap<String, String>,
    restrictions: Shelf<Restriction, published::IpRestriction>,
    names: Names,
    /// What each record has of the names, for a deletion tells only the record.
    named: HashMap<String, Named>,
    owners: Owners,
    edges: Edges,
    logins: Logins,
    /// Where the configuration stands that was published last, and what has changed since beside edges.
    cursor: ChangeCursor,
    changed: Changed,
}

/// An IP restriction of a part of the service, and the ids of its policies.
struct Restriction {
    spec: resource::IpRestriction,
    policies: Vec<String>,
}

/// What one record has of the names.
enum Named {
    Edge(Vec<HostName>),
    Domain(HostName),
    Address(u16),
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
    pub(super) fn new(codec: Codec) -> Self {
        Mirror {
            codec,
            credentials: Credentials::default(),
            api_keys: Map::default(),
            backends: Map::default(),
            certificates: Shelf::default(),
            choices: Part::default(),
            chosen_for: HashMap::new(),
            restrictions: Shelf::default(),
            names: Names::default(),
            named: HashMap::new(),
            owners: Owners::default(),
            edges: Edges::default(),
            logins: Logins::default(),
            cursor: ChangeCursor::default(),
            changed: Changed::default(),
        }
    }

    /// Reads everything. Gives the revision from which on changes must be applied.
    pub(super) async fn load(&mut self, store: &dyn Store) -> Result<Revision> {
        let prefixes = [
            kept::records::<BotUser>(),
            kept::records::<Credential>(),
            kept::records::<ApiKey>(),
            kept::records::<TunnelGroupBackend>(),
            kept::records::<WeightedBackend>(),
            kept::records::<FailoverBackend>(),
            kept::records::<HttpResponseBackend>(),
            kept::records::<StaticBackend>(),
            kept::records::<TlsCertificate>(),
            kept::records::<ReservedDomain>(),
            kept::records::<CertificateAuthority>(),
            kept::records::<IpPolicyRule>(),
            kept::records::<resource::IpRestriction>(),
            "modules/".to_owned(),
            kept::records::<HttpsEdge>(),
            kept::records::<HttpsRoute>(),
            kept::records::<TlsEdge>(),
            kept::records::<TcpEdge>(),
            kept::records::<ReservedAddress>(),
            // Sessions are looked at with the moments of their use.
            stored::USES_OF_SESSIONS.to_owned(),
            stored::records::<AppSession>(),
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
                    if entry.key.starts_with(stored::USES_OF_SESSIONS) {
                        self.logins.used(&entry.key, &entry.value);
                        continue;
                    }
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
    pub(super) fn apply(&mut self, change: Change) -> bool {
        let mut parts = change.key.split('/');
        let (Some(first), Some(second), Some(third)) = (parts.next(), parts.next(), parts.next()) else { return false };
        let entry = change.value.map(|value| Entry { key: change.key.clone(), value, revision: change.revision });
        let (codec, entry) = (&self.codec, entry.as_ref());
        match (first, second) {
            ("modules", owner) => {
                let matters = self.owners.module(codec, owner, third, entry);
                self.edges.stale(owner);
                return matters;
            }
            ("records", Credential::KIND) => {
                self.changed.credentials = true;
                self.credentials.set(ksuid(third), record(codec, entry));
            }
            ("records", BotUser::KIND) => {
                let matters = self.credentials.bot(third, record(codec, entry));
                self.changed.credentials |= matters;
                return matters;
            }
            ("records", ApiKey::KIND) => {
                let hash = |kept: Kept<ApiKey>| kept.hidden;
                set(&mut self.api_keys, ksuid(third), record(codec, entry).map(hash));
            }
            ("records", TunnelGroupBackend::KIND) => self.backend(third, entry, Backend::TunnelGroup),
            ("records", WeightedBackend::KIND) => self.backend(third, entry, Backend::Weighted),
            ("records", FailoverBackend::KIND) => self.backend(third, entry, Backend::Failover),
            ("records", HttpResponseBackend::KIND) => self.backend(third, entry, Backend::HttpResponse),
            ("records", StaticBackend::KIND) => self.backend(third, entry, Backend::Static),
            ("records", TlsCertificate::KIND) => self.certificates.set(third, record(codec, entry).map(certificate)),
            ("records", CertificateAuthority::KIND) => self.owners.authority(third, record(codec, entry)),
            ("records", IpPolicyRule::KIND) => {
                for judged in self.owners.rule(third, record(codec, entry)) {
                    self.restrictions.stale(&judged);
                    self.edges.stale(&judged);
                }
            }
            ("records", resource::IpRestriction::KIND) => {
                let now = record(codec, entry).map(|kept: Kept<resource::IpRestriction>| {
                    let policies = kept.hidden.iter().map(ToString::to_string).collect();
                    Restriction { spec: kept.spec, policies }
                });
                let former = self.restrictions.known(third).map(|former| former.policies.clone()).unwrap_or_default();
                let policies = now.as_ref().map(|now| now.policies.clone()).unwrap_or_default();
                self.owners.judge(third, &former, policies);
                self.restrictions.set(third, now);
            }
            ("records", kind @ (HttpsEdge::KIND | HttpsRoute::KIND | TlsEdge::KIND | TcpEdge::KIND)) => {
                if entry.is_none() {
                    self.owners.forget(third);
                }
                match kind {
                    HttpsEdge::KIND => {
                        let edge: Option<Kept<HttpsEdge>> = record(codec, entry);
                        self.name(third, edge.as_ref().map(|edge| Named::Edge(hosts(&edge.spec.hostports))), third);
                        self.edges.https(third, edge);
                    }
                    HttpsRoute::KIND => self.edges.route(third, record(codec, entry)),
                    TlsEdge::KIND => {
                        let edge: Option<Kept<TlsEdge>> = record(codec, entry);
                        self.name(third, edge.as_ref().map(|edge| Named::Edge(hosts(&edge.spec.hostports))), third);
                        self.edges.tls(third, edge);
                    }
                    _ => self.edges.tcp(third, record(codec, entry)),
                }
            }
            ("records", ReservedDomain::KIND) => {
                let domain: Option<Kept<ReservedDomain>> = record(codec, entry);
                let owner = domain.as_ref().map(|domain| domain.spec.owner_id.to_string()).unwrap_or_default();
                let named = domain.as_ref().and_then(|domain| reserved_domain::name_of(&domain.spec));
                self.name(third, named.map(Named::Domain), &owner);
                self.choice(third, domain);
            }
            ("records", AppSession::KIND) => {
                let read = entry.and_then(|entry| readable(entry, stored::read(codec, entry)));
                self.logins.set(third, read);
            }
            ("records", ReservedAddress::KIND) => {
                let address: Option<Kept<ReservedAddress>> = record(codec, entry);
                let owner = address.as_ref().map(|address| address.spec.owner_id.to_string()).unwrap_or_default();
                let named = address.and_then(|address| reserved_address::port_of(&address.spec)).map(Named::Address);
                self.name(third, named, &owner);
            }
            _ => return false,
        }
        true
    }

    /// A reservation may have another certificate now than before.
    fn choice(&mut self, id: &str, now: Option<Kept<ReservedDomain>>) {
        if let Some(domain) = self.chosen_for.remove(id) {
            self.choices.change().remove(&domain);
        }
        let Some(Kept { spec, hidden, .. }) = now else { return };
        let chosen = match (hidden.certificate, spec.certificate_management_policy) {
            (Some(certificate), _) => DomainCertificate::Chosen(certificate.to_string()),
            (None, Some(policy)) => DomainCertificate::Managed(policy.private_key_type),
            (None, None) => return,
        };
        self.chosen_for.insert(id.to_owned(), spec.domain.clone());
        self.choices.change().insert(spec.domain, chosen);
    }

    /// A record has other names now than before. They are given out with a word about who has them.
    fn name(&mut self, record: &str, now: Option<Named>, holder: &str) {
        if let Some(former) = self.named.remove(record) {
            let names = &mut self.names;
            match former {
                // A name that has moved on meanwhile is somebody else's.
                Named::Edge(former) => former.iter().for_each(|name| {
                    if names.edges.get(name).is_some_and(|holder| holder == record) {
                        names.edges.remove_mut(name);
                    }
                }),
                Named::Domain(name) => _ = names.domains.remove_mut(&name),
                Named::Address(port) => _ = names.addresses.remove_mut(&port),
            }
        }
        let Some(now) = now else { return };
        let names = &mut self.names;
        match &now {
            Named::Edge(now) => {
                now.iter().for_each(|name| names.edges.insert_mut(name.clone(), holder.to_owned()));
            }
            Named::Domain(name) => names.domains.insert_mut(name.clone(), holder.to_owned()),
            Named::Address(port) => names.addresses.insert_mut(*port, holder.to_owned()),
        }
        self.named.insert(record.to_owned(), now);
    }

    fn backend<R: Rules>(&mut self, id: &str, entry: Option<&Entry>, publish: fn(R) -> Backend) {
        let backend = record::<R>(&self.codec, entry).map(|kept| Arc::new(publish(kept.spec)));
        self.changed.backends.insert(id.to_owned());
        set(&mut self.backends, id.to_owned(), backend);
    }

    /// The configuration as it is now.
    pub(super) fn publish(&mut self, revision: Revision) -> Published {
        let mut published = Published {
            revision,
            credentials: self.credentials.accepted.clone(),
            inactive_credentials: self.credentials.refused.clone(),
            api_keys: self.api_keys.clone(),
            backends: self.backends.clone(),
            names: self.names.clone(),
            certificates: self.certificates.list(|_, certificate| certificate.clone()),
            domain_certificates: self.choices.publish(),
            ip_restrictions: self.restrictions.list(|id, known| published::IpRestriction {
                id: id.to_owned(),
                guards: known.spec.kind,
                enforced: known.spec.enforced,
                rules: self.owners.rules_of(&known.policies),
            }),
            logins: self.logins.publish(),
            ..Published::default()
        };
        self.certificates.touched();
        self.restrictions.touched();
        let mut changed = std::mem::take(&mut self.changed);
        self.edges.publish(&self.owners, &mut published, &mut changed);
        self.cursor = self.cursor.then(changed);
        published.cursor = self.cursor.clone();
        published
    }
}

fn certificate(kept: Kept<TlsCertificate>) -> Certificate {
    let leaf = kept.hidden.leaf;
    let others = leaf.subject_alternative_names;
    let mut names = others.dns_names;
    if names.is_empty() && others.ips.is_empty() {
        names.push(leaf.subject_common_name);
    }
    Certificate {
        id: kept.id.to_string(),
        chain_pem: kept.spec.certificate_pem,
        private_key_pem: kept.hidden.private_key_pem,
        names,
        addresses: others.ips.iter().filter_map(|address| address.parse().ok()).collect(),
        issued_at: leaf.issued_at,
        not_before: leaf.not_before,
        not_after: leaf.not_after,
    }
}

/// The part of an id that tokens begin with.
fn ksuid(id: &str) -> String {
    id.split_once('_').map_or("", |(_, ksuid)| ksuid).to_owned()
}

fn set<T>(map: &mut Map<String, T>, key: String, value: Option<T>) {
    match value {
        Some(value) => map.insert_mut(key, value),
        None => _ = map.remove_mut(&key),
    }
}
