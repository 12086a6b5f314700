//! Roles: what a user, a bot user or an API key may see and change.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What the holder of an API key may see and change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Role {
    /// Everything.
    Admin,
    /// Everything but users, keys of others, the audit log, and IP restrictions of the management API and the console.
    Editor,
    /// What an editor may see, without changing anything.
    Viewer,
    /// Own credentials, and the sessions and tunnels of the agents that use them.
    AgentOwner,
}

impl Role {
    /// All of them.
    pub const ALL: [Role; 4] = [Role::Admin, Role::Editor, Role::Viewer, Role::AgentOwner];

    /// Text form.
    pub const fn as_str(self) -> &'static str {
        match self {
            Role::Admin => "admin",
            Role::Editor => "editor",
            Role::Viewer => "viewer",
            Role::AgentOwner => "agent-owner",
        }
    }

    /// Role of an owner by the two members of a record or body, of which `role` was added later.
    pub const fn from_members(role: Option<Role>, admin: bool) -> Role {
        match role {
            Some(role) => role,
            None if admin => Role::Admin,
            None => Role::Editor,
        }
    }

    /// The role has all rights.
    pub const fn is_admin(self) -> bool {
        matches!(self, Role::Admin)
    }
}

impl std::fmt::Display for Role {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_role_is_written_in_one_way() {
        for role in Role::ALL {
            assert_eq!(serde_json::to_value(role).expect("JSON"), role.as_str());
        }
    }
}
