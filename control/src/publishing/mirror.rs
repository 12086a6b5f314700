//! In-memory mirror of the stored state that the edge needs, loaded once and updated by changes.

use super::{
    credentials::Credentials, edges::Edges, login_sessions::LoginSessionIndex, memo_map::MemoMap,
    module_settings::ModuleSettings,
};
use crate::{
    resources::{Codec, Rules, StoredRecord, hosts, reserved_address, reserved_domain},
    store::Revision,
};
use postern_api::{
    host::HostName,
    published::{
        self, Backend, Certificate, ChangeCursor, Changed, DomainCertificate, LoginSession, Map, Names, Published,
    },
    resource::{
        ApiKey, BotUser, CertificateAuthority, Credential, HttpsEdge, HttpsRoute, IpPolicyRule, IpRestriction,
        ReservedAddress, ReservedDomain, TcpEdge, TlsCertificate, TlsEdge,
    },
    token::TokenHash,
};
use std::{
    collections::{HashMap, HashSet},
    sync::Arc,
};

/// Mirrored state, and what has been published of it.
pub(super) struct Mirror {
    pub(super) codec: Codec,
    credentials: Credentials,
    api_keys: Map<String, TokenHash>,
    backends: Map<String, Arc<Backend>>,
    certificates: MemoMap<Certificate, Certificate>,
    domain_certificates: CopyOnPublish<HashMap<String, DomainCertificate>>,
    /// Domain of each reservation that chooses a certificate, by the id of the reservation.
    chosen_domains: HashMap<String, String>,
    restrictions: MemoMap<Restriction, published::IpRestriction>,
    names: Names,
    /// Names held by each record, because a deletion carries only the record's id.
    held_names: HashMap<String, HeldNames>,
    pub(super) modules: ModuleSettings,
    pub(super) edges: Edges,
    pub(super) logins: LoginSessionIndex,
    /// Records that belong to a deleted one, by the key of its deletion, until they are deleted too.
    pub(super) trashed: HashMap<String, HashSet<String>>,
    /// Cursor of the configuration that was published last.
    cursor: ChangeCursor,
    /// Changes since then, without those of edges.
    changed: Changed,
}

/// An IP restriction of a part of the service, and the ids of its policies.
struct Restriction {
    spec: IpRestriction,
    policies: Vec<String>,
}

/// Names held by one record.
enum HeldNames {
    Edge(Vec<HostName>),
    Domain(HostName),
    Address(u16),
}

/// A large value that is copied for publishing only if it has changed.
#[derive(Default)]
struct CopyOnPublish<T> {
    current: T,
    published: Option<Arc<T>>,
}

impl<T: Clone> CopyOnPublish<T> {
    fn get_mut(&mut self) -> &mut T {
        self.published = None;
        &mut self.current
    }
    fn publish(&mut self) -> Arc<T> {
        self.published.get_or_insert_with(|| Arc::new(self.current.clone())).clone()
    }
}

impl Mirror {
    pub(super) fn new(codec: Codec) -> Self {
        Mirror {
            codec,
            credentials: Credentials::default(),
            api_keys: Map::default(),
            backends: Map::default(),
            certificates: MemoMap::default(),
            domain_certificates: CopyOnPublish::default(),
            chosen_domains: HashMap::new(),
            restrictions: MemoMap::default(),
            names: Names::default(),
            held_names: HashMap::new(),
            modules: ModuleSettings::default(),
            edges: Edges::default(),
            logins: LoginSessionIndex::default(),
            trashed: HashMap::new(),
            cursor: ChangeCursor::default(),
            changed: Changed::default(),
        }
    }

    pub(super) fn set_credential(&mut self, id: &str, credential: Option<StoredRecord<Credential>>) -> bool {
        self.changed.credentials = true;
        self.credentials.set(ksuid(id), credential);
        true
    }

    pub(super) fn set_bot_user(&mut self, id: &str, bot: Option<StoredRecord<BotUser>>) -> bool {
        let affected = self.credentials.set_bot_user(id, bot);
        self.changed.credentials |= affected;
        affected
    }

    pub(super) fn set_api_key(&mut self, id: &str, key: Option<StoredRecord<ApiKey>>) -> bool {
        set(&mut self.api_keys, ksuid(id), key.map(|key| key.hidden));
        true
    }

    pub(super) fn set_backend<R: Rules>(
        &mut self,
        id: &str,
        backend: Option<StoredRecord<R>>,
        publish: fn(R) -> Backend,
    ) -> bool {
        self.changed.backends.insert(id.to_owned());
        set(&mut self.backends, id.to_owned(), backend.map(|stored| Arc::new(publish(stored.spec))));
        true
    }

    pub(super) fn set_certificate(&mut self, id: &str, stored: Option<StoredRecord<TlsCertificate>>) -> bool {
        self.certificates.set(id, stored.map(certificate));
        true
    }

    pub(super) fn set_authority(&mut self, id: &str, authority: Option<StoredRecord<CertificateAuthority>>) -> bool {
        self.modules.set_authority(id, authority);
        true
    }

    pub(super) fn set_policy_rule(&mut self, id: &str, rule: Option<StoredRecord<IpPolicyRule>>) -> bool {
        for user in self.modules.set_policy_rule(id, rule) {
            self.restrictions.invalidate(&user);
            self.edges.invalidate(&user);
        }
        true
    }

    pub(super) fn set_restriction(&mut self, id: &str, stored: Option<StoredRecord<IpRestriction>>) -> bool {
        let restriction = stored.map(|stored| {
            let policies = stored.hidden.iter().map(ToString::to_string).collect();
            Restriction { spec: stored.spec, policies }
        });
        let former = self.restrictions.input(id).map(|former| former.policies.clone()).unwrap_or_default();
        let policies = restriction.as_ref().map(|now| now.policies.clone()).unwrap_or_default();
        self.modules.set_policies(id, &former, policies);
        self.restrictions.set(id, restriction);
        true
    }

    pub(super) fn set_https_edge(&mut self, id: &str, edge: Option<StoredRecord<HttpsEdge>>) -> bool {
        self.set_names(id, edge.as_ref().map(|edge| HeldNames::Edge(hosts(&edge.spec.hostports))), id);
        self.edges.set_https(id, edge);
        true
    }

    pub(super) fn set_https_route(&mut self, id: &str, route: Option<StoredRecord<HttpsRoute>>) -> bool {
        self.edges.set_route(id, route);
        true
    }

    pub(super) fn set_tls_edge(&mut self, id: &str, edge: Option<StoredRecord<TlsEdge>>) -> bool {
        self.set_names(id, edge.as_ref().map(|edge| HeldNames::Edge(hosts(&edge.spec.hostports))), id);
        self.edges.set_tls(id, edge);
        true
    }

    pub(super) fn set_tcp_edge(&mut self, id: &str, edge: Option<StoredRecord<TcpEdge>>) -> bool {
        self.edges.set_tcp(id, edge);
        true
    }

    pub(super) fn set_reserved_domain(&mut self, id: &str, domain: Option<StoredRecord<ReservedDomain>>) -> bool {
        let owner = domain.as_ref().map(|domain| domain.spec.owner_id.to_string()).unwrap_or_default();
        let name = domain.as_ref().and_then(|domain| reserved_domain::name_of(&domain.spec));
        self.set_names(id, name.map(HeldNames::Domain), &owner);
        self.set_domain_certificate(id, domain);
        true
    }

    pub(super) fn set_reserved_address(&mut self, id: &str, address: Option<StoredRecord<ReservedAddress>>) -> bool {
        let owner = address.as_ref().map(|address| address.spec.owner_id.to_string()).unwrap_or_default();
        let port = address.and_then(|address| reserved_address::port_of(&address.spec));
        self.set_names(id, port.map(HeldNames::Address), &owner);
        true
    }

    pub(super) fn set_login_session(&mut self, id: &str, session: Option<LoginSession>) -> bool {
        self.logins.set(id, session);
        true
    }

    pub(super) fn remove_modules(&mut self, owner: &str) {
        self.modules.remove_owner(owner);
    }

    /// Updates the certificate that a reservation chooses for its domain.
    fn set_domain_certificate(&mut self, id: &str, reservation: Option<StoredRecord<ReservedDomain>>) {
        if let Some(domain) = self.chosen_domains.remove(id) {
            self.domain_certificates.get_mut().remove(&domain);
        }
        let Some(StoredRecord { spec, hidden, .. }) = reservation else { return };
        let chosen = match (hidden.certificate, spec.certificate_management_policy) {
            (Some(certificate), _) => DomainCertificate::Chosen(certificate.to_string()),
            (None, Some(policy)) => DomainCertificate::Managed(policy.private_key_type),
            (None, None) => return,
        };
        self.chosen_domains.insert(id.to_owned(), spec.domain.clone());
        self.domain_certificates.get_mut().insert(spec.domain, chosen);
    }

    /// Replaces the names that a record holds. `holder` is published with them.
    fn set_names(&mut self, record: &str, now: Option<HeldNames>, holder: &str) {
        if let Some(former) = self.held_names.remove(record) {
            let names = &mut self.names;
            match former {
                // Another edge may hold the name by now.
                HeldNames::Edge(former) => former.iter().for_each(|name| {
                    if names.edges.get(name).is_some_and(|holder| holder == record) {
                        names.edges.remove_mut(name);
                    }
                }),
                HeldNames::Domain(name) => _ = names.domains.remove_mut(&name),
                HeldNames::Address(port) => _ = names.addresses.remove_mut(&port),
            }
        }
        let Some(now) = now else { return };
        let names = &mut self.names;
        match &now {
            HeldNames::Edge(now) => {
                now.iter().for_each(|name| names.edges.insert_mut(name.clone(), holder.to_owned()));
            }
            HeldNames::Domain(name) => names.domains.insert_mut(name.clone(), holder.to_owned()),
            HeldNames::Address(port) => names.addresses.insert_mut(*port, holder.to_owned()),
        }
        self.held_names.insert(record.to_owned(), now);
    }

    /// Builds the configuration as of now.
    pub(super) fn publish(&mut self, revision: Revision) -> Published {
        let mut published = Published {
            revision,
            credentials: self.credentials.accepted.clone(),
            inactive_credentials: self.credentials.refused.clone(),
            api_keys: self.api_keys.clone(),
            backends: self.backends.clone(),
            names: self.names.clone(),
            certificates: self.certificates.list(|_, certificate| certificate.clone()),
            domain_certificates: self.domain_certificates.publish(),
            ip_restrictions: self.restrictions.list(|id, restriction| published::IpRestriction {
                id: id.to_owned(),
                guards: restriction.spec.kind,
                enforced: restriction.spec.enforced,
                rules: self.modules.rules_of(&restriction.policies),
            }),
            logins: self.logins.publish(),
            ..Published::default()
        };
        self.certificates.take_changed();
        self.restrictions.take_changed();
        let mut changed = std::mem::take(&mut self.changed);
        self.edges.publish(&self.modules, &mut published, &mut changed);
        self.cursor = self.cursor.then(changed);
        published.cursor = self.cursor.clone();
        published
    }
}

fn certificate(stored: StoredRecord<TlsCertificate>) -> Certificate {
    let leaf = stored.hidden.leaf;
    let alternatives = leaf.subject_alternative_names;
    let mut names = alternatives.dns_names;
    if names.is_empty() && alternatives.ips.is_empty() {
        names.push(leaf.subject_common_name);
    }
    Certificate {
        id: stored.id.to_string(),
        chain_pem: stored.spec.certificate_pem,
        private_key_pem: stored.hidden.private_key_pem,
        names,
        addresses: alternatives.ips.iter().filter_map(|address| address.parse().ok()).collect(),
        issued_at: leaf.issued_at,
        not_before: leaf.not_before,
        not_after: leaf.not_after,
    }
}

/// KSUID of an id, which tokens begin with.
fn ksuid(id: &str) -> String {
    id.split_once('_').map_or("", |(_, ksuid)| ksuid).to_owned()
}

fn set<T>(map: &mut Map<String, T>, key: String, value: Option<T>) {
    match value {
        Some(value) => map.insert_mut(key, value),
        None => _ = map.remove_mut(&key),
    }
}
