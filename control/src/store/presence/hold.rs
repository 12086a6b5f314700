//! A store that several programs could use, held by a program that is no server and ends soon.

use super::{LEASE, claim::Claim, folder_id::folder_id, take};
use crate::store::{LeaseId, Result, Store, StoreError, Usage};
use postern_api::clock;
use std::path::Path;
use tokio::time::Instant;

/// Nothing else uses the store until [`Hold::end`], or until the lease ends.
pub(crate) struct Hold<'a> {
    store: &'a dyn Store,
    lease: LeaseId,
    kept: Instant,
}

impl<'a> Hold<'a> {
    /// Holds a store in the name of a data folder, which is locked.
    ///
    /// # Errors
    /// `InUse` if a server uses it.
    pub(crate) async fn begin(store: &'a dyn Store, folder: &Path) -> Result<Self> {
        let claim = Claim::new(folder, folder_id(folder)?, Usage::Alone)?;
        let kept = Instant::now();
        Ok(Hold { store, lease: take(store, &claim).await?, kept })
    }

    /// Extends the lease when a third of it has passed.
    ///
    /// # Errors
    /// If the lease has ended, or the store does not answer.
    pub(crate) async fn keep(&mut self) -> Result<()> {
        if self.kept.elapsed() < LEASE / 3 {
            return Ok(());
        }
        self.kept = Instant::now();
        if self.store.keep(self.lease, clock::now()).await? {
            return Ok(());
        }
        let address = self.store.shared().unwrap_or_default().to_owned();
        Err(StoreError::Unreachable { address, reason: "the lease of this program has ended".to_owned() })
    }

    /// Lets others use the store.
    ///
    /// # Errors
    /// If the store does not answer; then the lease ends by itself.
    pub(crate) async fn end(self) -> Result<()> {
        self.store.revoke(self.lease).await
    }
}
