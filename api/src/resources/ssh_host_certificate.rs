//! An SSH host certificate: lets clients that trust its authority recognise a server.

use super::SshCertificateAuthority;
use crate::{
    Id, KeyType, Timestamp,
    id::Kind,
    resource::{Resource, body},
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Content of a host certificate.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SshHostCertificate {
    /// The authority that signed it.
    pub ssh_certificate_authority_id: Id<SshCertificateAuthority>,
    /// The server's public key as a line of OpenSSH.
    pub public_key: String,
    /// Host names and addresses it is valid for; none means every host.
    pub principals: Vec<String>,
    /// Start of its validity.
    pub valid_after: Timestamp,
    /// End of its validity.
    pub valid_until: Timestamp,
}

/// Fields that the server adds to an SSH certificate.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SshCertificateStatus {
    /// The kind of the public key.
    pub key_type: KeyType,
    /// The signed certificate, to be stored as a `-cert.pub` file.
    pub certificate: String,
}

body! {
    /// Body of a create.
    SshHostCertificateCreate {
        needs {
            /// The authority that shall sign.
            ssh_certificate_authority_id: String,
            /// The server's public key: the line of a `.pub` file. RSA, ECDSA or Ed25519.
            public_key: String,
        }
        may {
            /// The host names and addresses it shall be valid for; none mean every host.
            principals: Vec<String>,
            /// An RFC 3339 timestamp; default: now.
            valid_after: String,
            /// An RFC 3339 timestamp; default: one year from now.
            valid_until: String,
        }
    }
}

body! {
    /// Body of a change.
    SshHostCertificateUpdate {
        needs {}
        may {}
    }
}

impl Kind for SshHostCertificate {
    const PREFIX: &'static str = "shcrt";
}
impl Resource for SshHostCertificate {
    const KIND: &'static str = "ssh_host_certificate";
    const PATH: &'static str = "/ssh_host_certificates";
    const LIST: &'static str = "ssh_host_certificates";
    type Status = SshCertificateStatus;
    type Create = SshHostCertificateCreate;
    type Update = SshHostCertificateUpdate;
}
