//! The modules that are set, by their owners, and what they refer to.

use crate::{
    resources::{Codec, Kept, KeptModule, ModuleRules, Rules},
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
    resource::{CertificateAuthority, HttpsEdge, IpPolicyRule, Resource},
};
use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
    sync::Arc,
};

/// Everything that settings are made of.
#[derive(Default)]
pub(super) struct Owners {
    modules: HashMap<String, Set>,
    /// The rules of each policy that has some.
    policies: HashMap<String, Arc<IpTable>>,
    /// The policy and the network of each rule, for a deletion tells only the rule.
    place_of: HashMap<String, (AnyId, IpNet)>,
    /// Who is judged by a policy.
    judged_by: HashMap<String, BTreeSet<String>>,
    authorities: HashMap<String, Arc<str>>,
}

/// The modules of one owner. One that is set and cannot be read is `Some(None)`.
#[derive(Default)]
struct Set {
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
    /// Of each login module whether it is enabled, and what it is.
    logins: BTreeMap<&'static str, Option<(bool, Arc<Login>)>>,
}

impl Set {
    /// Notes a login module. An owner has one at most, as long as it can be read.
    fn login<M: ModuleRules>(
        &mut self,
        read: Option<Option<KeptModule<M>>>,
        enabled: impl Fn(&M) -> bool,
        login: impl FnOnce(KeptModule<M>) -> Login,
    ) {
        match read {
            Some(kept) => {
                let login = kept.map(|kept| (enabled(&kept.module), Arc::new(login(kept))));
                self.logins.insert(M::NAME, login)
            }
            None => self.logins.remove(M::NAME),
        };
    }
}

impl Owners {
    /// Takes a module of an owner in, or out if there is no entry; false if the edge has no use for it.
    pub(super) fn module(&mut self, codec: &Codec, owner: &str, name: &str, entry: Option<&Entry>) -> bool {
        if entry.is_none() && !self.modules.contains_key(owner) {
            return false;
        }
        let set = self.modules.entry(owner.to_owned()).or_default();
        match name {
            Backend::NAME => set.backend = read(codec, entry),
            IpRestriction::NAME => {
                let former = std::mem::replace(&mut set.ip_restriction, read(codec, entry));
                let now = policies(set.ip_restriction.as_ref());
                self.judge(owner, &policies(former.as_ref()), now);
            }
            MutualTls::NAME => set.mutual_tls = read(codec, entry),
            TlsTermination::NAME if owner.starts_with(HttpsEdge::PREFIX) => {
                set.tls_termination = read(codec, entry).map(|read| read.and_then(of_https));
            }
            TlsTermination::NAME => set.tls_termination = read(codec, entry).map(|read| read.and_then(of_tls)),
            CircuitBreaker::NAME => set.circuit_breaker = read(codec, entry),
            Compression::NAME => set.compression = read(codec, entry),
            RequestHeaders::NAME => set.request_headers = read(codec, entry),
            ResponseHeaders::NAME => set.response_headers = read(codec, entry),
            WebhookVerification::NAME => set.webhook_verification = read(codec, entry),
            UserAgentFilter::NAME => set.user_agent_filter = read(codec, entry),
            WebsocketTcpConverter::NAME => set.websocket_tcp_converter = read(codec, entry),
            OAuth::NAME => {
                set.login::<OAuth>(
                    kept(codec, entry),
                    |module| module.enabled,
                    |kept| Login::OAuth(Box::new(kept.module)),
                );
            }
            Oidc::NAME => {
                set.login::<Oidc>(kept(codec, entry), |module| module.enabled, |kept| Login::Oidc(kept.module));
            }
            Saml::NAME => set.login::<Saml>(kept(codec, entry), |module| module.enabled, saml),
            _ => return false,
        }
        true
    }

    /// The owner is gone with everything it had.
    pub(super) fn forget(&mut self, owner: &str) {
        if let Some(set) = self.modules.remove(owner) {
            self.judge(owner, &policies(set.ip_restriction.as_ref()), Vec::new());
        }
    }

    /// Notes by which policies somebody is judged.
    pub(super) fn judge(&mut self, owner: &str, former: &[String], now: Vec<String>) {
        for policy in former {
            if let Some(judged) = self.judged_by.get_mut(policy) {
                judged.remove(owner);
                if judged.is_empty() {
                    self.judged_by.remove(policy);
                }
            }
        }
        for policy in now {
            self.judged_by.entry(policy).or_default().insert(owner.to_owned());
        }
    }

    /// Takes a rule of a policy in or out. Gives everybody who is judged by it.
    pub(super) fn rule(&mut self, id: &str, rule: Option<Kept<IpPolicyRule>>) -> Vec<String> {
        let mut touched = BTreeSet::new();
        if let Some((policy, network)) = self.place_of.remove(id) {
            if let Some(table) = self.policies.get_mut(policy.as_str()) {
                // What was published keeps its own.
                Arc::make_mut(table).remove(network, id);
                if table.is_empty() {
                    self.policies.remove(policy.as_str());
                }
            }
            touched.insert(policy.to_string());
        }
        if let Some(rule) = rule {
            let (policy, network) = (rule.hidden.any(), rule.spec.cidr);
            let table = self.policies.entry(policy.to_string()).or_default();
            Arc::make_mut(table).insert(IpRule { network, action: rule.spec.action, id: id.into() });
            touched.insert(policy.to_string());
            self.place_of.insert(id.to_owned(), (policy, network));
        }
        touched.iter().filter_map(|policy| self.judged_by.get(policy)).flatten().cloned().collect()
    }

    /// Takes an authority in or out. Nothing that stands refers to one that comes or goes.
    pub(super) fn authority(&mut self, id: &str, authority: Option<Kept<CertificateAuthority>>) {
        match authority {
            Some(authority) => self.authorities.insert(id.to_owned(), authority.spec.ca_pem.into()),
            None => self.authorities.remove(id),
        };
    }

    /// The rules of these policies together. One that was deleted adds none.
    pub(super) fn rules_of<'a>(&self, policies: impl IntoIterator<Item = &'a String>) -> Arc<IpRules> {
        Arc::new(IpRules::of(policies.into_iter().filter_map(|policy| self.policies.get(policy)).cloned()))
    }

    /// What an owner has.
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
        // Which of two would let nobody in who should stay out is not for us to say.
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

fn of_https(module: HttpsTermination) -> Option<(bool, Termination)> {
    let termination = Termination { at: TerminateAt::Edge, oldest: Some(module.oldest().ok()?) };
    Some((module.enabled, termination))
}

fn of_tls(module: TlsTermination) -> Option<(bool, Termination)> {
    let termination = Termination { at: module.place().ok()?, oldest: module.oldest().ok()? };
    Some((module.enabled, termination))
}

/// Reads a module that is there; one that cannot be read is said so.
fn read<M: ModuleRules>(codec: &Codec, entry: Option<&Entry>) -> Option<Option<M>> {
    Some(kept(codec, entry)?.map(|kept| kept.module))
}

/// The same, with what is kept beside it.
fn kept<M: ModuleRules>(codec: &Codec, entry: Option<&Entry>) -> Option<Option<KeptModule<M>>> {
    let entry = entry?;
    Some(readable(entry, codec.read_module(entry)))
}

fn saml(kept: KeptModule<Saml>) -> Login {
    let (signing_certificate_pem, signing_key_pem) = kept.hidden.into_parts();
    Login::Saml(SamlLogin { module: kept.module, signing_key_pem, signing_certificate_pem })
}

/// Reads a record that is there; one that cannot be read is left out and said so.
pub(super) fn record<R: Rules + Resource>(codec: &Codec, entry: Option<&Entry>) -> Option<Kept<R>> {
    entry.and_then(|entry| readable(entry, codec.read_record(entry)))
}

pub(super) fn readable<T>(entry: &Entry, read: postern_api::Result<T>) -> Option<T> {
    read.inspect_err(|error| tracing::error!(key = %entry.key, %error, "a stored value cannot be read")).ok()
}
