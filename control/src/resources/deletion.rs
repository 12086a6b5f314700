//! Deletion of a record with everything that belongs to it. What is more than the store takes at once goes in parts: first the
//! record, with a note of what belongs to it, which is not published from then on; then the rest, by this server or another.

use super::{
    Caller, RecordPath, Resources,
    audit::{EventAuthor, NewEvent},
    commit_plan::{CommitPlan, to_json},
    keys,
    relations::{self, ClaimsAndLinks, LinkEntry, LinkRole},
    retry::commit_with_retry,
    rights::Access,
    rules::{CallContext, Rules, StoredRecord},
};
use crate::store::{Commit, Entry, Range, Revision};
use postern_api::{Error, Result};
use serde::{Deserialize, Serialize};
use std::{collections::HashSet, sync::Weak, time::Duration};
use tokio::sync::watch;

/// Prefix of the keys of deletions that are not complete; the id of the deleted record follows.
pub(crate) const TRASH: &str = "trash/";
/// Conditions that the deletion of one record needs.
const CONDITIONS: usize = 3;
/// Records of one part at most.
const MAX_PART: usize = 100;
/// Deletions that are read at once.
const BATCH_SIZE: usize = 100;
/// Time between two looks for deletions that another server has not completed.
const CHECK_INTERVAL: Duration = Duration::from_secs(5);

/// What belongs to a deleted record and is still to be deleted.
#[derive(Serialize, Deserialize)]
struct Trash {
    author: EventAuthor,
    /// Keys of records.
    pending: Vec<String>,
}

/// One part of a deletion.
struct Part {
    /// Number of keys that it deletes.
    keys: usize,
    /// Keys of further records that belong to these.
    found: Vec<String>,
    revision: Revision,
}

/// Completes deletions that a server could not, as long as the store is open; of several nodes, the one that leads does. A
/// server that uses its store alone does so once, when it starts.
pub(crate) async fn complete_regularly(resources: Weak<Resources>, leading: Option<watch::Receiver<bool>>) {
    loop {
        {
            let Some(resources) = resources.upgrade() else { return };
            if leading.as_ref().is_none_or(|leading| *leading.borrow())
                && let Err(error) = resources.complete_deletions().await
            {
                tracing::debug!(%error, "a deletion is completed later");
            }
            if resources.store.shared().is_none() {
                return;
            }
        }
        tokio::time::sleep(CHECK_INTERVAL).await;
    }
}

/// Keys of the records that are as good as deleted.
pub(crate) fn trashed(value: &[u8]) -> Vec<String> {
    serde_json::from_slice(value).map(|trash: Trash| trash.pending).unwrap_or_default()
}

impl Resources {
    /// Deletes a record, its modules and all records that belong to it.
    ///
    /// # Errors
    /// `NotFound`, [`Rules::IN_USE`] if another record needs it, if the caller may not do so, or the store fails.
    pub(crate) async fn delete<R: Rules>(&self, caller: &Caller, at: &RecordPath<R>) -> Result<()> {
        caller.check_kind_access::<R>(Access::Change)?;
        let trash = commit_with_retry(move |_| async move {
            let (former, revision) = self.load_visible::<R>(caller, at).await?;
            let call = CallContext { caller, now: postern_api::clock::now(), resources: self };
            call.check_change(&former).await?;
            let mut plan = CommitPlan::default();
            plan.expect_revision(&former.key(), Some(revision));
            R::before_delete(&mut plan, &former, self).await?;
            let (deleted, events) = self.plan_deletion(&mut plan, &former).await?;
            if R::may_remove_administrator(&former.spec, None) {
                self.ensure_administrator_remains(&mut plan, &deleted, None).await?;
            }
            let now = postern_api::clock::now();
            let author = caller.author();
            // The record itself is the last of them.
            for event in events.into_iter().rev() {
                plan.record_event(&author, event, now)?;
            }
            let trash = (deleted.len() > 1 && !plan.fits(self.store.limits())).then(|| trash_key(at.id.as_str()));
            if let Some(trash) = &trash {
                plan = self.plan_first_part(trash, (&former, revision), deleted, author).await?;
            }
            match self.commit::<R>(&plan).await? {
                Some(revision) => self.wait_until_published(revision).await.map(|()| Some(trash)),
                None => Ok(None),
            }
        })
        .await?;
        let Some(trash) = trash else { return Ok(()) };
        // The record is gone, and nothing that belongs to it is published.
        if let Err(error) = self.complete_deletion(&trash).await {
            tracing::warn!(%error, key = trash, "the rest of a deletion is left for later");
        }
        Ok(())
    }

    /// Completes all deletions that are not.
    ///
    /// # Errors
    /// If the store fails, or a record cannot be read.
    async fn complete_deletions(&self) -> Result<()> {
        for entry in self.store.range(Range::new(TRASH, BATCH_SIZE)).await?.entries {
            self.complete_deletion(&entry.key).await?;
        }
        Ok(())
    }

    /// Plans the deletion of a record alone, and a note of what belongs to it.
    async fn plan_first_part<R: Rules>(
        &self,
        trash: &str,
        (former, revision): (&StoredRecord<R>, Revision),
        mut deleted: HashSet<String>,
        author: EventAuthor,
    ) -> Result<CommitPlan> {
        let mut plan = CommitPlan::default();
        plan.expect_revision(&former.key(), Some(revision));
        R::before_delete(&mut plan, former, self).await?;
        let (event, _) = self.plan_entry(&mut plan, self.entry_of(former)?, NewEvent::of_deleted(former)?).await?;
        if R::may_remove_administrator(&former.spec, None) {
            self.ensure_administrator_remains(&mut plan, &deleted, None).await?;
        }
        plan.record_event(&author, event, postern_api::clock::now())?;
        deleted.remove(&former.key());
        let mut pending: Vec<String> = deleted.into_iter().collect();
        pending.sort();
        plan.put(trash, to_json(&Trash { author, pending })?);
        Ok(plan)
    }

    /// Deletes what belongs to a deleted record, in parts.
    async fn complete_deletion(&self, trash: &str) -> Result<()> {
        let Some(entry) = self.store.get(trash).await? else { return Ok(()) };
        let Trash { author, mut pending } = relations::decode(&entry)?;
        while !pending.is_empty() {
            let (keys, author) = (&pending, &author);
            let part = commit_with_retry(move |_| async move { self.delete_part(keys, author).await }).await?;
            pending.drain(..part.keys);
            pending.extend(part.found);
            self.wait_until_published(part.revision).await?;
        }
        self.store.commit(Commit::default().delete(trash)).await?;
        Ok(())
    }

    /// Deletes the first of these records, as many as fit. `None` if one of them was changed at the same time.
    async fn delete_part(&self, keys: &[String], author: &EventAuthor) -> Result<Option<Part>> {
        let (limits, now) = (self.store.limits(), postern_api::clock::now());
        let (mut plan, mut found, mut deleted) = (CommitPlan::default(), Vec::new(), 0);
        for key in keys.iter().take(MAX_PART) {
            if deleted > 0 && plan.conditions() + CONDITIONS > limits.conditions {
                break;
            }
            deleted += 1;
            // Deleted by itself, or by another server.
            let Some(entry) = self.store.get(key).await? else { continue };
            plan.expect_revision(key, Some(entry.revision));
            let event = NewEvent::of_deleted_entry(&entry, &self.codec)?;
            let (event, links) = self.plan_entry(&mut plan, entry, event).await?;
            plan.record_event(author, event, now)?;
            let belonging = links.into_iter().filter(|link| link.role == LinkRole::Belongs).map(|link| link.from);
            found.extend(belonging.filter(|from| !keys.contains(from)));
        }
        let revision = match self.try_commit(&plan).await? {
            Ok(revision) => revision,
            Err(_) => return Ok(None),
        };
        Ok(Some(Part { keys: deleted, found, revision }))
    }

    /// Plans the deletion of a record and of everything that belongs to it, of whatever kinds; gives their keys, and an
    /// event for each.
    async fn plan_deletion<R: Rules>(
        &self,
        plan: &mut CommitPlan,
        root: &StoredRecord<R>,
    ) -> Result<(HashSet<String>, Vec<NewEvent>)> {
        let mut deleted = HashSet::new();
        let mut events = Vec::new();
        let mut pending = vec![self.entry_of(root)?];
        while let Some(entry) = pending.pop() {
            if !deleted.insert(entry.key.clone()) {
                continue;
            }
            let event = match events.is_empty() {
                true => NewEvent::of_deleted(root)?,
                false => NewEvent::of_deleted_entry(&entry, &self.codec)?,
            };
            let id = id_of(&entry).to_owned();
            let (event, links) = self.plan_entry(plan, entry, event).await?;
            events.push(event);
            for link in &links {
                match link.role {
                    LinkRole::Mentions => {}
                    LinkRole::Needs if deleted.contains(&link.from) => {}
                    LinkRole::Needs => return Err(in_use::<R>(&id, &links)),
                    LinkRole::Belongs => {
                        if let Some(source) = self.store.get(&link.from).await? {
                            plan.expect_revision(&source.key, Some(source.revision));
                            pending.push(source);
                        }
                    }
                }
            }
        }
        Ok((deleted, events))
    }

    /// Plans the deletion of one record and its modules, and that no more links lead to it; gives those that do.
    async fn plan_entry(
        &self,
        plan: &mut CommitPlan,
        entry: Entry,
        mut event: NewEvent,
    ) -> Result<(NewEvent, Vec<FoundLink>)> {
        let id = id_of(&entry).to_owned();
        let Entry { key, value, .. } = entry;
        let relations: ClaimsAndLinks = serde_json::from_slice(&value).unwrap_or_default();
        plan.delete(&key);
        plan.update_claims(&id, &relations.claims, &[]);
        plan.update_links(&id, &key, &relations.links, &[])?;
        for module in &self.read_all(plan, &keys::modules_of(&id)).await? {
            let relations: ClaimsAndLinks = relations::decode(module)?;
            let from = module.key.strip_prefix(keys::MODULES).unwrap_or_default();
            plan.delete(&module.key);
            plan.update_links(from, &key, &relations.links, &[])?;
            event.add_deleted_module(module);
        }
        let links = self.read_all(plan, &keys::links_to(&id)).await?;
        let links: Result<Vec<FoundLink>> = links.iter().map(FoundLink::read).collect();
        Ok((event, links?))
    }

    fn entry_of<R: Rules>(&self, stored: &StoredRecord<R>) -> Result<Entry> {
        Ok(Entry { key: stored.key(), value: self.codec.record(stored)?, revision: 0 })
    }
}

/// A link to a record that is being deleted.
struct FoundLink {
    role: LinkRole,
    /// Key of the linking record, or of the owner of the linking module.
    from: String,
    /// Id of that record.
    source: String,
}

impl FoundLink {
    fn read(entry: &Entry) -> Result<Self> {
        let LinkEntry { role, from } = relations::decode(entry)?;
        let source = entry.key.split('/').nth(2).unwrap_or_default().to_owned();
        Ok(FoundLink { role, from, source })
    }
}

fn trash_key(id: &str) -> String {
    format!("{TRASH}{id}")
}

fn id_of(entry: &Entry) -> &str {
    entry.key.rsplit('/').next().unwrap_or_default()
}

fn in_use<R: Rules>(id: &str, links: &[FoundLink]) -> Error {
    let users: Vec<&str> = links.iter().map(|link| link.source.as_str()).take(5).collect();
    let named = users.join("`, `");
    Error::new(R::IN_USE, format!("`{id}` is in use by `{named}`. Remove it from there first."))
        .with("used_by", users.join(","))
}
