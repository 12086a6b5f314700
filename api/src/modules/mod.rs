//! The modules, one file each.

mod backend;
mod ip_restriction;

pub use backend::{Backend, BackendView};
pub use ip_restriction::{IpRestriction, IpRestrictionView, POLICY_LIMIT};
