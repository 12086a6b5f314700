//! Failures to make a key or a certificate.

use crate::store::StoreError;
use postern_api::Error;

/// Error for the caller; its reason goes to the log only.
pub(super) fn issue_failed(error: &dyn std::fmt::Display) -> Error {
    StoreError::Broken(format!("a certificate could not be made: {error}")).into()
}
