//! Applies stored entries and changes to the mirror.

use super::{
    mirror::Mirror,
    published_kinds::{PUBLISHED_KINDS, PublishedKind},
};
use crate::{
    logins::stored_login,
    resources::keys,
    store::{Change, Entry, Range, Result, Revision, Store},
};

/// Entries read at once when everything is loaded.
const BATCH_SIZE: usize = 1000;

impl Mirror {
    /// Loads everything; gives the revision from which on changes must be applied.
    pub(super) async fn load(&mut self, store: &dyn Store) -> Result<Revision> {
        // Before the sessions, which take the time of their last use from here.
        let mut oldest = self.load_prefix(store, stored_login::USES_OF_SESSIONS, Self::apply_session_use).await?;
        oldest = oldest.min(
            self.load_prefix(store, keys::MODULES, |mirror, entry| {
                mirror.apply(&change(entry));
            })
            .await?,
        );
        for row in PUBLISHED_KINDS {
            let prefix = format!("records/{}/", row.kind);
            let loaded = self.load_prefix(store, &prefix, |mirror, entry| {
                mirror.apply(&change(entry));
            });
            oldest = oldest.min(loaded.await?);
        }
        Ok(oldest)
    }

    /// Reads all entries with a prefix; gives the oldest revision that a page was read at.
    async fn load_prefix(
        &mut self,
        store: &dyn Store,
        prefix: &str,
        apply: impl Fn(&mut Mirror, Entry),
    ) -> Result<Revision> {
        let mut oldest = Revision::MAX;
        let mut next = Some(Range::new(prefix, BATCH_SIZE));
        while let Some(range) = next {
            let page = store.range(range.clone()).await?;
            oldest = oldest.min(page.revision);
            next = range.after(&page);
            page.entries.into_iter().for_each(|entry| apply(self, entry));
        }
        Ok(oldest)
    }

    fn apply_session_use(&mut self, entry: Entry) {
        self.logins.set_last_use(&entry.key, &entry.value);
    }

    /// Applies a change; returns whether the edge is affected.
    pub(super) fn apply(&mut self, change: &Change) -> bool {
        let mut segments = change.key.split('/');
        let (Some(area), Some(name), Some(last)) = (segments.next(), segments.next(), segments.next()) else {
            return false;
        };
        let entry = || {
            let value = change.value.clone()?;
            Some(Entry { key: change.key.clone(), value, revision: change.revision })
        };
        match area {
            "modules" => {
                let affected = self.modules.set_module(&self.codec, name, last, entry().as_ref());
                self.edges.invalidate(name);
                affected
            }
            "records" => PublishedKind::find(name).is_some_and(|row| (row.apply)(self, last, entry().as_ref())),
            _ => false,
        }
    }
}

fn change(entry: Entry) -> Change {
    Change { revision: entry.revision, key: entry.key, value: Some(entry.value) }
}
