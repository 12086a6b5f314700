//! Agents: their sessions, the tunnels they bind, and the names and ports these hold.

mod agent;
mod authenticate;
mod bind;
mod claims;
mod directory;
mod followers;
mod membership;
mod names;
mod registry;
mod remote;
mod reservations;
mod retirement;
mod session;
mod stages;
mod tunnel;
mod views;

pub(crate) use agent::{new_data_secret, serve_agent};
pub use claims::{AddressClaim, AddressClaims, ClaimedAddress};
pub(crate) use directory::{OwnChange, OwnTunnels};
pub(crate) use membership::Membership;
pub use membership::Peer;
pub use names::HeldName;
pub(crate) use names::NameLookup;
pub(crate) use registry::{EndKind, RegistrySettings, TunnelRegistry};
pub use reservations::{PendingReservation, ReservationGuard};
pub(crate) use session::Session;
pub(crate) use stages::Stages;
pub(crate) use tunnel::Tunnel;
pub use views::{SessionView, TunnelKind, TunnelView};
