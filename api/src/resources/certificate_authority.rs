//! A certificate authority: who may sign the certificates that visitors show.

use crate::{
    Timestamp,
    id::Kind,
    resource::{Resource, body},
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What was uploaded.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CertificateAuthority {
    /// The authority's certificate in PEM.
    pub ca_pem: String,
}

/// What the server reads from the certificate.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CertificateAuthorityStatus {
    /// The common name of the subject; empty if it has none.
    pub subject_common_name: String,
    /// When it becomes valid.
    pub not_before: Timestamp,
    /// When it is no longer valid.
    pub not_after: Timestamp,
    /// What the key may be used for, `CertSign` for example.
    pub key_usages: Vec<String>,
    /// What the key may further be used for; a use without a name is its number.
    pub extended_key_usages: Vec<String>,
}

body! {
    /// What is said when an authority is uploaded.
    CertificateAuthorityCreate {
        needs {
            /// Exactly one certificate in PEM, of an authority.
            ca_pem: String,
        }
        may {}
    }
}

body! {
    /// What may be changed.
    CertificateAuthorityUpdate {
        needs {}
        may {}
    }
}

impl Kind for CertificateAuthority {
    const PREFIX: &'static str = "ca";
}
impl Resource for CertificateAuthority {
    const KIND: &'static str = "certificate_authority";
    const PATH: &'static str = "/certificate_authorities";
    const LIST: &'static str = "certificate_authorities";
    type Status = CertificateAuthorityStatus;
    type Create = CertificateAuthorityCreate;
    type Update = CertificateAuthorityUpdate;
}
