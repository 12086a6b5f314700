//! A tunnel credential: authenticates an agent.

use super::TokenOnce;
use crate::{
    acl::Acl,
    id::Kind,
    owner::OwnerId,
    resource::{Resource, body},
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// ACL of agents with this credential, and its owner.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Credential {
    /// ACL rules; without rules everything may be bound.
    pub acl: Acl,
    /// The user or bot user it belongs to.
    pub owner_id: OwnerId,
}

body! {
    /// Body of a create.
    CredentialCreate {
        needs {}
        may {
            /// ACL rules such as `bind:*.example.com`; without rules everything may be bound.
            acl: Vec<String>,
            /// Owner; default: the caller. Only administrators may set another owner.
            owner_id: String,
        }
    }
}

body! {
    /// Body of a change. A new ACL applies to new binds.
    CredentialUpdate {
        needs {}
        may {
            /// The rules, replacing all former ones.
            acl: Vec<String>,
        }
    }
}

impl Kind for Credential {
    const PREFIX: &'static str = "cr";
}
impl Resource for Credential {
    const KIND: &'static str = "credential";
    const PATH: &'static str = "/credentials";
    const LIST: &'static str = "credentials";
    type Status = TokenOnce;
    type Create = CredentialCreate;
    type Update = CredentialUpdate;
}
