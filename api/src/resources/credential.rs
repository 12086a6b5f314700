//! A tunnel credential: what an agent proves itself with.

use super::TokenOnce;
use crate::{
    acl::Acl,
    id::Kind,
    owner::OwnerId,
    resource::{Resource, body},
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What agents with this credential may bind, and whose it is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Credential {
    /// What may be bound; no rules permit everything.
    pub acl: Acl,
    /// The user or bot user it belongs to.
    pub owner_id: OwnerId,
}

body! {
    /// What is said when a credential is made.
    CredentialCreate {
        needs {}
        may {
            /// Rules such as `bind:*.example.com`; none permit everything.
            acl: Vec<String>,
            /// The owner, if not the caller; only administrators may name somebody else.
            owner_id: String,
        }
    }
}

body! {
    /// What may be changed. A new ACL counts for new binds.
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
