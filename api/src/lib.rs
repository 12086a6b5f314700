//! What everybody says: the vocabulary shared by server, agent and desktop app.
//!
//! Nothing in here listens, stores or connects (the typed client behind the feature `client` excepted).

pub mod acl;
pub mod codes;
pub mod error;
pub mod host;
pub mod id;
pub mod ip_rules;
pub mod secret;
pub mod timestamp;
pub mod token;

pub use codes::Code;
pub use error::{Error, Result};
pub use id::{AnyId, Id};
pub use secret::Secret;
pub use timestamp::Timestamp;
