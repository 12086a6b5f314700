//! Certificates presented to visitors.

use crate::{Secret, Timestamp, resource::ManagedKeyType};
use std::net::IpAddr;

/// A certificate chain and its private key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Certificate {
    /// Its id, `cert_…`.
    pub id: String,
    /// Certificate chain in PEM, leaf first.
    pub chain_pem: String,
    /// Private key of the leaf in PEM.
    pub private_key_pem: Secret,
    /// Host names that it is valid for; the first label may be `*`, which matches one label.
    pub names: Vec<String>,
    /// IP addresses that it is valid for.
    pub addresses: Vec<IpAddr>,
    /// Time at which the server obtained it; `None` for an uploaded certificate.
    pub issued_at: Option<Timestamp>,
    /// Start of its validity.
    pub not_before: Timestamp,
    /// End of its validity.
    pub not_after: Timestamp,
}

/// Certificate source of a reserved domain.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DomainCertificate {
    /// A chosen certificate.
    Chosen(String),
    /// Obtained by the server, with a key of this type.
    Managed(ManagedKeyType),
}

impl Certificate {
    /// Sort key by age: greater for the newer of two certificates.
    pub fn age(&self) -> (Timestamp, Timestamp, &str) {
        (self.not_before, self.not_after, &self.id)
    }
}
