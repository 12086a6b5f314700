//! The public side of Postern: listeners, TLS, HTTP and TCP proxying, agent sessions, modules.
//!
//! The edge knows nothing of the management API: published configuration reaches it as plain data through a
//! `watch` channel, certificates through the trait [`Certificates`], and [`Live`] gives a view of the running edge.
//!
//! The modules form floors, listed here from top to bottom; each imports only what is below it:
//! [`edge`], [`live`], [`frontend`], [`settings`], [`links`], [`tunnels`], [`tcp`], [`access`], [`routing`], [`modules`],
//! [`upstream`], [`net`], [`http`], [`tls`], [`telemetry`], [`geo`], [`limits`], [`refusal`].

mod access;
mod edge;
mod frontend;
/// The checks of the fuzz targets and the replay of their corpora; not part of a release build.
#[cfg(any(test, fuzzing))]
#[doc(hidden)]
pub mod fuzzing;
mod geo;
mod http;
mod limits;
mod links;
mod live;
mod modules;
mod net;
mod refusal;
mod routing;
mod settings;
mod tcp;
mod telemetry;
mod tls;
mod tunnels;
mod upstream;

pub use edge::{ConfigurationFollower, Edge};
pub use geo::Geo;
pub use http::VisitorDisconnected;
pub use limits::Limits;
pub use links::{LinkSettings, LinkView, NodeIdentity, NodeLinks, node_server_name};
pub use live::{CommandOutcome, Live};
pub use modules::SigningCertificates;
pub use net::Proxies;
pub use settings::{ApiBody, ApiHost, ApiRequestBody, ApiService, Clock, Settings};
pub use telemetry::{
    AccessLog, AccessLogEntry, AccessLogReader, MAX_RECENT_REQUESTS, MalformedSample, RECENT_REQUESTS, TrafficArchive,
    TrafficSample, TrafficSpan,
};
pub use tls::{Certificates, ChallengeGuard, Challenges};
pub use tunnels::{
    AddressClaim, AddressClaims, ClaimedAddress, HeldName, Peer, PendingReservation, ReservationGuard, SessionView,
    TunnelKind, TunnelView,
};
