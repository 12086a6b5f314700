//! The management API over HTTP.
//!
//! Every call goes the same way: authenticate, API restriction, version, route, content type, typed body.

mod answer;
mod authenticate;
mod body;
mod call;
mod handlers;
mod named;
mod openapi;
mod query;
mod routes;
mod version;

pub use authenticate::ApiCaller;
pub(crate) use routes::{Api, description, router};

use crate::resources::Resources;
use std::sync::Arc;

/// Decides whether a caller may use the API at all, before anything else of the request is looked at.
pub type Admission = Arc<dyn Fn(&http::request::Parts, &ApiCaller) -> postern_api::Result<()> + Send + Sync>;

/// What all handlers share.
pub(crate) struct Shared {
    pub(crate) resources: Arc<Resources>,
    pub(crate) admission: Option<Admission>,
}
