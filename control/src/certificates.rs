//! Certificates: the server's own authority, uploaded certificates, and SSH certificates.

mod authority;
mod authority_pair;
mod issue_error;
mod leaves;
mod node_authority;
#[cfg(test)]
mod openssl;
mod pem_blocks;
mod provisioning;
pub(crate) mod ssh;
pub(crate) mod tls_chain;
pub(crate) mod trusted;
mod validity;
pub(crate) mod x509;

pub use authority::Authority;
pub(crate) use authority::SEALED as SEALED_AUTHORITY;
pub use node_authority::{NodeAuthority, NodeCertificate};
pub(crate) use provisioning::{ProvisioningTable, can_be_validated, is_issued_for, ordered_names};
pub(crate) use validity::{Clock, DAY, set_validity};
