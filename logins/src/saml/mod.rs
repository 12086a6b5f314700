//! SAML 2.0: this server as a service provider, for each route on its own.

mod flow;
mod person;
mod provider;
mod replays;
mod response;
mod rules;
mod service_provider;

use crate::{attempts::Stage, origin::Origin, reply::expired};
use arc_swap::ArcSwap;
use jiff::Timestamp;
use postern_api::{
    Code, Error,
    host::HostName,
    published::{HttpsEdge, Listed, Person, SamlLogin},
};
use provider::Described;
use replays::Replays;
use service_provider::{Library, Own, ServiceProvider};
use std::sync::Arc;
use url::Url;

/// Where the addresses of service providers begin; what follows is the route's id.
const PREFIX: &str = "/saml/";

/// The service provider of a route, and the identity provider it trusts.
pub(crate) struct Saml {
    entity: String,
    acs: String,
    idp: Result<Described, Error>,
    provider: Box<dyn ServiceProvider>,
    force_authn: bool,
    allow_idp_initiated: bool,
    authorized_groups: Vec<String>,
}

/// What outlives the realms, because these are made anew with every change of a module.
pub(crate) struct Memory {
    replays: Replays,
    edges: ArcSwap<Listed<HttpsEdge>>,
    /// Since when messages are remembered; seconds since 1970.
    began: i64,
}

impl Memory {
    pub(crate) fn new(now: Timestamp) -> Self {
        Memory { replays: Replays::default(), edges: ArcSwap::default(), began: now.as_second() }
    }

    /// Forgets messages that are valid no longer.
    pub(crate) fn tidy(&self, now: i64) {
        self.replays.tidy(now);
    }

    /// Takes all edges from now on, for their names.
    pub(crate) fn follow(&self, edges: Listed<HttpsEdge>) {
        self.edges.store(Arc::new(edges));
    }

    /// The names of an edge.
    fn names(&self, edge: &str) -> Vec<HostName> {
        let edges = self.edges.load();
        edges.get(edge).map(|edge| edge.names.clone()).unwrap_or_default()
    }
}

impl Saml {
    pub(crate) fn new(route: &str, login: &SamlLogin, login_host: &Origin) -> Result<Self, Error> {
        let entity = login_host.with(&format!("{PREFIX}{route}"));
        let (acs, slo) = (format!("{entity}/acs"), format!("{entity}/slo"));
        let module = &login.module;
        let idp = provider::read(&module.idp_metadata);
        let own = Own {
            entity: &entity,
            acs: &acs,
            slo: &slo,
            name_id_format: &module.nameid_format,
            key_pem: login.signing_key_pem.reveal(),
            certificate_pem: &login.signing_certificate_pem,
        };
        let provider = Box::new(Library::new(&own, idp.as_ref())?);
        Ok(Saml {
            provider,
            idp,
            force_authn: module.force_authn,
            allow_idp_initiated: module.allow_idp_initiated,
            authorized_groups: module.authorized_groups.clone(),
            entity,
            acs,
        })
    }

    /// What makes a session one of another realm.
    pub(crate) fn realm(&self) -> [&str; 2] {
        ["saml", self.idp.as_ref().map_or("", |idp| idp.entity.as_str())]
    }

    /// Where a visitor logs in. `state` names the attempt; `again`: even if the identity provider knows them.
    pub(crate) fn begin(&self, state: &str, again: bool) -> Result<(Url, Stage), Error> {
        self.idp.as_ref().map_err(Clone::clone)?;
        let sent = self.provider.ask(state, again || self.force_authn)?;
        let address = Url::parse(&sent.address).map_err(|_| Code::LoginUnavailable)?;
        Ok((address, Stage::Response { request: sent.id }))
    }

    /// Judges somebody whom the identity provider vouched for by the rules of this moment.
    pub(crate) fn still(&self, person: &Person) -> Result<(), Error> {
        if person.provider_url != self.idp.as_ref().map_err(Clone::clone)?.entity {
            return Err(expired());
        }
        person::admit(&self.authorized_groups, &person::groups(person))
    }
}
