//! Applies stored entries and changes to the mirror.

use super::{
    mirror::Mirror,
    published_kinds::{PUBLISHED_KINDS, PublishedKind},
};
use crate::{
    logins::stored_login,
    resources::{TRASH, keys, trashed},
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
        // After the records, which it hides.
        let loaded = self.load_prefix(store, TRASH, |mirror, entry| {
            mirror.apply(&change(entry));
        });
        Ok(oldest.min(loaded.await?))
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
        if change.key.starts_with(TRASH) {
            return self.apply_trash(change);
        }
        if change.value.is_some() && self.trashed.values().any(|keys| keys.contains(&change.key)) {
            return false;
        }
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

impl Mirror {
    /// Hides what belongs to a deleted record, until it is deleted too.
    fn apply_trash(&mut self, change: &Change) -> bool {
        let Some(value) = &change.value else {
            self.trashed.remove(&change.key);
            return false;
        };
        let keys = trashed(value);
        self.trashed.insert(change.key.clone(), keys.iter().cloned().collect());
        let hide = |key| Change { revision: change.revision, key, value: None };
        keys.into_iter().fold(false, |affected, key| self.apply(&hide(key)) | affected)
    }
}

fn change(entry: Entry) -> Change {
    Change { revision: entry.revision, key: entry.key, value: Some(entry.value) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{resources::Codec, sealing::Seal};
    use std::sync::Arc;

    #[test]
    fn what_belongs_to_a_deleted_record_is_ignored_until_its_deletion_is_complete() {
        let folder = tempfile::tempdir().expect("a folder");
        let mut mirror = Mirror::new(Codec::new(Arc::new(Seal::open(folder.path()).expect("a seal"))));
        let mut apply = |key: &str, value: Option<&str>| {
            let value = value.map(|value| value.as_bytes().to_vec());
            mirror.apply(&Change { revision: 1, key: key.to_owned(), value })
        };
        let (rule, trash) = ("records/ip_policy_rule/ipr_1", "trash/ipp_1");
        assert!(apply(rule, Some("{}")));
        let author = r#"{"by":"x","actor":"user","id":null,"name":"","origin":{"address":null,"operation_id":""}}"#;
        let note = format!(r#"{{"author":{author},"pending":["{rule}"]}}"#);
        assert!(apply(trash, Some(&note)), "it is as good as deleted");
        assert!(!apply(rule, Some("{}")), "a change of it is ignored");
        assert!(apply("records/ip_policy_rule/ipr_2", Some("{}")), "others are not");
        assert!(!apply(trash, None));
        assert!(apply(rule, Some("{}")));
    }
}
