//! SAML 2.0: this server is a separate service provider for each route.

mod idp_metadata;
mod person;
mod replay_cache;
mod response;
mod service_provider;
mod validation;

pub(crate) use response::{ParsedResponse, malformed};
pub(crate) use service_provider::{LogoutMessage, LogoutRequest};
pub(crate) use validation::replayed;

use crate::{
    crypto::digest,
    login_attempts::{AttemptStage, VerifiedIdentity},
    login_response::expired,
    origin::Origin,
    session_store::SpentId,
};
use arc_swap::ArcSwap;
use idp_metadata::IdpMetadata;
use jiff::Timestamp;
use postern_api::{
    Code, Error,
    host::HostName,
    published::{HttpsEdge, Listed, LoginSession, Person, SamlLogin},
};
use replay_cache::{ReplayCheck, SamlReplayCache};
use service_provider::{SamlLibrary, ServiceProvider, ServiceProviderConfig};
use std::sync::Arc;
use url::Url;
use validation::ExpectedResponse;

/// Path prefix of service providers; the id of the route follows.
pub(crate) const SAML_PATH_PREFIX: &str = "/saml/";

/// The service provider of a route, and the identity provider it trusts.
pub(crate) struct Saml {
    entity_id: String,
    acs_url: String,
    idp: Result<IdpMetadata, Error>,
    provider: Box<dyn ServiceProvider>,
    force_authn: bool,
    allow_idp_initiated: bool,
    authorized_groups: Vec<String>,
}

/// State that outlives realms, because every change of a module replaces its realm.
pub(crate) struct SamlState {
    replay_cache: SamlReplayCache,
    edges: ArcSwap<Listed<HttpsEdge>>,
    /// Start of the replay cache, in seconds since 1970.
    started_at: i64,
}

impl SamlState {
    pub(crate) fn new(now: Timestamp) -> Self {
        SamlState { replay_cache: SamlReplayCache::default(), edges: ArcSwap::default(), started_at: now.as_second() }
    }

    /// Drops the ids of messages that are no longer valid.
    pub(crate) fn remove_expired(&self, now: i64) {
        self.replay_cache.remove_expired(now);
    }

    /// Replaces the edges, whose names restrict where logins may lead.
    pub(crate) fn publish_edges(&self, edges: Listed<HttpsEdge>) {
        self.edges.store(Arc::new(edges));
    }

    /// The host names of an edge.
    pub(crate) fn names(&self, edge: &str) -> Vec<HostName> {
        let edges = self.edges.load();
        edges.get(edge).map(|edge| edge.names.clone()).unwrap_or_default()
    }

    fn store_id(&self, route: &str, id: &str, until: i64, now: Timestamp) -> ReplayCheck {
        self.replay_cache.insert(route, id, until, now.as_second())
    }
}

impl Saml {
    pub(crate) fn new(route: &str, login: &SamlLogin, login_host: &Origin) -> Result<Self, Error> {
        let entity_id = login_host.with(&format!("{SAML_PATH_PREFIX}{route}"));
        let (acs_url, slo_url) = (format!("{entity_id}/acs"), format!("{entity_id}/slo"));
        let module = &login.module;
        let idp = idp_metadata::parse(&module.idp_metadata);
        let config = ServiceProviderConfig {
            entity_id: &entity_id,
            acs_url: &acs_url,
            slo_url: &slo_url,
            name_id_format: &module.nameid_format,
            key_pem: login.signing_key_pem.reveal(),
            certificate_pem: &login.signing_certificate_pem,
        };
        let provider = Box::new(SamlLibrary::new(&config, idp.as_ref())?);
        Ok(Saml {
            provider,
            idp,
            force_authn: module.force_authn,
            allow_idp_initiated: module.allow_idp_initiated,
            authorized_groups: module.authorized_groups.clone(),
            entity_id,
            acs_url,
        })
    }

    /// The values that identify the identity provider; sessions end when they change.
    pub(crate) fn realm_parts(&self) -> [&str; 2] {
        ["saml", self.idp.as_ref().map_or("", |idp| idp.entity_id.as_str())]
    }

    /// The metadata of the service provider.
    pub(crate) fn metadata(&self) -> String {
        self.provider.metadata()
    }

    /// The URL with the authentication request. With `reauthenticate`, the identity provider asks for credentials even
    /// if it knows the visitor.
    pub(crate) fn begin(&self, state: &str, reauthenticate: bool) -> Result<(Url, AttemptStage), Error> {
        self.idp.as_ref().map_err(Clone::clone)?;
        let request = self.provider.authn_request(state, reauthenticate || self.force_authn)?;
        let url = Url::parse(&request.url).map_err(|_| Code::LoginUnavailable)?;
        Ok((url, AttemptStage::SamlResponse { request_id: request.id }))
    }

    /// Fails if the metadata of the identity provider is unusable.
    pub(crate) fn check_idp_metadata(&self) -> Result<(), Error> {
        self.idp.as_ref().map(|_| ()).map_err(Clone::clone)
    }

    /// Decodes and parses the `SAMLResponse` field of a form, without verifying it.
    pub(crate) fn parse_response(field: &str) -> Result<ParsedResponse, Error> {
        response::parse_response(response::decode_base64(field)?)
    }

    /// Whether an unsolicited response is allowed.
    pub(crate) fn check_unsolicited(&self, response: &ParsedResponse, state: &SamlState) -> Result<(), Error> {
        let issued_at = validation::issued_at(response)?;
        if !self.allow_idp_initiated {
            let message = "Logins may not begin at the identity provider here. Open the page you want to see instead.";
            return Err(Error::new(Code::SamlUnsolicited, message));
        }
        // The replay cache does not know what was used before the server started.
        if issued_at < state.started_at {
            let message =
                "The response of the identity provider is older than this server's replay cache. Log in again.";
            return Err(Error::new(Code::SamlReplayed, message));
        }
        Ok(())
    }

    /// Verifies a response to a request, or an unsolicited one, and returns the person it describes, and
    /// the ids that may not be accepted again.
    pub(crate) fn verify_response(
        &self,
        response: &ParsedResponse,
        request_id: Option<&str>,
        route: &str,
        now: Timestamp,
        state: &SamlState,
    ) -> Result<(VerifiedIdentity, Vec<SpentId>), Error> {
        let idp = self.idp.as_ref().map_err(Clone::clone)?;
        let expected = ExpectedResponse {
            idp_entity_id: &idp.entity_id,
            entity_id: &self.entity_id,
            acs_url: &self.acs_url,
            request_id,
            now,
        };
        validation::validate(response, &expected)?;
        let mut spent = Vec::new();
        let mut store_id = |id: &str, until| {
            spent.push(SpentId { digest: digest(&[route, id]), until });
            state.store_id(route, id, until, now)
        };
        self.provider.verify_response(response, request_id, now, &mut store_id)?;
        Ok((person::identity_of(response, &idp.entity_id, &self.authorized_groups)?, spent))
    }

    /// Checks a person against the current rules, by the data of their login.
    pub(crate) fn recheck(&self, person: &Person) -> Result<(), Error> {
        if person.provider_url != self.idp.as_ref().map_err(Clone::clone)?.entity_id {
            return Err(expired());
        }
        person::check_groups(&self.authorized_groups, &person::groups(person))
    }

    /// The URL with a logout request and the attempt stage that waits for its response; `None` if the identity provider
    /// does not support logout.
    pub(crate) fn logout_request(
        &self,
        session: &LoginSession,
        relay_state: &str,
        has_return_path: bool,
    ) -> Result<Option<(String, AttemptStage)>, Error> {
        let request = self.provider.logout_request(&session.person.id, &session.provider_session, relay_state)?;
        let stage = |request_id| AttemptStage::SamlLogout { request_id, has_return_path };
        Ok(request.map(|request| (request.url, stage(request.id))))
    }

    /// Verifies the response to a logout request.
    pub(crate) fn verify_logout_response(
        &self,
        message: LogoutMessage<'_>,
        request_id: &str,
        route: &str,
        now: Timestamp,
        state: &SamlState,
    ) -> Result<(), Error> {
        let mut store_id = |id: &str, until| state.store_id(route, id, until, now);
        self.provider.verify_logout_response(message, request_id, now, &mut store_id)
    }

    /// Verifies a logout request of the identity provider, and creates the response to it.
    pub(crate) fn receive_logout_request(
        &self,
        message: LogoutMessage<'_>,
        relay_state: Option<&str>,
        route: &str,
        now: Timestamp,
        state: &SamlState,
    ) -> Result<LogoutRequest, Error> {
        let mut store_id = |id: &str, until| state.store_id(route, id, until, now);
        self.provider.receive_logout_request(message, relay_state, now, &mut store_id)
    }
}
