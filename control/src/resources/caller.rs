//! Callers of the API, and their access to records.

use super::{
    audit::CallOrigin,
    rights::{Access, Rights, Scope},
};
use postern_api::{AnyId, Code, Error, OwnerId, Result, Role};

/// The authenticated holder of an API key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Caller {
    /// Id of the key, for the log and for events.
    pub(crate) key: AnyId,
    /// User or bot user that the key belongs to.
    pub(crate) owner: OwnerId,
    /// Name of the owner.
    pub(crate) name: String,
    /// Role of the key itself.
    pub(crate) key_role: Role,
    /// What the key allows, by the roles of owner and key.
    pub(crate) rights: Rights,
    /// The call that is being served.
    pub(crate) origin: CallOrigin,
}

impl Caller {
    /// Whether the caller has the rights of an administrator.
    pub(crate) fn is_admin(&self) -> bool {
        self.rights.is_admin()
    }

    /// Checks access to what needs a scope.
    ///
    /// # Errors
    /// `AdminNeeded` or `RoleTooLow`, if the scope of the caller is smaller.
    pub(crate) fn check_scope(&self, access: Access, needed: Scope) -> Result<()> {
        if self.rights.scope(access) >= needed {
            return Ok(());
        }
        if access == Access::Change && self.rights.scope(access) == Scope::Nothing {
            return Err(role_too_low(
                "An API key with the role `viewer` changes nothing. Use a key with another role.",
            ));
        }
        if needed == Scope::Everything {
            return Err(admin_needed());
        }
        Err(role_too_low(
            "An API key with the role `agent-owner` is for own credentials, and for the agents that use them. Use a key \
             with another role.",
        ))
    }

    /// Checks access to a record by its owner; records without an owner are open to every caller.
    ///
    /// # Errors
    /// `AdminNeeded`, if the record belongs to another owner.
    pub(crate) fn check_owner_access(&self, owner: Option<&OwnerId>) -> Result<()> {
        match owner {
            Some(owner) if self.rights.scope(Access::See) < Scope::Everything && *owner != self.owner => {
                Err(admin_needed())
            }
            _ => Ok(()),
        }
    }
}

pub(crate) fn admin_needed() -> Error {
    Error::new(Code::AdminNeeded, "Only an administrator may do this. Use an administrator's API key.")
}

fn role_too_low(sentence: &'static str) -> Error {
    Error::new(Code::RoleTooLow, sentence)
}
