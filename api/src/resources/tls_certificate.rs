//! A TLS certificate: a chain and its private key, uploaded to be served.

use crate::{
    KeyType, Secret, Timestamp,
    id::Kind,
    resource::{Resource, body},
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Uploaded certificate; the private key is never shown.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TlsCertificate {
    /// Certificate chain in PEM, leaf first.
    pub certificate_pem: String,
}

/// Fields that the server reads from the leaf.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TlsCertificateStatus {
    /// The common name of the subject; empty if it has none.
    pub subject_common_name: String,
    /// Subject alternative names.
    pub subject_alternative_names: SubjectAlternativeNames,
    /// Time at which this server obtained it; null for an uploaded certificate.
    pub issued_at: Option<Timestamp>,
    /// Start of its validity.
    pub not_before: Timestamp,
    /// End of its validity.
    pub not_after: Timestamp,
    /// Key usage, `DigitalSignature` for example.
    pub key_usages: Vec<String>,
    /// Extended key usage, `ServerAuth` for example; a usage without a name is given by its OID.
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
    /// Body of a create.
    TlsCertificateCreate {
        needs {
            /// Certificate chain in PEM, leaf first.
            certificate_pem: String,
            /// The private key of the leaf in PEM, not encrypted.
            private_key_pem: Secret,
        }
        may {}
    }
}

body! {
    /// Body of a change.
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
