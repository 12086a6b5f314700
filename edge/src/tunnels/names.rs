//! Host names and the tunnels that hold them: read without locks by every request, written when agents bind.

use crate::tunnels::{Tunnel, TunnelKind};
use arc_swap::ArcSwap;
use postern_api::host::HostName;
use postern_tunnel::message::Scheme;
use std::{
    collections::HashMap,
    hash::{BuildHasher, RandomState},
    sync::Arc,
};
use tokio::time::Instant;

/// Shards of the names: a write copies one shard.
const SHARDS: usize = 64;

/// All names. Readers take no lock; writers must hold the registry's book.
pub(crate) struct TunnelNames {
    hasher: RandomState,
    exact: Box<[ArcSwap<NameShard>]>,
    /// Wildcards by the part after `*.`.
    below: ArcSwap<NameShard>,
}

type NameShard = HashMap<Box<str>, NameEntry>;

#[derive(Clone, Default)]
struct NameEntry {
    https: NameHolder,
    http: NameHolder,
}

/// The holder of a name on one listener.
#[derive(Clone, Default)]
pub(crate) enum NameHolder {
    /// No holder.
    #[default]
    Vacant,
    /// A tunnel that is up.
    Live(Arc<Tunnel>),
    /// The holder is away; the name is remembered until this time.
    Offline(Instant),
}

/// The result of a lookup for a visitor.
pub(crate) enum NameLookup {
    /// The tunnel that serves it.
    Tunnel(Arc<Tunnel>),
    /// Its agent is away.
    Offline,
    /// The name is served over HTTPS, and the request came over HTTP.
    HttpsOnly,
    /// Nothing.
    Unknown,
}

impl Default for TunnelNames {
    fn default() -> Self {
        TunnelNames {
            hasher: RandomState::new(),
            exact: (0..SHARDS).map(|_| ArcSwap::default()).collect(),
            below: ArcSwap::default(),
        }
    }
}

impl TunnelNames {
    /// Finds a canonical host. The most specific name wins, online or not.
    #[cfg(test)]
    fn find(&self, host: &str, scheme: Scheme) -> NameLookup {
        self.find_beyond(0, host, scheme)
    }

    /// Finds a host among names that cover more than `covered` bytes of it: all of it, or the part after `*.`.
    pub(crate) fn find_beyond(&self, covered: usize, host: &str, scheme: Scheme) -> NameLookup {
        if covered >= host.len() {
            return NameLookup::Unknown;
        }
        if let Some(entry) = self.shard(host).load().get(host)
            && let Some(found) = entry.find(scheme)
        {
            return found;
        }
        let below = self.below.load();
        if below.is_empty() {
            return NameLookup::Unknown;
        }
        let mut rest = host;
        while let Some((_, parent)) = rest.split_once('.').filter(|(_, parent)| parent.len() > covered) {
            if let Some(found) = below.get(parent).and_then(|entry| entry.find(scheme)) {
                return found;
            }
            rest = parent;
        }
        NameLookup::Unknown
    }

    /// The holder of exactly this name; a wildcard is a name of its own.
    pub(crate) fn holder(&self, name: &HostName, scheme: Scheme) -> NameHolder {
        let (shard, key) = self.shard_of(name);
        shard.load().get(key).map_or(NameHolder::Vacant, |entry| entry.holder_on(scheme).clone())
    }

    /// Replaces the holder of a name.
    pub(crate) fn set(&self, name: &HostName, scheme: Scheme, holder_on: NameHolder) {
        let (shard, key) = self.shard_of(name);
        let mut names = NameShard::clone(&shard.load());
        let entry = names.entry(key.into()).or_default();
        match scheme {
            Scheme::Https => entry.https = holder_on,
            Scheme::Http => entry.http = holder_on,
        }
        if entry.is_vacant() {
            names.remove(key);
        }
        shard.store(Arc::new(names));
    }

    /// Forgets names whose agents have been away for too long.
    pub(crate) fn purge(&self) {
        for shard in self.exact.iter().chain([&self.below]) {
            let names = shard.load();
            if names.values().any(NameEntry::is_vacant) {
                let mut names = NameShard::clone(&names);
                names.retain(|_, entry| !entry.is_vacant());
                shard.store(Arc::new(names));
            }
        }
    }

    fn shard_of<'a>(&self, name: &'a HostName) -> (&ArcSwap<NameShard>, &'a str) {
        match name.wildcard_parent() {
            Some(parent) => (&self.below, parent),
            None => (self.shard(name.as_str()), name.as_str()),
        }
    }

    fn shard(&self, host: &str) -> &ArcSwap<NameShard> {
        &self.exact[self.hasher.hash_one(host) as usize % SHARDS]
    }
}

impl NameHolder {
    /// The tunnel, if one is up.
    pub(crate) fn live(&self) -> Option<&Arc<Tunnel>> {
        match self {
            NameHolder::Live(tunnel) => Some(tunnel),
            _ => None,
        }
    }

    fn is_vacant(&self) -> bool {
        match self {
            NameHolder::Vacant => true,
            NameHolder::Live(_) => false,
            NameHolder::Offline(until) => *until <= Instant::now(),
        }
    }
}

impl NameEntry {
    fn holder_on(&self, scheme: Scheme) -> &NameHolder {
        match scheme {
            Scheme::Https => &self.https,
            Scheme::Http => &self.http,
        }
    }

    fn is_vacant(&self) -> bool {
        self.https.is_vacant() && self.http.is_vacant()
    }

    fn find(&self, scheme: Scheme) -> Option<NameLookup> {
        match self.holder_on(scheme) {
            NameHolder::Live(tunnel) => Some(NameLookup::Tunnel(tunnel.clone())),
            holder_on if !holder_on.is_vacant() => Some(NameLookup::Offline),
            // TLS tunnels may carry any protocol, so plain HTTP is not redirected to them.
            _ if scheme == Scheme::Http && self.https.live().is_some_and(|there| there.kind == TunnelKind::Tls) => None,
            _ if scheme == Scheme::Http && !self.https.is_vacant() => Some(NameLookup::HttpsOnly),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    fn host(text: &str) -> HostName {
        HostName::parse(text).expect("a name")
    }

    fn away() -> NameHolder {
        NameHolder::Offline(Instant::now() + Duration::from_secs(600))
    }

    #[test]
    fn a_name_is_remembered_for_its_time_and_then_unknown() {
        let names = TunnelNames::default();
        names.set(&host("a.test"), Scheme::Https, away());
        assert!(matches!(names.find("a.test", Scheme::Https), NameLookup::Offline));
        assert!(matches!(names.find("a.test", Scheme::Http), NameLookup::HttpsOnly));
        assert!(matches!(names.find("b.test", Scheme::Https), NameLookup::Unknown));
        names.set(&host("a.test"), Scheme::Https, NameHolder::Offline(Instant::now()));
        assert!(matches!(names.find("a.test", Scheme::Https), NameLookup::Unknown));
        names.purge();
        assert!(names.exact.iter().all(|shard| shard.load().is_empty()));
    }

    #[test]
    fn a_wildcard_serves_what_lies_below_and_never_its_parent() {
        let names = TunnelNames::default();
        names.set(&host("*.shop.test"), Scheme::Https, away());
        for below in ["a.shop.test", "a.b.shop.test"] {
            assert!(matches!(names.find(below, Scheme::Https), NameLookup::Offline), "{below}");
        }
        for beside in ["shop.test", "xshop.test", "test"] {
            assert!(matches!(names.find(beside, Scheme::Https), NameLookup::Unknown), "{beside}");
        }
        names.set(&host("*.shop.test"), Scheme::Https, NameHolder::Vacant);
        assert!(matches!(names.find("a.shop.test", Scheme::Https), NameLookup::Unknown));
    }
}
