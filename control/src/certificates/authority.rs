//! The authority.

use postern_api::{Code, Error, Result};
use rustls::sign::CertifiedKey;
use std::{path::Path, sync::Arc};

/// A certificate authority of this server's own.
pub struct Authority {}

impl Authority {
    /// Opens the authority of a data folder, making it the first time.
    pub fn open(_data_dir: &Path) -> Result<Self> {
        Ok(Authority {})
    }

    /// The authority's certificate, in PEM: what visitors must trust.
    pub fn certificate_pem(&self) -> &str {
        ""
    }

    /// A certificate for these host names and IP addresses, from the cache or made now.
    pub fn leaf(&self, _names: &[&str]) -> Result<Arc<CertifiedKey>> {
        Err(Error::from(Code::Unavailable))
    }
}
