//! The service around all routes: authentication, admission, version, cache, routing, and the log of calls.

use super::{
    ApiCaller, ApiState, api_version,
    authenticate::{self, Identified},
    response::{ErrorResponse, error_of, error_response, json_bytes},
};
use crate::resources::{
    Caller,
    audit::{CallOrigin, refusals::RefusedCall},
};
use axum::{
    Router,
    extract::{ConnectInfo, Request},
    response::{IntoResponse, Response},
};
use futures::{FutureExt, future::BoxFuture};
use http::{HeaderName, HeaderValue, Method, StatusCode, header};
use postern_api::{Code, Error, id::ksuid};
use std::{
    convert::Infallible,
    net::{IpAddr, SocketAddr},
    panic::AssertUnwindSafe,
    sync::Arc,
    task::{Context, Poll},
};
use tokio::time::Instant;
use tower::Service;

static OPERATION_ID: HeaderName = HeaderName::from_static("postern-operation-id");

/// Runs every call through its stages.
#[derive(Clone)]
pub(super) struct ManagementService {
    pub(super) state: Arc<ApiState>,
    pub(super) routes: Router,
}

impl Service<Request> for ManagementService {
    type Response = Response;
    type Error = Infallible;
    type Future = BoxFuture<'static, Result<Response, Infallible>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request) -> Self::Future {
        let service = self.clone();
        Box::pin(async move { Ok(service.respond(request).await) })
    }
}

impl ManagementService {
    /// Assigns an operation id, catches panics, writes the bodies of errors, and logs the call.
    async fn respond(self, request: Request) -> Response {
        let started = Instant::now();
        let operation = format!("op_{}", ksuid(postern_api::clock::now().as_second(), rand::random()));
        let (method, uri) = (request.method().clone(), request.uri().clone());
        let (path, mut caller, state) = (uri.path(), None, self.state.clone());
        let origin = CallOrigin { address: peer_address(&request), operation_id: operation.clone() };
        let result = AssertUnwindSafe(self.run_stages(request, &origin, &mut caller)).catch_unwind().await;
        let mut response = result.unwrap_or_else(|_| {
            tracing::error!(%operation, %method, %path, "a handler panicked");
            ErrorResponse(Error::new(
                Code::Internal,
                "The server failed internally. Its log has the details under the operation id.",
            ))
            .into_response()
        });
        let mut code = None;
        if let Some(error) = error_of(&mut response, &method, path) {
            code = Some(error.code);
            response = error_response(response, error.with("operation_id", &operation));
        }
        let headers = response.headers_mut();
        if let Ok(value) = HeaderValue::from_str(&operation) {
            headers.insert(OPERATION_ID.clone(), value);
        }
        headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
        let (status, took) = (response.status().as_u16(), started.elapsed());
        if let Some(code) = code.filter(|_| matches!(status, 401 | 403) && state.resources.settings.audited.refusals) {
            let (caller, method) = (caller.as_deref(), method.as_str());
            state.resources.refusals.count(RefusedCall { caller, origin, code, method, path });
        }
        let (code, by) = (code.map(tracing::field::display), caller.as_ref().map(|caller| caller.key.as_str()));
        if status >= 500 {
            tracing::warn!(%operation, %method, %path, status, code, by, ?took, "management call failed");
        } else {
            tracing::debug!(%operation, %method, %path, status, code, by, ?took, "management call");
        }
        response
    }

    async fn run_stages(mut self, request: Request, origin: &CallOrigin, by: &mut Option<Arc<Caller>>) -> Response {
        let (mut parts, body) = request.into_parts();
        let resources = &self.state.resources;
        let Identified { caller, session } = match authenticate::identify(resources, &parts).await {
            Ok(identified) => identified,
            Err(error) => return ErrorResponse(error).into_response(),
        };
        *by = Some(caller.clone());
        if let Some(admission) = &self.state.admission {
            let api_caller = ApiCaller {
                key: caller.key.to_string(),
                owner: caller.owner.to_string(),
                admin: caller.is_admin(),
                console: session.is_some(),
            };
            if let Err(error) = admission(&parts, &api_caller) {
                return ErrorResponse(error).into_response();
            }
        }
        if let Err(error) = api_version::check(&parts.headers, &resources.settings.version_aliases) {
            return ErrorResponse(error).into_response();
        }
        if parts.method == Method::GET
            && parts.uri.query().is_none()
            && let Some(body) = resources.cached_body(&caller, parts.uri.path())
        {
            return json_bytes(StatusCode::OK, body);
        }
        parts.extensions.insert(Caller { origin: origin.clone(), ..(*caller).clone() });
        parts.extensions.insert(session);
        match self.routes.call(Request::from_parts(parts, body)).await {
            Ok(response) => response,
            Err(never) => match never {},
        }
    }
}

fn peer_address(request: &Request) -> Option<IpAddr> {
    request.extensions().get::<ConnectInfo<SocketAddr>>().map(|ConnectInfo(peer)| peer.ip())
}
