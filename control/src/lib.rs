//! The management API: store, resources, HTTP interface, and the local certificate authority.
//!
//! [`Control`] is the facade. The edge follows the configuration through [`Control::published`].

mod acme;
mod agents;
mod backup;
pub mod certificates;
mod cluster;
mod consistency;
mod console_provider;
mod console_sessions;
mod control;
mod dns;
mod events;
mod files;
mod http;
mod live_state;
mod logins;
mod modules;
mod publishing;
mod relocation;
mod resources;
mod sealing;
mod settings;
pub mod store;
mod views;

pub use acme::{Acme, AcmeSettings, ChallengePresenter, ChallengeResponse, DnsChallengeSettings, DnsProvider};
pub use backup::{KeySource, Saved, back_up, restore};
pub use cluster::Cluster;
pub use consistency::{RecordReport, examine_records};
pub use control::{Control, StoreSignals};
pub use dns::{TsigAlgorithm, TsigKey};
pub use events::EventTasks;
pub use http::{AdmissionCheck, ApiCaller, ServedDescription};
pub use live_state::{
    CommandOutcome, Gathered, LiveAddress, LiveLink, LiveRefusal, LiveSession, LiveState, LiveTunnel, NameHold,
    NoLiveState,
};
pub use logins::{LoginStore, SpentAssertion};
pub use relocation::{Direction, relocate};
pub use resources::{AddressClaims, AgentIdentity, BoundAddress, TunnelClaim, audit::CommittedEvent};
pub use settings::{
    AuditRetention, AuditedEvents, ConsoleProviderSettings, ConsoleSessionLimits, ControlSettings, OAuthApp, OAuthApps,
};

/// OpenAPI description of the management API, made of its types and routes. Servers serve the committed text of it.
///
/// # Panics
///
/// If types of the API clash in it; the tests prove that none do.
pub fn description() -> serde_json::Value {
    http::description()
}
