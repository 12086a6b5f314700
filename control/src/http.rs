//! The management API over HTTP.
//!
//! Stages of every call: authentication, admission, version, route, content type, typed body.

mod api_version;
mod audit_events;
mod authenticate;
mod body;
mod console_sessions;
mod console_sign_in;
mod handlers;
mod openapi;
mod put_back;
mod query;
mod response;
mod routes;
mod same_origin;
mod served_description;
mod service;
mod session_cookie;
mod sign_in_attempt;
mod sign_in_page;
mod strict_objects;

pub use authenticate::ApiCaller;
pub(crate) use routes::{description, indexed_kinds, router};
pub use served_description::ServedDescription;

use crate::resources::Resources;
use std::sync::Arc;

/// Decides after authentication whether a caller may use the API at all.
pub type AdmissionCheck = Arc<dyn Fn(&http::request::Parts, &ApiCaller) -> postern_api::Result<()> + Send + Sync>;

/// State shared by all handlers.
pub(crate) struct ApiState {
    pub(crate) resources: Arc<Resources>,
    pub(crate) admission: Option<AdmissionCheck>,
}
