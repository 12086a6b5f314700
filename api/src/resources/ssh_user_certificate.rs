//! An SSH user certificate: allows a user to log in to servers that trust its authority.

use super::{SshCertificateAuthority, SshCertificateStatus};
use crate::{
    Id, Timestamp,
    id::Kind,
    resource::{Resource, body},
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Content of a user certificate.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SshUserCertificate {
    /// The authority that signed it.
    pub ssh_certificate_authority_id: Id<SshCertificateAuthority>,
    /// The user's public key as a line of OpenSSH.
    pub public_key: String,
    /// User names (principals) it is valid for. OpenSSH's server refuses a certificate without any.
    pub principals: Vec<String>,
    /// Start of its validity.
    pub valid_after: Timestamp,
    /// End of its validity.
    pub valid_until: Timestamp,
    /// Critical options, which a server must understand to accept the certificate: `force-command`, `source-address` and others.
    pub critical_options: BTreeMap<String, String>,
    /// Extensions: permissions of the user. A server ignores unknown ones.
    pub extensions: BTreeMap<String, String>,
}

body! {
    /// Body of a create.
    SshUserCertificateCreate {
        needs {
            /// The authority that shall sign.
            ssh_certificate_authority_id: String,
            /// The user's public key: the line of a `.pub` file. RSA, ECDSA or Ed25519.
            public_key: String,
        }
        may {
            /// User names (principals) it is valid for. OpenSSH's server refuses a certificate without any.
            principals: Vec<String>,
            /// An RFC 3339 timestamp; default: now.
            valid_after: String,
            /// An RFC 3339 timestamp; default: 24 hours from now.
            valid_until: String,
            /// Critical options, which a server must understand to accept the certificate: `force-command`, `source-address` and others.
            critical_options: BTreeMap<String, String>,
            /// Extensions: permissions of the user; default: `permit-pty` and `permit-user-rc`.
            extensions: BTreeMap<String, String>,
        }
    }
}

body! {
    /// Body of a change.
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
