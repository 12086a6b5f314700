//! SSH certificates: keys of authorities, public keys to certify, and the certificates.

mod certificate;
mod key;
mod public_key;

pub(crate) use certificate::{CertificateContents, Purpose, Validity};
pub(crate) use key::{AuthorityKey, SshKeyType};
pub(crate) use public_key::SubjectKey;

/// Smallest RSA key that OpenSSH accepts.
const MIN_RSA_BITS: usize = 2048;
/// Largest RSA key that OpenSSH accepts.
const MAX_RSA_BITS: usize = 16384;
