//! Which edge has a name. A new table is made for each configuration; edges that have not changed are taken over.

use super::{HttpsEndpoint, TlsEndpoint};
use crate::{
    modules::{Column, Keeper},
    tls::{Configs, Handshake},
};
use arc_swap::{ArcSwap, Guard};
use postern_api::{
    Error,
    host::HostName,
    published::{Published, Settings},
};
use std::{collections::HashMap, sync::Arc, time::Instant};

/// The table of the moment.
pub(crate) struct Routing {
    now: ArcSwap<Table>,
    configs: Arc<Configs>,
    keeper: Keeper,
}

/// All edges with names.
#[derive(Default)]
pub(crate) struct Table {
    exact: HashMap<Box<str>, Place>,
    /// Wildcards by what follows the `*.`.
    below: HashMap<Box<str>, Place>,
    https: HashMap<String, Arc<HttpsEndpoint>>,
    tls: HashMap<String, Arc<TlsEndpoint>>,
}

/// What a name leads to.
#[derive(Clone)]
pub(crate) enum Place {
    Https(Arc<HttpsEndpoint>),
    Tls(Arc<TlsEndpoint>),
}

impl Routing {
    pub(crate) fn new(configs: Arc<Configs>, keeper: Keeper) -> Self {
        Routing { now: ArcSwap::default(), configs, keeper }
    }

    /// The edges of the moment.
    pub(crate) fn table(&self) -> Guard<Arc<Table>> {
        self.now.load()
    }

    /// The stages of a tunnel's own, ready to serve.
    pub(crate) fn stages_of_tunnel(&self, owner: &str, settings: &Settings) -> Result<Column, Error> {
        self.keeper.expects(owner, Instant::now());
        Column::checked(owner, settings, &self.keeper)
    }

    /// How connections to a tunnel are made, if not as all others are.
    /// With `raw`, no application protocol is agreed upon.
    pub(crate) fn handshake_of_tunnel(&self, settings: &Settings, raw: bool) -> Result<Option<Handshake>, Error> {
        self.configs.of_tunnel(settings, raw)
    }

    /// Forgets what is kept for tunnels that have been away for long; these are up.
    pub(crate) fn forget_tunnels_but<'a>(&self, up: impl Iterator<Item = &'a str>) {
        self.keeper.forget_tunnels_but(up, Instant::now());
    }

    /// Serves by a new configuration from now on. What is being served goes on by the one it began with.
    pub(crate) fn follow(&self, published: &Published) {
        self.configs.follow(published);
        let before = self.now.load();
        let mut table = Table::default();
        for edge in published.https_edges.iter() {
            let former = before.https.get(&edge.id);
            let endpoint = match former.filter(|former| former.is(edge)) {
                Some(same) => same.clone(),
                None => Arc::new(HttpsEndpoint::of(edge, former.map(Arc::as_ref), &self.configs, &self.keeper)),
            };
            table.put(&edge.names, &Place::Https(endpoint.clone()));
            table.https.insert(edge.id.clone(), endpoint);
        }
        for edge in published.tls_edges.iter() {
            let former = before.tls.get(&edge.id);
            let endpoint = match former.filter(|former| former.is(edge)) {
                Some(same) => same.clone(),
                None => Arc::new(TlsEndpoint::of(edge, former.map(Arc::as_ref), &self.configs)),
            };
            table.put(&edge.names, &Place::Tls(endpoint.clone()));
            table.tls.insert(edge.id.clone(), endpoint);
        }
        let routes = published.https_edges.iter().flat_map(|edge| &edge.routes);
        self.keeper.forget_all_but(routes.map(|route| route.id.as_str()));
        self.now.store(Arc::new(table));
    }
}

impl Table {
    /// Whether an edge has this name, or a wildcard above it.
    pub(crate) fn has(&self, name: &HostName) -> bool {
        match name.wildcard_parent() {
            Some(parent) => self.below.contains_key(parent),
            None => self.find(name.as_str()).is_some(),
        }
    }

    fn put(&mut self, names: &[HostName], place: &Place) {
        for name in names {
            match name.wildcard_parent() {
                Some(parent) => self.below.insert(parent.into(), place.clone()),
                None => self.exact.insert(name.as_str().into(), place.clone()),
            };
        }
    }

    /// The edge of a canonical host, and how much of the host its name covers: all of it, or what follows `*.`.
    pub(crate) fn find(&self, host: &str) -> Option<(usize, &Place)> {
        if let Some(place) = self.exact.get(host) {
            return Some((host.len(), place));
        }
        if self.below.is_empty() {
            return None;
        }
        let mut rest = host;
        while let Some((_, parent)) = rest.split_once('.') {
            if let Some(place) = self.below.get(parent) {
                return Some((parent.len(), place));
            }
            rest = parent;
        }
        None
    }
}
