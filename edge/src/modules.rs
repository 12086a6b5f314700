//! The modules of an edge or route: the order of their stages, and the trace of their decisions.

mod basic_auth;
mod circuit_breaker;
mod compression;
mod error_pages;
mod headers;
mod host_header;
mod ip_restriction;
pub(crate) mod login;
mod maintenance;
mod module_state;
mod rate_limit;
mod redirect;
mod request_headers;
mod response_headers;
mod rewrite;
mod user_agent_filter;
mod webhook_verification;
mod websocket_tcp_converter;

pub(crate) use module_state::{ModuleState, tunnel_owner};
pub(crate) use rate_limit::{Identity, RateTable};
pub(crate) use webhook_verification::HttpsFetcher;
pub use webhook_verification::SigningCertificates;
#[cfg(any(test, fuzzing))]
pub use webhook_verification::fuzzing::webhook as check_webhook;
use webhook_verification::{Verifier, WebhookOutcome, Webhooks};
pub(crate) use websocket_tcp_converter::{Handshake as WebsocketHandshake, carry as carry_websocket};

use crate::{
    geo::Geo,
    http::{RequestBody, Visitor},
    refusal::{Fault, Refusal},
    telemetry::Trace,
    upstream::ResponseBody,
};
use circuit_breaker::{Breaker, Permit};
use compression::{Coding, EncoderRoom};
use headers::{Changes, Facts};
use hyper::{Response, http::request};
use maintenance::Maintenance;
use postern_api::{
    Code, Error, error_pages::PreparedPages, headers::Direction, ip_rules::IpRules, module::HeaderChanges,
    published::Settings,
};
use postern_logins::Realm;
use rate_limit::Limiter;
use redirect::Redirects;
use rewrite::PathRewrite;
use std::{net::IpAddr, sync::Arc};
use tokio::time::Instant;

/// The stages of one edge or route, prepared once. A connection or request passes the stages of one configuration from
/// start to end.
#[derive(Default)]
pub(crate) struct Pipeline {
    /// A module is set but cannot be read. It may restrict access, so nothing passes.
    unreadable: bool,
    ip_restriction: Option<Arc<IpRules>>,
    rate_limit: Option<Box<Limiter>>,
    maintenance: Option<Box<Maintenance>>,
    user_agent_filter: Option<user_agent_filter::Filter>,
    redirect: Option<Redirects>,
    webhook_verification: Option<Box<Verifier>>,
    basic_auth: Option<basic_auth::Users>,
    login: Option<login::Login>,
    websocket_tcp_converter: bool,
    circuit_breaker: Option<Arc<Breaker>>,
    rewrite: Option<Box<PathRewrite>>,
    host_header: Option<host_header::Rewrite>,
    request_headers: Option<Changes>,
    error_pages: Option<Arc<PreparedPages>>,
    compression: Option<EncoderRoom>,
    response_headers: Option<Changes>,
}

/// A request on its way through the stages.
pub(crate) struct RequestContext<'a> {
    pub(crate) visitor: &'a Visitor,
    pub(crate) geo: &'a Geo,
    pub(crate) parts: &'a mut request::Parts,
    pub(crate) body: &'a mut RequestBody,
    pub(crate) trace: &'a mut Trace,
    pub(crate) identity: Identity,
}

/// Values that the response stages need from the request stages. Dropped without a response if the visitor left.
#[derive(Default)]
#[must_use]
pub(crate) struct ResponseContext {
    /// The connection becomes a plain byte stream.
    pub(crate) websocket: Option<WebsocketHandshake>,
    circuit_breaker: Option<Permit>,
    compression: Option<Coding>,
    response_headers: Facts,
    host: Option<Box<host_header::Original>>,
    error_pages: bool,
}

/// Outcome of the request stages, unless they refuse the request.
pub(crate) enum StageOutcome {
    Passed(ResponseContext),
    /// A stage responded in place of the backend.
    Answered(Box<Response<ResponseBody>>),
}

impl Pipeline {
    /// The stages of a route. State that outlives a change of settings is in the module state. Modules were validated
    /// when they were stored, so a failure means that another version wrote them; then nothing passes.
    pub(crate) fn new(id: &str, edge: &str, settings: &Settings, module_state: &ModuleState) -> Self {
        Pipeline::build(
            (id, edge),
            settings,
            module_state,
            |error| tracing::error!(%error, "a module cannot be prepared"),
        )
    }

    /// The stages of a route, or the first error if a module cannot be prepared.
    pub(crate) fn try_new(id: &str, settings: &Settings, module_state: &ModuleState) -> Result<Self, Error> {
        let mut wrong = None;
        let pipeline = Pipeline::build((id, id), settings, module_state, |error| wrong = wrong.take().or(Some(error)));
        wrong.map_or(Ok(pipeline), Err)
    }

    fn build(
        (id, edge): (&str, &str),
        settings: &Settings,
        module_state: &ModuleState,
        mut report: impl FnMut(Error),
    ) -> Self {
        // Named one by one, so that a module without a stage does not compile.
        let Settings {
            unreadable: _,
            mutual_tls: _,
            tls_termination: _,
            backend: _,
            ip_restriction: _,
            rate_limit: _,
            maintenance,
            redirect,
            rewrite,
            error_pages,
            oauth: _,
            oidc: _,
            saml: _,
            user_agent_filter,
            webhook_verification,
            basic_auth,
            websocket_tcp_converter,
            circuit_breaker,
            host_header,
            request_headers,
            compression,
            response_headers,
        } = settings;
        let report = &mut report;
        let mut pipeline = Pipeline::of_connections(id, settings, &module_state.rate_limits, report);
        let maintenance_of = |module: &_| Maintenance::of(module, &module_state.clock).map(Box::new);
        pipeline.maintenance = pipeline.ready(maintenance.as_ref(), maintenance_of, report);
        pipeline.redirect = pipeline.ready(redirect.as_ref(), Redirects::of, report);
        pipeline.user_agent_filter = pipeline.ready(user_agent_filter.as_ref(), user_agent_filter::Filter::of, report);
        let verifier = |module: &_| Verifier::of(id, module, &module_state.webhooks).map(Box::new);
        pipeline.webhook_verification = pipeline.ready(webhook_verification.as_ref(), verifier, report);
        pipeline.basic_auth = pipeline.ready(basic_auth.as_deref(), basic_auth::Users::new, report);
        let login = |module: &_| login::Login::of(id, edge, module, &module_state.logins);
        pipeline.login = pipeline.ready(settings.login().map(AsRef::as_ref), login, report);
        pipeline.websocket_tcp_converter = websocket_tcp_converter.is_some();
        let changes = |direction| move |changes: &HeaderChanges| Changes::of(changes, direction);
        pipeline.request_headers = pipeline.ready(request_headers.as_ref(), changes(Direction::Request), report);
        pipeline.response_headers = pipeline.ready(response_headers.as_ref(), changes(Direction::Response), report);
        let path_rewrite = pipeline.ready(rewrite.as_ref(), PathRewrite::of, report);
        pipeline.rewrite = path_rewrite.flatten().map(Box::new);
        let own_host = rewrite.as_ref().map(|rewrite| rewrite.host.as_str()).filter(|host| !host.is_empty());
        let host = own_host.or(host_header.as_deref());
        pipeline.host_header = pipeline.ready(host, host_header::Rewrite::of, report);
        pipeline.error_pages = error_pages.as_ref().map(|module| Arc::new(PreparedPages::new(module)));
        pipeline.compression = compression.is_some().then(|| module_state.encoders.clone());
        pipeline.circuit_breaker = module_state.breaker(id, circuit_breaker.as_ref());
        pipeline
    }

    /// The stages of an edge that handles connections only.
    pub(crate) fn for_connections(id: &str, settings: &Settings, rate_limits: &Arc<RateTable>) -> Self {
        Pipeline::of_connections(
            id,
            settings,
            rate_limits,
            &mut |error| tracing::error!(%error, "a module cannot be prepared"),
        )
    }

    fn of_connections(
        id: &str,
        settings: &Settings,
        rate_limits: &Arc<RateTable>,
        report: &mut impl FnMut(Error),
    ) -> Self {
        let mut pipeline = Pipeline {
            unreadable: settings.unreadable,
            ip_restriction: settings.ip_restriction.clone(),
            ..Pipeline::default()
        };
        let limiter = |module: &_| Limiter::of(id, module, rate_limits).map(Box::new);
        pipeline.rate_limit = pipeline.ready(settings.rate_limit.as_ref(), limiter, report);
        pipeline
    }

    /// Prepares a stage; on failure, nothing passes.
    fn ready<M: ?Sized, S>(
        &mut self,
        module: Option<&M>,
        make: impl FnOnce(&M) -> Result<S, Error>,
        report: &mut impl FnMut(Error),
    ) -> Option<S> {
        let made = make(module?);
        self.unreadable |= made.is_err();
        made.map_err(report).ok()
    }

    /// The login of the route.
    pub(crate) fn realm(&self) -> Option<&Arc<Realm>> {
        self.login.as_ref().map(login::Login::realm)
    }

    /// Runs the stages of a connection, in order.
    pub(crate) fn check_connection(&self, visitor: IpAddr, geo: &Geo, trace: &mut Trace) -> Result<(), Refusal> {
        self.readable()?;
        ip_restriction::stage(self.ip_restriction.as_deref(), visitor, geo, trace)?;
        self.rate_limit.as_deref().map_or(Ok(()), |limiter| rate_limit::connection_stage(limiter, visitor, trace))
    }

    /// Runs the stages of a request, in order from the visitor to the backend.
    pub(crate) async fn check_request(&self, context: &mut RequestContext<'_>) -> Result<StageOutcome, Refusal> {
        self.readable()?;
        // Before any other work is spent on the visitor.
        let address = context.visitor.address.ip();
        ip_restriction::stage(self.ip_restriction.as_deref(), address, context.geo, context.trace)?;
        if let Some(limiter) = self.rate_limit.as_deref() {
            if limiter.counts_identities() {
                context.identity = limiter.presented_identity(&context.parts.headers);
            } else {
                rate_limit::stage(limiter, context)?;
            }
        }
        if let Some(maintenance) = self.maintenance.as_deref() {
            maintenance::stage(maintenance, context.visitor.address.ip(), context.trace)?;
        }
        user_agent_filter::stage(self.user_agent_filter.as_ref(), context)?;
        // Before the logins, whose cookies are those of one host.
        if let Some(redirects) = &self.redirect
            && let Some(response) = redirect::stage(redirects, context)?
        {
            return Ok(StageOutcome::Answered(response));
        }
        // Boxed: requests without these stages must not hold room for them.
        if let Some(verifier) = self.webhook_verification.as_deref()
            && let WebhookOutcome::Respond(response) =
                Box::pin(webhook_verification::stage(Some(verifier), context)).await?
        {
            return Ok(StageOutcome::Answered(response));
        }
        if let Some(users) = &self.basic_auth {
            Box::pin(basic_auth::stage(Some(users), context)).await?;
        }
        if let Some(login) = &self.login
            && let Some(response) = Box::pin(login::stage(Some(login), self.rate_limit.as_deref(), context)).await?
        {
            return Ok(StageOutcome::Answered(response));
        }
        // After the login, which proves the identity.
        if let Some(limiter) = self.rate_limit.as_deref().filter(|limiter| limiter.counts_identities()) {
            rate_limit::identity_stage(limiter, context)?;
        }
        let websocket = websocket_tcp_converter::stage(self.websocket_tcp_converter, context)?;
        // After the access checks, so that only requests for the backend count.
        let circuit_breaker = circuit_breaker::stage(self.circuit_breaker.as_ref(), context)?;
        // Values for the response stages, from the request as the visitor sent it.
        let compression = compression::preferred_coding(self.compression.as_ref(), context.parts);
        let response_headers = response_headers::facts(self.response_headers.as_ref(), context);
        let error_pages = error_pages::applies(self.error_pages.as_deref(), &context.parts.headers);
        let request_facts = request_headers::facts(self.request_headers.as_ref(), context);
        // After everything that decides by the path and the host.
        if let Some(rewrite) = self.rewrite.as_deref() {
            rewrite::stage(rewrite, context)?;
        }
        let host = host_header::stage(self.host_header.as_ref(), context);
        // Last, so that no other stage sees the changes.
        request_headers::stage(self.request_headers.as_ref(), request_facts, context);
        Ok(StageOutcome::Passed(ResponseContext {
            websocket,
            circuit_breaker,
            compression,
            response_headers,
            host,
            error_pages,
        }))
    }

    /// Runs the stages of a response, in order from the backend to the visitor.
    pub(crate) fn transform_response(
        &self,
        context: ResponseContext,
        response: Response<ResponseBody>,
        trace: &mut Trace,
    ) -> Response<ResponseBody> {
        let status = response.status();
        if let Some(permit) = context.circuit_breaker {
            permit.record_response(status.as_u16(), Instant::now());
        }
        let mut response = response;
        host_header::map_redirect(self.host_header.as_ref(), context.host, response.headers_mut());
        let response = error_pages::stage(self.error_pages.as_deref(), context.error_pages, response, trace);
        let mut response = compression::stage(self.compression.as_ref(), context.compression, response, trace);
        let (changes, facts) = (self.response_headers.as_ref(), context.response_headers);
        response_headers::stage(changes, facts, status, response.headers_mut(), trace);
        response
    }

    /// The pages for refusals.
    pub(crate) fn error_pages(&self) -> Option<&Arc<PreparedPages>> {
        self.error_pages.as_ref()
    }

    /// Reports to the stages that a request that passed them got no response.
    pub(crate) fn record_failure(&self, context: ResponseContext, refusal: &Refusal) {
        if let Some(permit) = context.circuit_breaker {
            permit.record_failure(refusal.fault, Instant::now());
        }
    }

    fn readable(&self) -> Result<(), Refusal> {
        if self.unreadable { Err(Refusal::new(Fault::Us, Code::ModuleUnreadable)) } else { Ok(()) }
    }
}
