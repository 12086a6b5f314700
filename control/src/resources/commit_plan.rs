//! One commit in preparation: its conditions, its writes, and the meaning of each condition that may fail.

use super::{
    audit::{EventAuthor, NewEvent, event_to_store},
    relations::{Claim, Link, LinkEntry, NewLink},
};
use crate::store::{Commit, CommitCondition, Limits, Revision, Write};
use postern_api::{Code, Error, Result};
use serde::Serialize;

/// Bytes of events after which further ones of the same commit lack the settings. A store takes 1.4 MB at once.
const MAX_EVENT_BYTES: usize = 128 << 10;

/// Most records and events are shorter.
const USUAL_BYTES: usize = 512;

/// Reason why a commit was refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum CommitConflict {
    /// Another commit changed the same keys: plan again.
    Changed,
    /// Another record holds the value.
    Taken(Claim),
    /// The target of a new link does not exist.
    Missing(NewLink),
}

/// A commit in preparation.
#[derive(Default)]
pub(crate) struct CommitPlan {
    commit: Commit,
    /// What it means that a condition fails, for each of the commit.
    conflicts: Vec<CommitConflict>,
    /// Bytes of the events among the writes.
    event_bytes: usize,
}

impl CommitPlan {
    /// The key must still have the revision it was read at; `None` means it must be absent.
    pub(crate) fn expect_revision(&mut self, key: &str, revision: Option<Revision>) {
        let condition = match revision {
            Some(revision) => CommitCondition::Unchanged(key.to_owned(), revision),
            None => CommitCondition::Absent(key.to_owned()),
        };
        self.expect(condition, CommitConflict::Changed);
    }

    /// The key must exist.
    pub(crate) fn expect_present(&mut self, key: &str) {
        self.expect(CommitCondition::Present(key.to_owned()), CommitConflict::Changed);
    }

    /// No key with this prefix may have been written since the revision.
    pub(crate) fn expect_none_newer(&mut self, prefix: &str, revision: Revision) {
        self.expect(CommitCondition::NoneNewer(prefix.to_owned(), revision), CommitConflict::Changed);
    }

    fn expect(&mut self, condition: CommitCondition, conflict: CommitConflict) {
        self.commit.conditions.push(condition);
        self.conflicts.push(conflict);
    }

    pub(crate) fn put(&mut self, key: &str, value: Vec<u8>) {
        self.commit.writes.push(Write::Put(key.to_owned(), value));
    }

    pub(crate) fn delete(&mut self, key: &str) {
        self.commit.writes.push(Write::Delete(key.to_owned()));
    }

    /// Takes new claims for a record and releases those it no longer has.
    pub(crate) fn update_claims(&mut self, record: &str, former: &[Claim], now: &[Claim]) {
        for claim in former.iter().filter(|claim| !now.contains(claim)) {
            self.delete(&claim.key());
        }
        for claim in now.iter().filter(|claim| !former.contains(claim)) {
            self.expect(CommitCondition::Absent(claim.key()), CommitConflict::Taken(claim.clone()));
            self.put(&claim.key(), record.as_bytes().to_vec());
        }
    }

    /// Makes new links and removes those that are gone. `from` is `<id>` or `<id>/<module>`.
    ///
    /// The target of a link that existed before is not checked: it may have been deleted if the link only mentions it.
    pub(super) fn update_links(
        &mut self,
        from: &str,
        record_key: &str,
        former: &[Link],
        now: &[NewLink],
    ) -> Result<()> {
        for link in former.iter().filter(|link| now.iter().all(|new| new.link != **link)) {
            self.delete(&link.key(from));
        }
        for new in now.iter().filter(|new| !former.contains(&new.link)) {
            let link = &new.link;
            self.expect(CommitCondition::Present(link.target_key()), CommitConflict::Missing(new.clone()));
            let entry = LinkEntry { role: link.role, from: record_key.to_owned() };
            self.put(&link.key(from), to_json(&entry)?);
        }
        Ok(())
    }

    /// Records an event. Settings are left out if those of earlier events of the plan are very large already.
    pub(crate) fn record_event(
        &mut self,
        author: &EventAuthor,
        mut event: NewEvent,
        at: jiff::Timestamp,
    ) -> Result<()> {
        for settings in [&mut event.before, &mut event.after].into_iter().flatten() {
            if self.event_bytes > MAX_EVENT_BYTES {
                settings.drop_members();
            }
        }
        let (key, value) = event_to_store(author, event, at)?;
        self.event_bytes += value.len();
        self.put(&key, value);
        Ok(())
    }

    /// Whether a store with these limits takes it.
    pub(super) fn fits(&self, limits: Limits) -> bool {
        let bytes = |write: &Write| match write {
            Write::Put(key, value) | Write::PutLeased(key, value, _) => key.len() + value.len(),
            Write::Delete(key) => key.len(),
        };
        self.commit.conditions.len() <= limits.conditions
            && self.commit.writes.len() <= limits.writes
            && self.commit.writes.iter().map(bytes).sum::<usize>() <= limits.bytes
    }

    /// Number of conditions, each counted once.
    pub(super) fn conditions(&mut self) -> usize {
        self.merge_conditions();
        self.commit.conditions.len()
    }

    /// Removes conditions that are there twice.
    pub(super) fn merge_conditions(&mut self) {
        let conditions = std::mem::take(&mut self.commit.conditions);
        for (condition, conflict) in conditions.into_iter().zip(std::mem::take(&mut self.conflicts)) {
            let mut merged = self.commit.conditions.iter().zip(&self.conflicts);
            if !merged.any(|(other, meaning)| *other == condition && *meaning == conflict) {
                self.expect(condition, conflict);
            }
        }
    }

    /// The commit for the store.
    pub(super) fn commit(&self) -> &Commit {
        &self.commit
    }

    /// The commit for the store, of a plan whose conflicts all mean the same.
    pub(crate) fn into_commit(self) -> Commit {
        self.commit
    }

    /// Meaning of a condition that failed.
    pub(super) fn conflict(&self, failed: &CommitCondition) -> CommitConflict {
        let found = self.commit.conditions.iter().position(|condition| condition == failed);
        found.and_then(|at| self.conflicts.get(at)).map_or(CommitConflict::Changed, Clone::clone)
    }
}

/// Encodes a value for the store.
pub(crate) fn to_json(value: &impl Serialize) -> Result<Vec<u8>> {
    let mut text = Vec::with_capacity(USUAL_BYTES);
    serde_json::to_writer(&mut text, value).map_err(unwritable)?;
    Ok(text)
}

/// Error for a value that cannot be encoded.
pub(super) fn unwritable(error: serde_json::Error) -> Error {
    Error::new(Code::Internal, format!("A record could not be written: {error}."))
}
