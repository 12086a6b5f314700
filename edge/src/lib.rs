//! The public side of Postern: listeners, TLS, HTTP and TCP proxying, agent sessions, modules.
//!
//! The edge knows nothing of the management API: what is published reaches it as plain data through a
//! `watch` channel, certificates through the trait [`Certificates`], and what is alive at the moment can be
//! asked from [`Live`].

mod backends;
mod challenges;
mod counters;
mod edge;
/// What fuzzing checks, and the replay of what it found: never part of a program.
#[cfg(any(test, fuzzing))]
#[doc(hidden)]
pub mod fuzzing;
mod gatehouse;
mod http;
mod listeners;
mod live;
mod modules;
mod pages;

mod refusal;
mod routing;
mod sessions;
mod settings;
mod tcp;
mod tls;
mod traffic;

pub use challenges::{Challenges, Showing};
pub use edge::Edge;
pub use gatehouse::{AccessLog, Entry};
pub use http::ApiBody;
pub use listeners::Proxies;
pub use live::{Live, SessionView, TunnelKind, TunnelView};
pub use modules::SigningCertificates;
pub use sessions::{Pledge, Pledged};
pub use settings::{ApiHost, ApiService, Clock, Limits, Settings};
pub use tls::Certificates;
