//! Certificates to show to visitors.

use crate::{Secret, Timestamp};

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
    /// When it becomes valid.
    pub not_before: Timestamp,
    /// When it is no longer valid.
    pub not_after: Timestamp,
}
