//! Validation of modules, shared by the management API, the agent and the edge.

pub mod admitted;
mod circuit_breaker;
pub mod login;
mod oauth;
mod oidc;
mod user_agent_filter;
mod webhook_verification;

pub use circuit_breaker::circuit_breaker;
pub use oauth::oauth;
pub use oidc::oidc;
pub use user_agent_filter::user_agent_filter;
pub use webhook_verification::webhook_verification;
