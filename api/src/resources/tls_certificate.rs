//! A TLS certificate: a chain and its private key, uploaded to be served.

use crate::{
    KeyType, Secret, Timestamp,
    id::Kind,
    resource::{Resource, body},
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What was uploaded; the private key is never shown.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TlsCertificate {
    /// The chain in PEM, leaf first.
    pub certificate_pem: String,
}

/// What the server reads from the leaf.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TlsCertificateStatus {
    /// The common name of the subject; empty if it has none.
    pub subject_common_name: String,
    /// The further names it is valid for.
    pub subject_alternative_names: SubjectAlternativeNames,
    /// When it was issued by this server's doing; null for an uploaded one.
    pub issued_at: Option<Timestamp>,
    /// When it becomes valid.
    pub not_before: Timestamp,
    /// When it is no longer valid.
    pub not_after: Timestamp,
    /// What the key may be used for, `DigitalSignature` for example.
    pub key_usages: Vec<String>,
    /// What the key may further be used for, `ServerAuth` for example; a use without a name is its number.
    pub extended_key_usages: Vec<String>,
    /// The kind of the private key.
    pub private_key_type: KeyType,
    /// The common name of the issuer.
    pub issuer_common_name: String,
    /// In lower-case hexadecimal digits.
    pub serial_number: String,
    /// The organization of the subject; empty if it has none.
    pub subject_organization: String,
    /// The organizational unit of the subject; empty if it has none.
    pub subject_organizational_unit: String,
    /// The locality of the subject; empty if it has none.
    pub subject_locality: String,
    /// The province of the subject; empty if it has none.
    pub subject_province: String,
    /// The country of the subject; empty if it has none.
    pub subject_country: String,
}

/// The names of a certificate beside its common name.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SubjectAlternativeNames {
    /// Host names; the first part of a name may be `*`.
    pub dns_names: Vec<String>,
    /// IP addresses.
    pub ips: Vec<String>,
}

body! {
    /// What is said when a certificate is uploaded.
    TlsCertificateCreate {
        needs {
            /// The chain in PEM, leaf first.
            certificate_pem: String,
            /// The private key of the leaf in PEM, not encrypted.
            private_key_pem: Secret,
        }
        may {}
    }
}

body! {
    /// What may be changed.
    TlsCertificateUpdate {
        needs {}
        may {}
    }
}

impl Kind for TlsCertificate {
    const PREFIX: &'static str = "cert";
}
impl Resource for TlsCertificate {
    const KIND: &'static str = "tls_certificate";
    const PATH: &'static str = "/tls_certificates";
    const LIST: &'static str = "tls_certificates";
    type Status = TlsCertificateStatus;
    type Create = TlsCertificateCreate;
    type Update = TlsCertificateUpdate;
}
