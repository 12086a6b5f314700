//! Callers of the API, and their access to records.

use super::audit::CallOrigin;
use postern_api::{AnyId, Code, Error, OwnerId, Result};

/// The authenticated holder of an API key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Caller {
    /// Id of the key, for the log and for events.
    pub(crate) key: AnyId,
    /// User or bot user that the key belongs to.
    pub(crate) owner: OwnerId,
    /// Name of the owner.
    pub(crate) name: String,
    /// The owner is an administrator.
    pub(crate) admin: bool,
    /// The call that is being served.
    pub(crate) origin: CallOrigin,
}

impl Caller {
    /// Checks access to a record by its owner; records without an owner are open to every caller.
    ///
    /// # Errors
    /// `AdminNeeded`, if the record belongs to another owner.
    pub(crate) fn check_owner_access(&self, owner: Option<&OwnerId>) -> Result<()> {
        match owner {
            Some(owner) if !self.admin && *owner != self.owner => Err(admin_needed()),
            _ => Ok(()),
        }
    }
}

pub(crate) fn admin_needed() -> Error {
    Error::new(Code::AdminNeeded, "Only an administrator may do this. Use an administrator's API key.")
}
