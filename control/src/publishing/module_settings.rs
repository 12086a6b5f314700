//! Modules by owner, and the records that they refer to.

use super::reading::readable;
use crate::{
    resources::{Codec, ModuleRules, StoredModule, StoredRecord},
    store::Entry,
};
use ipnet::IpNet;
use postern_api::{
    AnyId,
    id::Kind,
    ip_rules::{IpRule, IpRules, IpTable},
    module::{
        Backend, CircuitBreaker, Compression, HttpsTermination, IpRestriction, Module, MutualTls, OAuth, Oidc,
        RequestHeaders, ResponseHeaders, Saml, TerminateAt, TlsTermination, UserAgentFilter, WebhookVerification,
        WebsocketTcpConverter,
    },
    published::{Login, SamlLogin, Settings, Termination},
    resource::{CertificateAuthority, HttpsEdge, IpPolicyRule},
};
use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
    sync::Arc,
};

/// Inputs of the published settings of edges and routes.
#[derive(Default)]
pub(super) struct ModuleSettings {
    modules: HashMap<String, OwnerModules>,
    /// Rules of each policy; policies without rules are left out.
    policies: HashMap<String, Arc<IpTable>>,
    /// Policy and network of each rule, because a deletion carries only the rule's id.
    rules: HashMap<String, (AnyId, IpNet)>,
    /// Ids of the routes, edges and restrictions that use each policy.
    policy_users: HashMap<String, BTreeSet<String>>,
    authorities: HashMap<String, Arc<str>>,
}

/// Modules of one owner. `Some(None)` is a module that is set and cannot be read.
#[derive(Default)]
struct OwnerModules {
    backend: Option<Option<Backend>>,
    ip_restriction: Option<Option<IpRestriction>>,
    mutual_tls: Option<Option<MutualTls>>,
    tls_termination: Option<Option<(bool, Termination)>>,
    circuit_breaker: Option<Option<CircuitBreaker>>,
    compression: Option<Option<Compression>>,
    request_headers: Option<Option<RequestHeaders>>,
    response_headers: Option<Option<ResponseHeaders>>,
    webhook_verification: Option<Option<WebhookVerification>>,
    user_agent_filter: Option<Option<UserAgentFilter>>,
    websocket_tcp_converter: Option<Option<WebsocketTcpConverter>>,
    /// Each login module, and whether it is enabled.
    logins: BTreeMap<&'static str, Option<(bool, Arc<Login>)>>,
}

impl OwnerModules {
    /// Sets or removes a login module.
    fn set_login<M: ModuleRules>(
        &mut self,
        read: Option<Option<StoredModule<M>>>,
        enabled: impl Fn(&M) -> bool,
        login: impl FnOnce(StoredModule<M>) -> Login,
    ) {
        match read {
            Some(stored) => {
                let login = stored.map(|stored| (enabled(&stored.module), Arc::new(login(stored))));
                self.logins.insert(M::NAME, login)
            }
            None => self.logins.remove(M::NAME),
        };
    }
}

impl ModuleSettings {
    /// Sets a module of an owner; no entry removes it. Returns whether the edge is affected.
    pub(super) fn set_module(&mut self, codec: &Codec, owner: &str, name: &str, entry: Option<&Entry>) -> bool {
        if entry.is_none() && !self.modules.contains_key(owner) {
            return false;
        }
        let set = self.modules.entry(owner.to_owned()).or_default();
        match name {
            Backend::NAME => set.backend = configuration(codec, entry),
            IpRestriction::NAME => {
                let former = std::mem::replace(&mut set.ip_restriction, configuration(codec, entry));
                let now = policies(set.ip_restriction.as_ref());
                self.set_policies(owner, &policies(former.as_ref()), now);
            }
            MutualTls::NAME => set.mutual_tls = configuration(codec, entry),
            TlsTermination::NAME if owner.starts_with(HttpsEdge::PREFIX) => {
                set.tls_termination = configuration(codec, entry).map(|read| read.and_then(https_termination));
            }
            TlsTermination::NAME => {
                set.tls_termination = configuration(codec, entry).map(|read| read.and_then(tls_termination))
            }
            CircuitBreaker::NAME => set.circuit_breaker = configuration(codec, entry),
            Compression::NAME => set.compression = configuration(codec, entry),
            RequestHeaders::NAME => set.request_headers = configuration(codec, entry),
            ResponseHeaders::NAME => set.response_headers = configuration(codec, entry),
            WebhookVerification::NAME => set.webhook_verification = configuration(codec, entry),
            UserAgentFilter::NAME => set.user_agent_filter = configuration(codec, entry),
            WebsocketTcpConverter::NAME => set.websocket_tcp_converter = configuration(codec, entry),
            OAuth::NAME => {
                set.set_login::<OAuth>(
                    stored_module(codec, entry),
                    |module| module.enabled,
                    |stored| Login::OAuth(Box::new(stored.module)),
                );
            }
            Oidc::NAME => {
                set.set_login::<Oidc>(
                    stored_module(codec, entry),
                    |module| module.enabled,
                    |stored| Login::Oidc(stored.module),
                );
            }
            Saml::NAME => set.set_login::<Saml>(stored_module(codec, entry), |module| module.enabled, saml_login),
            _ => return false,
        }
        true
    }

    /// Removes all modules of a deleted owner.
    pub(super) fn remove_owner(&mut self, owner: &str) {
        if let Some(set) = self.modules.remove(owner) {
            self.set_policies(owner, &policies(set.ip_restriction.as_ref()), Vec::new());
        }
    }

    /// Replaces the policies that a route, edge or restriction uses.
    pub(super) fn set_policies(&mut self, owner: &str, former: &[String], now: Vec<String>) {
        for policy in former {
            if let Some(users) = self.policy_users.get_mut(policy) {
                users.remove(owner);
                if users.is_empty() {
                    self.policy_users.remove(policy);
                }
            }
        }
        for policy in now {
            self.policy_users.entry(policy).or_default().insert(owner.to_owned());
        }
    }

    /// Sets or removes a rule of a policy; gives the ids of all users of that policy.
    pub(super) fn set_policy_rule(&mut self, id: &str, rule: Option<StoredRecord<IpPolicyRule>>) -> Vec<String> {
        let mut changed_policies = BTreeSet::new();
        if let Some((policy, network)) = self.rules.remove(id) {
            if let Some(table) = self.policies.get_mut(policy.as_str()) {
                // Published configurations keep their own copy.
                Arc::make_mut(table).remove(network, id);
                if table.is_empty() {
                    self.policies.remove(policy.as_str());
                }
            }
            changed_policies.insert(policy.to_string());
        }
        if let Some(rule) = rule {
            let (policy, network) = (rule.hidden.any(), rule.spec.cidr);
            let table = self.policies.entry(policy.to_string()).or_default();
            Arc::make_mut(table).insert(IpRule { network, action: rule.spec.action, id: id.into() });
            changed_policies.insert(policy.to_string());
            self.rules.insert(id.to_owned(), (policy, network));
        }
        changed_policies.iter().filter_map(|policy| self.policy_users.get(policy)).flatten().cloned().collect()
    }

    /// Sets or removes an authority. No module can refer to it at that moment.
    pub(super) fn set_authority(&mut self, id: &str, authority: Option<StoredRecord<CertificateAuthority>>) {
        match authority {
            Some(authority) => self.authorities.insert(id.to_owned(), authority.spec.ca_pem.into()),
            None => self.authorities.remove(id),
        };
    }

    /// Rules of several policies together. Deleted policies have none.
    pub(super) fn rules_of<'a>(&self, policies: impl IntoIterator<Item = &'a String>) -> Arc<IpRules> {
        Arc::new(IpRules::of(policies.into_iter().filter_map(|policy| self.policies.get(policy)).cloned()))
    }

    /// Published settings of an owner.
    pub(super) fn settings(&self, owner: &str) -> Settings {
        let mut settings = Settings::default();
        let Some(set) = self.modules.get(owner) else { return settings };
        let unreadable = &mut settings.unreadable;
        settings.backend = usable(&set.backend, unreadable, |module| module.enabled).map(|module| module.backend_id);
        settings.ip_restriction = usable(&set.ip_restriction, unreadable, |module| module.enabled)
            .map(|module| self.rules_of(&module.ip_policy_ids));
        settings.mutual_tls = usable(&set.mutual_tls, unreadable, |module| module.enabled).map(|module| {
            module.certificate_authority_ids.iter().filter_map(|id| self.authorities.get(id)).cloned().collect()
        });
        settings.tls_termination =
            usable(&set.tls_termination, unreadable, |(enabled, _)| *enabled).map(|(_, termination)| termination);
        settings.circuit_breaker = usable(&set.circuit_breaker, unreadable, |module| module.enabled);
        settings.compression = usable(&set.compression, unreadable, |module| module.enabled).is_some();
        settings.request_headers =
            usable(&set.request_headers, unreadable, |module| module.0.enabled).map(|module| module.0);
        settings.response_headers =
            usable(&set.response_headers, unreadable, |module| module.0.enabled).map(|module| module.0);
        settings.webhook_verification = usable(&set.webhook_verification, unreadable, |module| module.enabled);
        settings.user_agent_filter = usable(&set.user_agent_filter, unreadable, |module| module.enabled);
        settings.websocket_tcp_converter =
            usable(&set.websocket_tcp_converter, unreadable, |module| module.enabled).is_some();
        *unreadable |= set.logins.values().any(Option::is_none);
        let mut logins = set.logins.values().flatten().filter(|(enabled, _)| *enabled).map(|(_, login)| login.clone());
        settings.login = logins.next();
        // Of two logins, neither can be assumed to be the stricter one.
        *unreadable |= logins.next().is_some();
        settings
    }
}

/// A module that is set, readable and enabled.
fn usable<M: Clone>(set: &Option<Option<M>>, unreadable: &mut bool, enabled: impl Fn(&M) -> bool) -> Option<M> {
    *unreadable |= matches!(set, Some(None));
    set.as_ref().and_then(Option::as_ref).filter(|module| enabled(module)).cloned()
}

fn policies(set: Option<&Option<IpRestriction>>) -> Vec<String> {
    set.and_then(Option::as_ref).map(|module| module.ip_policy_ids.clone()).unwrap_or_default()
}

fn https_termination(module: HttpsTermination) -> Option<(bool, Termination)> {
    let termination = Termination { at: TerminateAt::Edge, oldest: Some(module.oldest().ok()?) };
    Some((module.enabled, termination))
}

fn tls_termination(module: TlsTermination) -> Option<(bool, Termination)> {
    let termination = Termination { at: module.place().ok()?, oldest: module.oldest().ok()? };
    Some((module.enabled, termination))
}

/// Reads the configuration of a module; `Some(None)` if it cannot be read.
fn configuration<M: ModuleRules>(codec: &Codec, entry: Option<&Entry>) -> Option<Option<M>> {
    Some(stored_module(codec, entry)?.map(|stored| stored.module))
}

/// Reads a module with its hidden state; `Some(None)` if it cannot be read.
fn stored_module<M: ModuleRules>(codec: &Codec, entry: Option<&Entry>) -> Option<Option<StoredModule<M>>> {
    let entry = entry?;
    Some(readable(entry, codec.read_module(entry)))
}

fn saml_login(stored: StoredModule<Saml>) -> Login {
    let (signing_certificate_pem, signing_key_pem) = stored.hidden.into_parts();
    Login::Saml(SamlLogin { module: stored.module, signing_key_pem, signing_certificate_pem })
}
