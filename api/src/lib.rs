//! Types shared by server, agent and desktop app: resources, modules, ids, limits, error codes.
//!
//! Nothing in this crate listens, stores or connects, except the typed client behind the feature `client`.

pub mod acl;
pub mod backoff;
pub mod checks;
#[cfg(feature = "client")]
pub mod client;
pub mod clock;
pub mod codes;
pub mod country;
pub mod description;
pub mod error;
pub mod error_pages;
/// Checks of the fuzz targets and the replay of their corpora; compiled for tests and fuzzing only.
#[cfg(any(test, fuzzing))]
#[doc(hidden)]
pub mod fuzzing;
pub mod headers;
pub mod host;
pub mod html;
pub mod id;
pub mod ip_rules;
mod key_type;
pub mod labels;
pub mod local;
pub mod module;
mod modules;
pub mod owner;
pub mod path_templates;
pub mod patterns;
pub mod published;
pub mod resource;
mod resources;
pub mod role;
pub mod schema;
pub mod secret;
pub mod timestamp;
pub mod token;
pub mod trace;
pub mod traffic;
pub mod tunnel_modules;
pub mod user_agents;
pub mod webhooks;
pub mod words;

/// Response header that says what a stored module cannot do on this server as it is configured.
pub const WARNING_HEADER: &str = "postern-warning";

pub use codes::Code;
pub use country::Country;
pub use error::{Error, Result};
pub use id::{AnyId, Id};
pub use key_type::KeyType;
pub use owner::OwnerId;
pub use role::Role;
pub use secret::Secret;
pub use timestamp::Timestamp;
