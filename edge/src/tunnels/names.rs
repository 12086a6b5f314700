//! Host names and the tunnels that hold them: read without locks by every request, written when agents bind.

use crate::tunnels::{Tunnel, TunnelKind};
use arc_swap::ArcSwap;
use jiff::Timestamp;
use postern_api::{Error, host::HostName};
use postern_tunnel::message::Scheme;
use serde::{Deserialize, Serialize};
use std::{
    collections::HashMap,
    hash::{BuildHasher, RandomState},
    sync::Arc,
    time::Duration,
};
use tokio::{sync::watch, time::Instant};

/// Shards of the names: a write copies one shard.
const SHARDS: usize = 64;

/// All names. Readers take no lock; writers must hold the registry's book.
pub(crate) struct TunnelNames {
    hasher: RandomState,
    exact: Box<[ArcSwap<NameShard>]>,
    /// Wildcards by the part after `*.`.
    below: ArcSwap<NameShard>,
    /// Counts the changes.
    changes: watch::Sender<u64>,
}

/// A name that an agent holds, or held until it vanished.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct HeldName {
    /// The name; may be a wildcard.
    pub host: HostName,
    /// The listener.
    pub scheme: Scheme,
    /// For a name whose agent is away: until when it is remembered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub away_until: Option<Timestamp>,
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
            changes: watch::Sender::new(0),
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

    /// Makes a tunnel the holder of a name, if it is not.
    pub(crate) fn hold(&self, name: &HostName, scheme: Scheme, tunnel: &Arc<Tunnel>) {
        if !self.holder(name, scheme).live().is_some_and(|holder| Arc::ptr_eq(holder, tunnel)) {
            self.set(name, scheme, NameHolder::Live(tunnel.clone()));
        }
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
        self.changes.send_modify(|changes| *changes += 1);
    }

    /// Notifies of changes.
    pub(crate) fn changes(&self) -> watch::Receiver<u64> {
        self.changes.subscribe()
    }

    /// All names that are held or remembered, unordered.
    pub(crate) fn held(&self) -> Vec<HeldName> {
        let mut held = Vec::new();
        for shard in &self.exact {
            shard.load().iter().for_each(|(name, entry)| entry.collect(HostName::parse(name), &mut held));
        }
        let below = self.below.load();
        below.iter().for_each(|(name, entry)| entry.collect(HostName::parse(&format!("*.{name}")), &mut held));
        held
    }

    /// Remembers names of agents that were connected to an earlier process, for at most `memory`. A name that has a
    /// holder already is left alone.
    pub(crate) fn remember(&self, names: &[HeldName], memory: Duration) {
        let (start, now) = (Instant::now(), postern_api::clock::now());
        for HeldName { host, scheme, away_until } in names {
            let left = away_until
                .map_or(memory, |until| Duration::try_from(until.duration_since(now)).unwrap_or_default().min(memory));
            if matches!(self.holder(host, *scheme), NameHolder::Vacant) && !left.is_zero() {
                self.set(host, *scheme, NameHolder::Offline(start + left));
            }
        }
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

    fn collect(&self, host: Result<HostName, Error>, held: &mut Vec<HeldName>) {
        let Ok(host) = host else { return };
        for scheme in [Scheme::Https, Scheme::Http] {
            let away_until = match self.holder_on(scheme) {
                NameHolder::Vacant => continue,
                NameHolder::Live(_) => None,
                NameHolder::Offline(until) => {
                    let left = until.saturating_duration_since(Instant::now());
                    Some(postern_api::clock::now().saturating_add(left).unwrap_or(Timestamp::MAX))
                }
            };
            held.push(HeldName { host: host.clone(), scheme, away_until });
        }
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
    fn held_names_are_remembered_by_the_next_process() {
        let names = TunnelNames::default();
        names.set(&host("a.test"), Scheme::Https, away());
        names.set(&host("*.shop.test"), Scheme::Http, away());
        names.set(&host("over.test"), Scheme::Http, NameHolder::Offline(Instant::now()));
        let held = names.held();
        let next = TunnelNames::default();
        next.remember(&held, Duration::from_secs(600));
        assert!(matches!(next.find("a.test", Scheme::Https), NameLookup::Offline));
        assert!(matches!(next.find("x.shop.test", Scheme::Http), NameLookup::Offline));
        assert!(matches!(next.find("over.test", Scheme::Http), NameLookup::Unknown), "its time is over");
        let live = HeldName { host: host("live.test"), scheme: Scheme::Https, away_until: None };
        next.remember(&[live], Duration::ZERO);
        assert!(matches!(next.find("live.test", Scheme::Https), NameLookup::Unknown), "the memory is off");
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
