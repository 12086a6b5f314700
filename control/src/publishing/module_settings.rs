//! Modules by owner, and the records that they refer to.

use super::reading::readable;
use crate::{
    resources::{Codec, ModuleReferences, ModuleRules, StoredModule, StoredRecord},
    store::Entry,
};
use ipnet::IpNet;
use postern_api::{
    AnyId, Country,
    id::Kind,
    ip_rules::{IpRule, IpRules, IpTable},
    module::{self, HttpsTermination, IpRestriction, Module, MutualTls, TlsTermination},
    published::Settings,
    resource::{CertificateAuthority, HttpsEdge, IpPolicyRule},
    route_modules,
};
use std::{
    collections::{BTreeSet, HashMap},
    sync::Arc,
};

/// Inputs of the published settings of edges and routes.
#[derive(Default)]
pub(super) struct ModuleSettings {
    modules: HashMap<String, OwnerModules>,
    /// Rules of each policy; policies without rules are left out.
    policies: HashMap<String, Arc<IpTable>>,
    /// Policy, network and country of each rule, because a deletion carries only the rule's id.
    rules: HashMap<String, (AnyId, Option<IpNet>, Option<Country>)>,
    /// Ids of the routes, edges and restrictions that use each policy.
    policy_users: HashMap<String, BTreeSet<String>>,
    authorities: HashMap<String, Arc<str>>,
}

/// A module of an owner as it was read from the store.
#[derive(Default)]
enum StoredSetting<M: ModuleRules> {
    #[default]
    Unset,
    /// It is set and cannot be read.
    Unreadable,
    Set(Box<StoredModule<M>>),
}

impl<M: ModuleRules> StoredSetting<M> {
    /// Reads the module; no entry means that it is not set.
    fn read(codec: &Codec, entry: Option<&Entry>) -> Self {
        match entry.map(|entry| readable(entry, codec.read_module(entry))) {
            None => StoredSetting::Unset,
            Some(None) => StoredSetting::Unreadable,
            Some(Some(stored)) => StoredSetting::Set(Box::new(stored)),
        }
    }

    /// The module as the edge applies it, unless it is unset or disabled.
    fn publish(&self, references: &dyn ModuleReferences, unreadable: &mut bool) -> Option<M::Published> {
        let StoredSetting::Set(stored) = self else {
            *unreadable |= matches!(self, StoredSetting::Unreadable);
            return None;
        };
        if !stored.module.is_enabled() {
            return None;
        }
        let published = M::publish(stored, references);
        *unreadable |= published.is_err();
        published.inspect_err(|error| tracing::error!(module = M::NAME, %error, "a module cannot be published")).ok()
    }
}

macro_rules! owner_modules {
    (modules { $($(#[$doc:meta])* $member:ident: $module:ident,)+ }) => {
        /// Modules of one owner: those of routes, and those of edges.
        #[derive(Default)]
        struct OwnerModules {
            mutual_tls: StoredSetting<MutualTls>,
            tls_termination: StoredSetting<TlsTermination>,
            https_termination: StoredSetting<HttpsTermination>,
            $($member: StoredSetting<module::$module>,)+
        }

        impl OwnerModules {
            /// Sets or removes a module. Returns whether there is a module of this name.
            fn set(&mut self, codec: &Codec, owner: &str, name: &str, entry: Option<&Entry>) -> bool {
                match name {
                    MutualTls::NAME => self.mutual_tls = StoredSetting::read(codec, entry),
                    HttpsTermination::NAME if owner.starts_with(HttpsEdge::PREFIX) => {
                        self.https_termination = StoredSetting::read(codec, entry);
                    }
                    TlsTermination::NAME => self.tls_termination = StoredSetting::read(codec, entry),
                    $(module::$module::NAME => self.$member = StoredSetting::read(codec, entry),)+
                    _ => return false,
                }
                true
            }

            /// Published settings of the owner.
            fn publish(&self, references: &dyn ModuleReferences) -> Settings {
                let unreadable = &mut false;
                let https_termination = self.https_termination.publish(references, unreadable);
                let mut settings = Settings {
                    mutual_tls: self.mutual_tls.publish(references, unreadable),
                    tls_termination: self.tls_termination.publish(references, unreadable).or(https_termination),
                    $($member: self.$member.publish(references, unreadable),)+
                    ..Settings::default()
                };
                settings.unreadable = *unreadable || settings.logins() > 1;
                settings
            }
        }
    };
}
route_modules! { owner_modules }

impl ModuleSettings {
    /// Sets a module of an owner; no entry removes it. Returns whether the edge is affected.
    pub(super) fn set_module(&mut self, codec: &Codec, owner: &str, name: &str, entry: Option<&Entry>) -> bool {
        if entry.is_none() && !self.modules.contains_key(owner) {
            return false;
        }
        let set = self.modules.entry(owner.to_owned()).or_default();
        if name != IpRestriction::NAME {
            return set.set(codec, owner, name, entry);
        }
        let former = policies(&set.ip_restriction);
        let is_known = set.set(codec, owner, name, entry);
        let now = policies(&set.ip_restriction);
        self.set_policies(owner, &former, now);
        is_known
    }

    /// Removes all modules of a deleted owner.
    pub(super) fn remove_owner(&mut self, owner: &str) {
        if let Some(set) = self.modules.remove(owner) {
            self.set_policies(owner, &policies(&set.ip_restriction), Vec::new());
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
        if let Some((policy, network, country)) = self.rules.remove(id) {
            if let Some(table) = self.policies.get_mut(policy.as_str()) {
                // Published configurations keep their own copy.
                let rules = Arc::make_mut(table);
                if let Some(network) = network {
                    rules.remove(network, id);
                }
                if let Some(country) = country {
                    rules.remove_country(country, id);
                }
                if table.is_empty() {
                    self.policies.remove(policy.as_str());
                }
            }
            changed_policies.insert(policy.to_string());
        }
        if let Some(rule) = rule {
            let policy = rule.hidden.any();
            let IpPolicyRule { cidr: network, country, action } = rule.spec;
            let table = Arc::make_mut(self.policies.entry(policy.to_string()).or_default());
            if let Some(network) = network {
                table.insert(IpRule { network, action, id: id.into() });
            }
            if let Some(country) = country {
                table.insert_country(country, action, id.into());
            }
            changed_policies.insert(policy.to_string());
            self.rules.insert(id.to_owned(), (policy, network, country));
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
        self.modules.get(owner).map(|modules| modules.publish(self)).unwrap_or_default()
    }
}

impl ModuleReferences for ModuleSettings {
    fn ip_rules(&self, policies: &[String]) -> Arc<IpRules> {
        self.rules_of(policies)
    }

    fn authorities(&self, ids: &[String]) -> Vec<Arc<str>> {
        ids.iter().filter_map(|id| self.authorities.get(id)).cloned().collect()
    }
}

/// The policies that a module names.
fn policies(set: &StoredSetting<IpRestriction>) -> Vec<String> {
    match set {
        StoredSetting::Set(stored) => stored.module.ip_policy_ids.clone(),
        StoredSetting::Unset | StoredSetting::Unreadable => Vec::new(),
    }
}
