//! Certificates to show to visitors.

use crate::{Secret, Timestamp, resource::ManagedKeyType};
use std::net::IpAddr;

/// A chain and its private key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Certificate {
    /// Its id, `cert_…`.
    pub id: String,
    /// The chain in PEM, leaf first.
    pub chain_pem: String,
    /// The private key of the leaf in PEM.
    pub private_key_pem: Secret,
    /// The host names it is valid for; the first part may be `*`, which stands for one label.
    pub names: Vec<String>,
    /// The addresses it is valid for.
    pub addresses: Vec<IpAddr>,
    /// When the server got it by itself; `None` for one that was uploaded.
    pub issued_at: Option<Timestamp>,
    /// When it becomes valid.
    pub not_before: Timestamp,
    /// When it is no longer valid.
    pub not_after: Timestamp,
}

/// How a reserved domain comes by its certificate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DomainCertificate {
    /// This one was chosen for it.
    Chosen(String),
    /// The server gets one with a key of this kind.
    Managed(ManagedKeyType),
}

impl Certificate {
    /// What is greater for the newer one of two certificates.
    pub fn age(&self) -> (Timestamp, Timestamp, &str) {
        (self.not_before, self.not_after, &self.id)
    }
}
