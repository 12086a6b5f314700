//! An SSH user certificate: lets somebody log in to servers that trust its authority.

use super::{SshCertificateAuthority, SshCertificateStatus};
use crate::{
    Id, Timestamp,
    id::Kind,
    resource::{Resource, body},
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// What a user certificate says.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SshUserCertificate {
    /// The authority that signed it.
    pub ssh_certificate_authority_id: Id<SshCertificateAuthority>,
    /// The user's public key as a line of OpenSSH.
    pub public_key: String,
    /// The names of users it is valid for. OpenSSH's server lets nobody in by a certificate without any.
    pub principals: Vec<String>,
    /// When it becomes valid.
    pub valid_after: Timestamp,
    /// When it is no longer valid.
    pub valid_until: Timestamp,
    /// What a server must understand to let the user in, `force-command` or `source-address` for example.
    pub critical_options: BTreeMap<String, String>,
    /// What the user may do; a server passes over what it does not know.
    pub extensions: BTreeMap<String, String>,
}

body! {
    /// What is said when a user certificate is made.
    SshUserCertificateCreate {
        needs {
            /// The authority that shall sign.
            ssh_certificate_authority_id: String,
            /// The user's public key: the line of a `.pub` file. RSA, ECDSA or Ed25519.
            public_key: String,
        }
        may {
            /// The names of users it shall be valid for. OpenSSH's server lets nobody in by a certificate without any.
            principals: Vec<String>,
            /// An RFC 3339 timestamp; now, if nothing is said.
            valid_after: String,
            /// An RFC 3339 timestamp; 24 hours from now, if nothing is said.
            valid_until: String,
            /// What a server must understand to let the user in: `force-command`, `source-address` and others.
            critical_options: BTreeMap<String, String>,
            /// What the user may do; `permit-pty` and `permit-user-rc`, if nothing is said.
            extensions: BTreeMap<String, String>,
        }
    }
}

body! {
    /// What may be changed.
    SshUserCertificateUpdate {
        needs {}
        may {}
    }
}

impl Kind for SshUserCertificate {
    const PREFIX: &'static str = "sucrt";
}
impl Resource for SshUserCertificate {
    const KIND: &'static str = "ssh_user_certificate";
    const PATH: &'static str = "/ssh_user_certificates";
    const LIST: &'static str = "ssh_user_certificates";
    type Status = SshCertificateStatus;
    type Create = SshUserCertificateCreate;
    type Update = SshUserCertificateUpdate;
}
