//! One request of a visitor, in five phases that read downwards: admit, route, pipeline, proxy, respond.

mod admit;
mod interim;
mod limit;
mod local;
mod outcome;
mod pipeline;
mod proxy;
mod respond;
mod route;

use super::VisitorConnection;
use crate::{
    access::Access,
    http::{RequestedUpgrade, VisitorBody, headers},
    limits::{Limits, Quota},
    refusal::Refusal,
    routing::Routing,
    settings::ApiHost,
    telemetry::{AccessRecord, Trace},
    tls::Challenges,
    tunnels::TunnelRegistry,
    upstream::ResponseBody,
};
use admit::{AdmittedRequest, admit};
use hyper::{Request, Response, header::HeaderValue};
pub(super) use outcome::refuse_unparsed;
use outcome::{LoggedRequest, finish};
use pipeline::{PipelineOutcome, PipelineRequest, run_pipeline};
use postern_logins::{IdentityHeaders, Logins};
use proxy::proxy;
use respond::respond;
use route::{RequestDestination, Routed, route};
use std::sync::Arc;

/// State that all requests share. When a setting changes, new connections get another state; open ones keep theirs.
#[derive(Clone)]
pub(crate) struct EdgeState {
    pub(crate) registry: Arc<TunnelRegistry>,
    pub(crate) routing: Arc<Routing>,
    pub(crate) access: Arc<Access>,
    pub(crate) logins: Arc<Logins>,
    /// Identity headers that every request is cleaned of; `None` if the header rules remove them already.
    pub(crate) identity_headers: Option<Arc<IdentityHeaders>>,
    pub(crate) api: Option<ApiHost>,
    pub(crate) challenges: Challenges,
    pub(crate) limits: Limits,
    /// The requests that are served at the same time.
    pub(crate) requests: Arc<Quota>,
    /// The port that plain requests are redirected to when a name is published over HTTPS only.
    pub(crate) https_port: u16,
}

/// Serves one request. Every failure becomes a response.
///
/// The future is built here and not by an `async fn`, which would keep each argument twice.
pub(super) fn serve_request(
    state: Arc<EdgeState>,
    connection: Arc<VisitorConnection>,
    request: Request<VisitorBody>,
) -> impl Future<Output = Response<ResponseBody>> {
    let record = AccessRecord::begin(&state.access.telemetry);
    async move {
        let mut open = connection.requests.start();
        if let Some(refusal) = limit::over_limit(&state, &connection, &mut open) {
            let response = limit::refuse(&refusal, &connection, &request, &record);
            return response.map(|body| body.tracked(open).counted(record));
        }
        let head = LoggedRequest::new(&request);
        let mut trace = Trace::begin();
        let outcome = state.run_phases(&connection, request, &mut trace, &record).await;
        let response = finish(outcome, &connection, &head, &mut trace, &record);
        response.map(|body| body.tracked(open).counted(record))
    }
}

impl EdgeState {
    /// Runs the phases of a request in order.
    async fn run_phases(
        &self,
        connection: &Arc<VisitorConnection>,
        request: Request<VisitorBody>,
        trace: &mut Trace,
        record: &Arc<AccessRecord>,
    ) -> Result<Response<ResponseBody>, Refusal> {
        let request = admit(self, request)?;
        let destination = match route(self, connection, &request, trace)? {
            Routed::Upstream(destination) => destination,
            // Boxed: a request that waits for its upstream must not hold room for a login.
            Routed::Edge(service) => return Box::pin(service.respond(self, connection, request, record)).await,
        };
        let piped = run_pipeline(self, connection, request, &destination, trace, record).await;
        let (mut request, passed) = match piped.map_err(|refusal| destination.with_own_pages(refusal))? {
            PipelineOutcome::Passed(request, passed) => (request, passed),
            PipelineOutcome::Answered(response) => return Ok(*response),
        };
        let candidates =
            destination.candidates(&self.registry.backends).map_err(|refusal| destination.with_own_pages(refusal))?;
        let response = proxy(self, connection, &mut request, candidates, trace, record).await;
        respond(destination.pipeline(), passed, response, trace).map_err(|refusal| destination.with_own_pages(refusal))
    }
}

/// A change of protocol that the visitor asks for.
struct ProtocolChange {
    /// The value of the `Upgrade` header.
    protocol: HeaderValue,
    upgrade: RequestedUpgrade,
}

impl ProtocolChange {
    /// Takes the upgrade out of a request. `None` if it asks for none in proper form (RFC 9110, section 7.8).
    fn take(request: &mut Request<VisitorBody>) -> Option<Self> {
        let protocol = headers::requested_upgrade(request.version(), request.headers())?;
        let upgrade = request.extensions_mut().remove()?;
        Some(ProtocolChange { protocol, upgrade })
    }
}
