//! An SSH certificate authority: a key pair of the server's that signs certificates of hosts and users.

use crate::{
    KeyType,
    id::Kind,
    resource::{Resource, body},
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Its key pair is made by the server; the private half is never shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SshCertificateAuthority {}

/// Fields that the server adds to an authority.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SshCertificateAuthorityStatus {
    /// The public key as a line of OpenSSH: for `@cert-authority` in `known_hosts`, or for `TrustedUserCAKeys`.
    pub public_key: String,
    /// The kind of the key.
    pub key_type: KeyType,
}

body! {
    /// Body of a create.
    SshCertificateAuthorityCreate {
        needs {}
        may {
            /// `rsa`, `ecdsa` or `ed25519`; default: `ed25519`.
            private_key_type: String,
            /// For `ecdsa` only: `nistp256`, `nistp384` or `nistp521`; default: `nistp256`.
            elliptic_curve: String,
            /// For `rsa` only: 2048 or 4096; default: 4096.
            key_size: i64,
        }
    }
}

body! {
    /// Body of a change.
    SshCertificateAuthorityUpdate {
        needs {}
        may {}
    }
}

impl Kind for SshCertificateAuthority {
    const PREFIX: &'static str = "sshca";
}
impl Resource for SshCertificateAuthority {
    const KIND: &'static str = "ssh_certificate_authority";
    const PATH: &'static str = "/ssh_certificate_authorities";
    const LIST: &'static str = "ssh_certificate_authorities";
    type Status = SshCertificateAuthorityStatus;
    type Create = SshCertificateAuthorityCreate;
    type Update = SshCertificateAuthorityUpdate;
}
