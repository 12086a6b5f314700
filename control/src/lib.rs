//! The management API: the store, the resources, their HTTP face and the local certificate authority.
//!
//! [`Control`] is the whole of it. The edge is told what changed through [`Control::published`].

mod acme;
pub mod certificates;
mod control;
mod files;
mod http;
mod live;
mod logins;
mod modules;
mod publishing;
mod resources;
mod sealing;
mod settings;
pub mod store;
mod views;

pub use acme::{Acme, AcmeSettings, Proof, Proofs};
pub use control::Control;
pub use http::{Admission, ApiCaller};
pub use live::{Live, LiveAddress, LiveRefusal, LiveSession, LiveTunnel, NothingLive, Wanted};
pub use logins::KeptLogins;
pub use settings::{OAuthApp, OAuthApps, Settings};

/// The OpenAPI description of the management API, the same on every server of this version.
///
/// # Panics
///
/// When types of the API clash in it; the tests see to it that none do.
pub fn description() -> serde_json::Value {
    http::description()
}
