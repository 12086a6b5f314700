//! Create, get, list, update and delete, generic over every kind.

use super::{
    Caller, RecordPath, Resources,
    audit::{NewEvent, Settings},
    commit_plan::{CommitConflict, CommitPlan},
    keys,
    owned_modules::{self, Modules, NewModule, ReplacedModule},
    relations::{Claim, Link, LinkRole, NewLink},
    retry::commit_with_retry,
    rights::Access,
    rules::{CallContext, CreateContext, NewRecord, RemovablePart, Rules, StoredRecord},
};
use crate::{
    NameHold,
    store::{CommitOutcome, Entry, Range, Revision},
};
use postern_api::{
    AnyId, Code, Error, Id, Result, Secret, Timestamp,
    resource::{AuditOperation, Body, DESCRIPTION_LIMIT, METADATA_LIMIT, Record, Resource, Texts},
};
use std::collections::HashSet;

/// Entries read at once where all are needed.
const BATCH_SIZE: usize = 1000;

impl Resources {
    /// Creates a record. `parent` is the parent of a nested one.
    ///
    /// # Errors
    /// If the caller may not do so, the body breaks a rule of the kind, another record holds a claimed value, or the
    /// store fails.
    pub(crate) async fn create<R: Rules>(
        &self,
        caller: &Caller,
        parent: Option<&AnyId>,
        body: R::Create,
    ) -> Result<Record<R>> {
        self.create_prepared(caller, parent, body, |_| Ok(())).await
    }

    /// Creates a record; `prepare` gets its token before anything is stored.
    ///
    /// # Errors
    /// Those of [`Resources::create`] and of `prepare`.
    pub(crate) async fn create_prepared<R: Rules>(
        &self,
        caller: &Caller,
        parent: Option<&AnyId>,
        mut body: R::Create,
        prepare: impl Fn(&Secret) -> Result<()>,
    ) -> Result<Record<R>> {
        caller.check_kind_access::<R>(Access::Change)?;
        let (description, metadata) = take_texts(body.texts())?;
        let (body, description, metadata, prepare) = (&body, &description, &metadata, &prepare);
        commit_with_retry(move |attempt| async move {
            let now = postern_api::clock::now();
            let id = Id::<R>::new(now);
            let call = CallContext { caller, now, resources: self };
            let context = CreateContext { id: &id, call };
            let NewRecord { spec, hidden, token, modules } = R::create(body.clone(), &context).await?;
            let mut stored = StoredRecord {
                id: id.clone(),
                parent: parent.cloned(),
                created_at: Timestamp::new(now),
                description: description.clone().unwrap_or_default(),
                metadata: metadata.clone().unwrap_or_default(),
                spec,
                hidden,
                claims: Vec::new(),
                links: Vec::new(),
            };
            call.check_change(&stored).await?;
            let _name_hold = self.hold_names(R::name_hold(&stored, None));
            R::check(&stored, None, self)?;
            let links = set_claims_and_links(&mut stored);
            let mut plan = CommitPlan::default();
            plan.expect_revision(&stored.key(), None);
            plan.update_claims(stored.id.as_str(), &[], &stored.claims);
            match R::before_commit(&mut plan, &stored, None, &call).await {
                Err(error) if R::PICKS_VALUE && error.code == Code::StorageConflict && !attempt.is_last() => {
                    return Ok(None);
                }
                checked => checked?,
            }
            plan.update_links(stored.id.as_str(), &stored.key(), &[], &links)?;
            plan.put(&stored.key(), self.codec.record(&stored)?);
            let (modules, replaced) = self.plan_modules(&mut plan, &stored, Modules::default(), modules).await?;
            let mut event = NewEvent::of_record(AuditOperation::Created, &stored)?;
            event.add_modules(&replaced);
            plan.record_event(&caller.author(), event, now)?;
            token.as_ref().map_or(Ok(()), prepare)?;
            match self.try_commit(&plan).await? {
                Ok(revision) => {
                    self.wait_until_published(revision).await?;
                    let mut record = self.show_with(&stored, &modules).await?;
                    if let Some(token) = token {
                        R::reveal_token(&mut record.status, token);
                    }
                    Ok(Some(record))
                }
                Err(CommitConflict::Taken(_)) if R::PICKS_VALUE && !attempt.is_last() => Ok(None),
                Err(conflict) => self.conflict_error::<R>(conflict).await.map(|()| None),
            }
        })
        .await
    }

    /// Reads one record.
    ///
    /// # Errors
    /// `NotFound`, or if the caller may not see it.
    pub(crate) async fn get<R: Rules>(&self, caller: &Caller, at: &RecordPath<R>) -> Result<Record<R>> {
        caller.check_kind_access::<R>(Access::See)?;
        let (stored, _) = self.load_visible(caller, at).await?;
        self.show(&stored).await
    }

    /// Changes a record. Concurrent changes are merged; none is lost.
    ///
    /// # Errors
    /// `NotFound`, if the caller may not do so, the change breaks a rule of the kind, or the store fails.
    pub(crate) async fn update<R: Rules>(
        &self,
        caller: &Caller,
        at: &RecordPath<R>,
        body: R::Update,
    ) -> Result<Record<R>> {
        self.alter(caller, at, body, |_| ()).await
    }

    /// Removes a part of a record.
    ///
    /// # Errors
    /// Those of [`Resources::update`].
    pub(crate) async fn remove_part<P: RemovablePart>(&self, caller: &Caller, at: &RecordPath<P::Of>) -> Result<()> {
        self.alter(caller, at, Default::default(), P::remove).await.map(|_| ())
    }

    async fn alter<R: Rules>(
        &self,
        caller: &Caller,
        at: &RecordPath<R>,
        mut body: R::Update,
        alter: fn(&mut StoredRecord<R>),
    ) -> Result<Record<R>> {
        caller.check_kind_access::<R>(Access::Change)?;
        let (description, metadata) = take_texts(body.texts())?;
        let (body, description, metadata) = (&body, &description, &metadata);
        commit_with_retry(move |_| async move {
            let (former, revision) = self.load_visible::<R>(caller, at).await?;
            let (mut stored, now, id) = (former.clone(), postern_api::clock::now(), at.id.as_str());
            stored.description = description.clone().unwrap_or(stored.description);
            stored.metadata = metadata.clone().unwrap_or(stored.metadata);
            let call = CallContext { caller, now, resources: self };
            call.check_change(&former).await?;
            let new_modules = R::update(&mut stored, body.clone(), &call).await?;
            alter(&mut stored);
            call.check_change(&stored).await?;
            let _name_hold = self.hold_names(R::name_hold(&stored, Some(&former)));
            R::check(&stored, Some(&former), self)?;
            let links = set_claims_and_links(&mut stored);
            let mut plan = CommitPlan::default();
            plan.expect_revision(&stored.key(), Some(revision));
            plan.update_claims(id, &former.claims, &stored.claims);
            R::before_commit(&mut plan, &stored, Some(&former), &call).await?;
            plan.update_links(id, &stored.key(), &former.links, &links)?;
            plan.put(&stored.key(), self.codec.record(&stored)?);
            let before = Some(Settings::of_record(&former)?);
            let mut event = NewEvent { before, ..NewEvent::of_record(AuditOperation::Updated, &stored)? };
            if !new_modules.is_empty() {
                let modules = self.modules(id).await?;
                if R::MODULES_INTERDEPEND {
                    modules.expect_unchanged(&mut plan, id);
                }
                let planned = self.plan_modules(&mut plan, &stored, modules, new_modules).await;
                let planned = planned.map(|(_, replaced)| event.add_modules(&replaced));
                self.not_found_if_deleted(&stored.id, planned).await?;
            }
            let token = R::renewed_token(&former, &stored);
            event.secrets_changed |= token.is_some();
            if R::may_remove_administrator(&former.spec, Some(&stored.spec)) {
                self.ensure_administrator_remains(&mut plan, &HashSet::new(), Some(id)).await?;
            }
            plan.record_event(&caller.author(), event, now)?;
            match self.commit::<R>(&plan).await? {
                Some(revision) => {
                    self.wait_until_published(revision).await?;
                    let mut record = self.show(&stored).await?;
                    if let Some(token) = token {
                        R::reveal_token(&mut record.status, token);
                    }
                    Ok(Some(record))
                }
                None => Ok(None),
            }
        })
        .await
    }

    /// Reads everything with a prefix, and plans that nothing is added there before the commit.
    pub(super) async fn read_all(&self, plan: &mut CommitPlan, prefix: &str) -> Result<Vec<Entry>> {
        let mut range = Range::new(prefix, BATCH_SIZE);
        let mut page = self.store.range(range.clone()).await?;
        plan.expect_none_newer(prefix, page.revision);
        let mut all = std::mem::take(&mut page.entries);
        while all.len().is_multiple_of(BATCH_SIZE) && !all.is_empty() {
            range.before = all.last().map(|entry| entry.key.clone());
            let next = self.store.range(range.clone()).await?.entries;
            if next.is_empty() {
                break;
            }
            all.extend(next);
        }
        Ok(all)
    }

    /// Commits a plan. `None` means that it collided with another change and must be planned again.
    pub(super) async fn commit<R: Rules>(&self, plan: &CommitPlan) -> Result<Option<Revision>> {
        match self.try_commit(plan).await? {
            Ok(revision) => Ok(Some(revision)),
            Err(conflict) => self.conflict_error::<R>(conflict).await.map(|()| None),
        }
    }

    pub(super) async fn try_commit(&self, plan: &CommitPlan) -> Result<Result<Revision, CommitConflict>> {
        let outcome = match self.store.commit_if_idle(plan.commit()) {
            Some(outcome) => outcome?,
            None => self.store.commit(plan.commit().clone()).await?,
        };
        Ok(match outcome {
            CommitOutcome::Done(revision) => Ok(revision),
            CommitOutcome::Conflict(condition) => Err(plan.conflict(&condition)),
        })
    }

    /// Turns a conflict into the caller's error; `Ok` if the next attempt may succeed.
    async fn conflict_error<R: Rules>(&self, conflict: CommitConflict) -> Result<()> {
        match conflict {
            CommitConflict::Changed => Ok(()),
            CommitConflict::Missing(link) => Err(target_missing(&link)),
            CommitConflict::Taken(claim) => match self.store.get(&claim.key()).await? {
                Some(holder) => Err(R::claim_taken(&claim, &String::from_utf8_lossy(&holder.value))),
                None => Ok(()),
            },
        }
    }

    /// Reads a stored record that the caller may see.
    pub(super) async fn load_visible<R: Rules>(
        &self,
        caller: &Caller,
        at: &RecordPath<R>,
    ) -> Result<(StoredRecord<R>, Revision)> {
        let found = self.load::<R>(&at.id).await?.filter(|(stored, _)| stored.parent == at.parent);
        let (stored, revision) = found.ok_or_else(|| not_found::<R>(&at.id))?;
        caller.check_owner_access(stored.spec.owner())?;
        Ok((stored, revision))
    }

    /// Reads a stored record of any owner.
    pub(crate) async fn load<R: Rules>(&self, id: &Id<R>) -> Result<Option<(StoredRecord<R>, Revision)>> {
        let entry = self.store.get(&keys::record::<R>(id.as_str())).await?;
        entry.map(|entry| Ok((self.codec.read_record(&entry)?, entry.revision))).transpose()
    }

    /// Id of the record that holds a claim.
    pub(crate) async fn claim_holder(&self, claim: &Claim) -> Result<Option<AnyId>> {
        let entry = self.store.get(&claim.key()).await?;
        Ok(entry.map(|entry| AnyId::from_text(String::from_utf8_lossy(&entry.value))))
    }

    /// Replaces an error about modules by `NotFound` if their owner was deleted while they were read.
    pub(super) async fn not_found_if_deleted<R: Rules>(&self, owner: &Id<R>, checked: Result<()>) -> Result<()> {
        match checked {
            Err(_) if self.load::<R>(owner).await?.is_none() => Err(not_found::<R>(owner)),
            checked => checked,
        }
    }

    pub(super) async fn modules(&self, owner: &str) -> Result<Modules> {
        Ok(Modules::new(self.store.range(Range::new(keys::modules_of(owner), 100)).await?))
    }

    /// Records of a kind that are nested in another record, oldest first.
    ///
    /// # Errors
    /// If the store fails, or a record cannot be read.
    pub(crate) async fn nested<R: Rules>(&self, parent: &AnyId) -> Result<Vec<Record<R>>> {
        let mut next = Some(Range::new(format!("{}{}_", keys::links_to(parent.as_str()), R::PREFIX), BATCH_SIZE));
        let mut nested = Vec::new();
        while let Some(range) = next {
            let page = self.store.range(range.clone()).await?;
            for entry in &page.entries {
                // Links of modules have one segment more and are no ids.
                let from = entry.key.strip_prefix(&keys::links_to(parent.as_str())).unwrap_or_default();
                let Ok(id) = Id::<R>::parse(from) else { continue };
                if let Some((stored, _)) =
                    self.load(&id).await?.filter(|(stored, _)| stored.parent.as_ref() == Some(parent))
                {
                    nested.push(self.show(&stored).await?);
                }
            }
            next = range.after(&page);
        }
        nested.reverse();
        Ok(nested)
    }

    /// Calls a function with every record of a kind.
    ///
    /// # Errors
    /// If the store fails, or a record cannot be read.
    pub(crate) async fn for_each<R: Rules>(&self, mut visit: impl FnMut(StoredRecord<R>)) -> Result<()> {
        let mut next = Some(Range::new(keys::records::<R>(), 500));
        while let Some(range) = next {
            let page = self.store.range(range.clone()).await?;
            for entry in &page.entries {
                visit(self.codec.read_record(entry)?);
            }
            next = range.after(&page);
        }
        Ok(())
    }

    /// Keeps agents from taking names and ports. After the change is published, agents see it by themselves.
    fn hold_names(&self, hold: NameHold) -> Option<Box<dyn Send>> {
        (hold != NameHold::default()).then(|| self.live.hold_names(hold))
    }

    pub(super) async fn show<R: Rules>(&self, stored: &StoredRecord<R>) -> Result<Record<R>> {
        let modules = if R::HAS_MODULES { self.modules(stored.id.as_str()).await? } else { Modules::default() };
        self.show_with(stored, &modules).await
    }

    async fn show_with<R: Rules>(&self, stored: &StoredRecord<R>, modules: &Modules) -> Result<Record<R>> {
        Ok(Record {
            id: stored.id.clone(),
            uri: stored.uri(&self.settings.base_url),
            created_at: stored.created_at,
            description: stored.description.clone(),
            metadata: stored.metadata.clone(),
            spec: stored.spec.clone(),
            status: R::status(stored, modules, self).await?,
        })
    }

    /// Plans to replace the modules that a body names; gives all modules as they will be, and those that are replaced.
    async fn plan_modules<R: Rules>(
        &self,
        plan: &mut CommitPlan,
        owner: &StoredRecord<R>,
        mut modules: Modules,
        new_modules: Vec<NewModule>,
    ) -> Result<(Modules, Vec<ReplacedModule>)> {
        let mut replaced = Vec::new();
        for module in new_modules {
            let former = modules.entry(module.name);
            let encoded = module.encode(&owner.id.any(), former, self).await?;
            let (key, value) = (keys::module(owner.id.as_str(), module.name), encoded.value.clone());
            replaced.push(ReplacedModule {
                name: module.name,
                former: former.map(|former| former.value.clone()),
                value: value.clone(),
                secrets_changed: encoded.secrets_changed,
            });
            owned_modules::plan_put(plan, owner.id.as_str(), &owner.key(), former, module.name, encoded)?;
            modules.put(&key, value);
        }
        if R::MODULES_INTERDEPEND {
            R::check_modules(&modules, self)?;
        }
        Ok((modules, replaced))
    }
}

/// Sets the claims and links of a record; gives the links with the errors for missing targets.
fn set_claims_and_links<R: Rules>(stored: &mut StoredRecord<R>) -> Vec<NewLink> {
    let mut links = R::links(stored);
    if let (Some(parent), Some(to)) = (R::PARENT, &stored.parent) {
        let link = Link { to: to.clone(), kind: parent.kind.to_owned(), role: LinkRole::Belongs };
        links.push(NewLink { link, unknown: Code::NotFound, field: None });
    }
    stored.claims = R::claims(stored);
    stored.links = links.iter().map(|new| new.link.clone()).collect();
    links
}

fn take_texts(texts: Texts<'_>) -> Result<(Option<String>, Option<String>)> {
    let (description, metadata) = (texts.description.take(), texts.metadata.take());
    if let Some(length) = description.as_ref().map(String::len).filter(|length| *length > DESCRIPTION_LIMIT) {
        let sentence = format!("The description has {length} bytes; at most {DESCRIPTION_LIMIT} are allowed.");
        return Err(Error::new(Code::DescriptionTooLong, sentence).with("field", "description"));
    }
    if let Some(length) = metadata.as_ref().map(String::len).filter(|length| *length > METADATA_LIMIT) {
        let sentence = format!("The metadata has {length} bytes; at most {METADATA_LIMIT} are allowed.");
        return Err(Error::new(Code::MetadataTooLong, sentence).with("field", "metadata"));
    }
    Ok((description, metadata))
}

fn not_found<R: Resource>(id: &Id<R>) -> Error {
    Error::new(Code::NotFound, format!("There is no {} with the id `{id}`.", R::KIND.replace('_', " ")))
}

fn target_missing(new: &NewLink) -> Error {
    let (kind, id) = (new.link.kind.replace('_', " "), &new.link.to);
    let error = Error::new(new.unknown, format!("There is no {kind} with the id `{id}`.")).with("id", id);
    match new.field {
        Some(field) => error.with("field", field),
        None => error,
    }
}
