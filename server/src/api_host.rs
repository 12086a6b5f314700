//! The management API on the HTTPS listener, under `--api-host`.

use axum::{Router, extract::ConnectInfo};
use http_body_util::BodyExt;
use hyper::Request;
use postern_api::host::HostName;
use postern_edge::{ApiBody, ApiHost, ApiRequestBody, ApiService};
use std::net::SocketAddr;
use tower::ServiceExt;

/// Wraps the router as a service of the edge.
pub(crate) fn offer(name: HostName, router: Router) -> ApiHost {
    let service = tower::service_fn(move |mut request: Request<ApiRequestBody>| {
        let router = router.clone();
        async move {
            if let Some(visitor) = request.extensions().get::<SocketAddr>().copied() {
                request.extensions_mut().insert(ConnectInfo(visitor));
            }
            let response = router.oneshot(request).await?;
            Ok(response.map(|body| -> ApiBody { body.map_err(Into::into).boxed_unsync() }))
        }
    });
    ApiHost { name, service: ApiService::new(service) }
}
