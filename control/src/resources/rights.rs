//! Rights of callers: how much they may see and change, by the roles of owner and key.

use postern_api::Role;

/// How much, from nothing to everything.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Scope {
    Nothing,
    /// Own credentials, and the agents that use them.
    Own,
    /// What belongs to all, and own keys and credentials.
    Shared,
    /// Users, keys of others and whatever could shut an administrator out, too.
    Everything,
}

/// Kind of access.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Access {
    See,
    Change,
}

/// What a caller may see and change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Rights {
    see: Scope,
    change: Scope,
}

impl Rights {
    /// Rights of an owner's key.
    pub(crate) fn of_key(owner: Role, key: Role) -> Self {
        Rights::from(owner).within(key.into())
    }

    /// What is in both.
    fn within(self, other: Rights) -> Self {
        Rights { see: self.see.min(other.see), change: self.change.min(other.change) }
    }

    /// All that these rights allow is allowed by the others, too.
    pub(crate) fn are_within(self, other: Rights) -> bool {
        self.within(other) == self
    }

    /// How much may be seen or changed.
    pub(crate) fn scope(self, access: Access) -> Scope {
        match access {
            Access::See => self.see,
            Access::Change => self.change,
        }
    }

    /// The rights of an administrator.
    pub(crate) fn is_admin(self) -> bool {
        self.change == Scope::Everything
    }

    /// The role that comes closest.
    pub(crate) fn role(self) -> Role {
        match self.change {
            Scope::Nothing => Role::Viewer,
            Scope::Own => Role::AgentOwner,
            Scope::Shared => Role::Editor,
            Scope::Everything => Role::Admin,
        }
    }
}

impl From<Role> for Rights {
    fn from(role: Role) -> Self {
        let (see, change) = match role {
            Role::Admin => (Scope::Everything, Scope::Everything),
            Role::Editor => (Scope::Shared, Scope::Shared),
            Role::Viewer => (Scope::Shared, Scope::Nothing),
            Role::AgentOwner => (Scope::Own, Scope::Own),
        };
        Rights { see, change }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_never_has_more_rights_than_its_owner() {
        for owner in Role::ALL {
            assert_eq!(Rights::of_key(owner, Role::Admin), Rights::from(owner));
            for key in Role::ALL {
                let rights = Rights::of_key(owner, key);
                assert!(rights.are_within(owner.into()) && rights.are_within(key.into()), "{owner} {key}");
                assert_eq!(rights.is_admin(), owner.is_admin() && key.is_admin(), "{owner} {key}");
            }
        }
    }

    #[test]
    fn each_role_is_told_by_its_rights() {
        for role in Role::ALL {
            assert_eq!(Rights::from(role).role(), role);
        }
        let seeing = Rights::of_key(Role::AgentOwner, Role::Viewer);
        assert_eq!((seeing.role(), seeing.scope(Access::See)), (Role::Viewer, Scope::Own));
    }
}
