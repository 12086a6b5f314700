//! SSH certificates: keys of authorities, public keys to certify, the certificates themselves.

mod certificate;
mod key;
mod public_key;

pub(crate) use certificate::{Purpose, Request, Validity};
pub(crate) use key::{AuthorityKey, KeyForm};
pub(crate) use public_key::SubjectKey;

/// What OpenSSH calls an RSA key too short for: smaller ones are refused everywhere.
const RSA_BITS_MINIMUM: usize = 2048;
/// The largest RSA key that OpenSSH reads.
const RSA_BITS_MAXIMUM: usize = 16384;
