//! Who visitors are: logins with OpenID Connect, OAuth and SAML, and the sessions they begin.
//!
//! The crate speaks with identity providers, not with visitors: the edge gives it what a visitor sent and sends
//! what comes back. A login takes four steps: the endpoint sends the visitor to the provider ([`Logins::begin`]); the
//! provider sends them to the one login host ([`Logins::at_login_host`]); that sends them to the endpoint they came
//! from; there the session begins ([`Logins::at_endpoint`]), because its cookie is for that host alone.

mod asked;
mod attempts;
mod code_grant;
mod cookies;
mod identity;
mod ledger;
mod logins;
mod oauth;
mod oidc;
mod origin;
mod pages;
mod realm;
mod recognized;
mod reply;
mod return_path;
mod saml;
mod seen;
mod sessions;
mod web;

pub use identity::{IdentityHeaders, MAX_VALUE};
pub use ledger::{Ledger, NoLedger};
pub use logins::{Admission, Asked, Logins, Reply, Settings};
pub use oauth::{Endpoints, Operator, Operators};
pub use origin::Origin;
pub use realm::Realm;
pub use seen::Known;
pub use web::Web;

/// Where an endpoint's own login addresses are.
pub const PREFIX: &str = "/.postern/";

/// Tells the time; tests turn it.
pub type Clock = std::sync::Arc<dyn Fn() -> jiff::Timestamp + Send + Sync>;
