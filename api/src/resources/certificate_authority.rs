//! A certificate authority that signs the certificates of visitors.

use crate::{
    Timestamp,
    id::Kind,
    resource::{Resource, body},
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Uploaded certificate.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CertificateAuthority {
    /// The authority's certificate in PEM.
    pub ca_pem: String,
}

/// Fields that the server reads from the certificate.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CertificateAuthorityStatus {
    /// The common name of the subject; empty if it has none.
    pub subject_common_name: String,
    /// Start of its validity.
    pub not_before: Timestamp,
    /// End of its validity.
    pub not_after: Timestamp,
    /// Key usage, `CertSign` for example.
    pub key_usages: Vec<String>,
    /// Extended key usage; a usage without a name is given by its OID.
    pub extended_key_usages: Vec<String>,
}

body! {
    /// Body of a create.
    CertificateAuthorityCreate {
        needs {
            /// Exactly one certificate in PEM, of an authority.
            ca_pem: String,
        }
        may {}
    }
}

body! {
    /// Body of a change.
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
