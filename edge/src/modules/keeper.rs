//! What modules must remember beyond a change of their settings, by the id of their owner.

use std::collections::HashSet;

/// Keeps it as long as the owner exists.
#[derive(Debug, Default)]
pub(crate) struct Keeper {}

impl Keeper {
    /// Forgets what belongs to owners that are no more.
    pub(crate) fn forget_all_but<'a>(&self, owners: impl Iterator<Item = &'a str>) {
        let _owners: HashSet<&str> = owners.collect();
    }
}
