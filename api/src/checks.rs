//! Validation of modules, shared by the management API, the agent and the edge.

pub mod admitted;
mod circuit_breaker;
mod error_pages;
pub mod login;
mod maintenance;
mod oauth;
mod oidc;
mod rate_limit;
mod redirect;
mod rewrite;
mod user_agent_filter;
mod webhook_verification;

pub use circuit_breaker::circuit_breaker;
pub use error_pages::error_pages;
pub use maintenance::maintenance;
pub use oauth::oauth;
pub use oidc::oidc;
pub use rate_limit::{rate_limit, rate_limit_of_connections};
pub use redirect::{redirect, redirect_target};
pub use rewrite::{rewrite, rewrite_template};
pub use user_agent_filter::user_agent_filter;
pub use webhook_verification::webhook_verification;
