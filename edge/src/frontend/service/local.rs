//! Requests that the edge serves itself: ACME challenges, logins, the management API.

use super::{AdmittedRequest, EdgeState, route::normalised_path};
use crate::{
    frontend::VisitorConnection,
    http::{counted, headers},
    refusal::Refusal,
    routing::HttpsEndpoint,
    settings::ApiHost,
    telemetry::AccessRecord,
    upstream::ResponseBody,
};
use hyper::{
    Request, Response,
    header::{self, HeaderValue},
};
use postern_logins::Realm;
use std::sync::Arc;
use tower::ServiceExt;

/// A service of the edge itself.
pub(super) enum EdgeService<'a> {
    /// The text of an ACME challenge.
    Challenge(String),
    /// A login path of an endpoint.
    Login(LoginPath),
    /// The login host.
    LoginHost,
    Api(&'a ApiHost),
}

/// The endpoint of a login path.
pub(super) enum LoginPath {
    /// A tunnel, which has one realm.
    Realm(Arc<Realm>),
    /// An edge, whose routes may have different realms.
    Edge(Arc<HttpsEndpoint>),
}

impl EdgeService<'_> {
    pub(super) async fn respond(
        self,
        state: &EdgeState,
        connection: &VisitorConnection,
        request: AdmittedRequest,
        record: &Arc<AccessRecord>,
    ) -> Result<Response<ResponseBody>, Refusal> {
        let AdmittedRequest { mut parts, body, .. } = request;
        let visitor = &connection.visitor;
        match self {
            EdgeService::Challenge(text) => Ok(challenge(text)),
            EdgeService::Login(LoginPath::Realm(realm)) => state.log_in(&parts, visitor, |_| Some(realm.clone())).await,
            EdgeService::Login(LoginPath::Edge(edge)) => {
                let realm_at = |path: &str| edge.route(&normalised_path(path)?)?.pipeline.realm().cloned();
                state.log_in(&parts, visitor, realm_at).await
            }
            EdgeService::LoginHost => state.at_login_host(&parts, counted(body, record), visitor).await,
            EdgeService::Api(api) => {
                headers::clean_request(&mut parts.headers);
                parts.extensions.insert(visitor.address);
                let Ok(response) = api.service.clone().oneshot(Request::from_parts(parts, counted(body, record))).await;
                Ok(response.map(ResponseBody::boxed))
            }
        }
    }
}

fn challenge(text: String) -> Response<ResponseBody> {
    let mut response = Response::new(ResponseBody::full(text.into()));
    response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static("text/plain; charset=utf-8"));
    response
}
