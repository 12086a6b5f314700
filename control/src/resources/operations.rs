//! Create, get, list, change and delete: once, for every kind.

use super::{
    Attachment, Caller, Draft, Kept, Modules, Resources, Role, Rules,
    kept::{self, Linked, Ties},
    plan::{Obstacle, Plan},
};
use crate::store::{Entry, Outcome, Range, Revision};
use postern_api::{
    Code, Error, Id, Result, Secret, Timestamp,
    resource::{Body, DESCRIPTION_LIMIT, METADATA_LIMIT, Record, Resource, Texts},
};
use std::{collections::HashSet, time::Duration};

/// How often a change is tried again when others change the same record. Each time one of them succeeds.
const ATTEMPTS: u32 = 500;
/// Entries read at once where all are needed.
const STEP: usize = 1000;

/// A page of records, newest first.
pub(crate) struct PageOf<R: Resource> {
    pub(crate) records: Vec<Record<R>>,
    /// Where the next page begins, if there is one.
    pub(crate) before: Option<Id<R>>,
}

impl Resources {
    /// Makes a resource.
    pub(crate) async fn create<R: Rules>(&self, caller: &Caller, body: R::Create) -> Result<Record<R>> {
        self.create_prepared(caller, body, |_| Ok(())).await
    }

    /// Makes a resource; its token goes to `prepare` before anything is stored.
    pub(crate) async fn create_prepared<R: Rules>(
        &self,
        caller: &Caller,
        mut body: R::Create,
        prepare: impl FnOnce(&Secret) -> Result<()>,
    ) -> Result<Record<R>> {
        caller.may_touch::<R>()?;
        let now = jiff::Timestamp::now();
        let id = Id::<R>::new(now);
        let (description, metadata) = take_texts(body.texts())?;
        let Draft { spec, hidden, token, modules } = R::create(body, &id, caller)?;
        let mut kept = Kept {
            id,
            created_at: Timestamp::new(now),
            description: description.unwrap_or_default(),
            metadata: metadata.unwrap_or_default(),
            spec,
            hidden,
            claims: Vec::new(),
            links: Vec::new(),
        };
        R::check(&kept, None, self.place())?;
        kept.claims = R::claims(&kept);
        kept.links = R::links(&kept);
        let mut plan = Plan::default();
        plan.unchanged(&kept.key(), None);
        plan.claim(kept.id.as_str(), &[], &kept.claims);
        plan.link(kept.id.as_str(), &kept.key(), &[], &kept.links)?;
        plan.put(&kept.key(), kept::encode(&kept)?);
        attach(&mut plan, &kept, &Modules::default(), modules)?;
        plan.event(&format!("{}_created", R::KIND), kept.id.as_str(), &caller.key, now)?;
        token.as_ref().map_or(Ok(()), prepare)?;
        let revision = self.attempt::<R>(&plan).await?.ok_or(Code::StorageConflict)?;
        self.seen(revision).await?;
        let mut record = self.show(&kept).await?;
        if let Some(token) = token {
            R::show_once(&mut record.status, token);
        }
        Ok(record)
    }

    /// Reads one.
    pub(crate) async fn get<R: Rules>(&self, caller: &Caller, id: &Id<R>) -> Result<Record<R>> {
        caller.may_touch::<R>()?;
        let (kept, _) = self.read(caller, id).await?;
        self.show(&kept).await
    }

    /// Reads a page of those the caller may see, older than `before`.
    pub(crate) async fn list<R: Rules>(
        &self,
        caller: &Caller,
        before: Option<&Id<R>>,
        limit: usize,
    ) -> Result<PageOf<R>> {
        caller.may_touch::<R>()?;
        let mut range = Range::of(kept::records::<R>(), limit + 1);
        range.before = before.map(|id| kept::record_key::<R>(id.as_str()));
        let mut found = Vec::new();
        'pages: loop {
            let page = self.store.range(range.clone()).await?;
            for entry in &page.entries {
                let kept: Kept<R> = kept::decode(entry)?;
                if caller.may_touch_of(kept.spec.owner()).is_ok() {
                    found.push(kept);
                }
                if found.len() > limit {
                    break 'pages;
                }
            }
            match page.entries.last() {
                Some(last) if page.entries.len() == range.limit => range.before = Some(last.key.clone()),
                _ => break,
            }
        }
        let more = found.len() > limit;
        found.truncate(limit);
        let before = found.last().filter(|_| more).map(|kept| kept.id.clone());
        let mut records = Vec::with_capacity(found.len());
        for kept in &found {
            records.push(self.show(kept).await?);
        }
        Ok(PageOf { records, before })
    }

    /// Changes one. Of two changes at the same moment none is lost.
    pub(crate) async fn update<R: Rules>(&self, caller: &Caller, id: &Id<R>, mut body: R::Update) -> Result<Record<R>> {
        caller.may_touch::<R>()?;
        let (description, metadata) = take_texts(body.texts())?;
        for attempt in 0..ATTEMPTS {
            let (former, revision) = self.read::<R>(caller, id).await?;
            let mut kept = former.clone();
            kept.description = description.clone().unwrap_or(kept.description);
            kept.metadata = metadata.clone().unwrap_or(kept.metadata);
            let modules = R::change(&mut kept, body.clone())?;
            R::check(&kept, Some(&former), self.place())?;
            kept.claims = R::claims(&kept);
            kept.links = R::links(&kept);
            let mut plan = Plan::default();
            plan.unchanged(&kept.key(), Some(revision));
            plan.claim(id.as_str(), &former.claims, &kept.claims);
            plan.link(id.as_str(), &kept.key(), &former.links, &kept.links)?;
            plan.put(&kept.key(), kept::encode(&kept)?);
            if !modules.is_empty() {
                attach(&mut plan, &kept, &self.modules(id.as_str()).await?, modules)?;
            }
            if R::weakens(&former.spec, Some(&kept.spec)) {
                self.keep_an_administrator(&mut plan, &HashSet::new(), Some(id.as_str())).await?;
            }
            plan.event(&format!("{}_updated", R::KIND), id.as_str(), &caller.key, jiff::Timestamp::now())?;
            if let Some(revision) = self.attempt::<R>(&plan).await? {
                self.seen(revision).await?;
                return self.show(&kept).await;
            }
            pause(attempt).await;
        }
        Err(Code::StorageConflict.into())
    }

    /// Deletes one, its modules and what belongs to it. Refused while another record needs it.
    pub(crate) async fn delete<R: Rules>(&self, caller: &Caller, id: &Id<R>) -> Result<()> {
        caller.may_touch::<R>()?;
        for attempt in 0..ATTEMPTS {
            let (former, revision) = self.read::<R>(caller, id).await?;
            let mut plan = Plan::default();
            let mut gone = HashSet::new();
            plan.unchanged(&former.key(), Some(revision));
            self.remove(&mut plan, &mut gone, former.key(), &kept::encode(&former)?).await?;
            if R::weakens(&former.spec, None) {
                self.keep_an_administrator(&mut plan, &gone, None).await?;
            }
            plan.event(&format!("{}_deleted", R::KIND), id.as_str(), &caller.key, jiff::Timestamp::now())?;
            if let Some(revision) = self.attempt::<R>(&plan).await? {
                return self.seen(revision).await;
            }
            pause(attempt).await;
        }
        Err(Code::StorageConflict.into())
    }

    /// Plans the end of a record and of everything that belongs to it, whatever kinds they are.
    async fn remove(&self, plan: &mut Plan, gone: &mut HashSet<String>, key: String, value: &[u8]) -> Result<()> {
        let mut waiting = vec![(key, value.to_vec())];
        while let Some((key, value)) = waiting.pop() {
            if !gone.insert(key.clone()) {
                continue;
            }
            let id = key.rsplit('/').next().unwrap_or_default().to_owned();
            let ties: Ties = serde_json::from_slice(&value).unwrap_or_default();
            plan.delete(&key);
            plan.claim(&id, &ties.claims, &[]);
            plan.link(&id, &key, &ties.links, &[])?;
            let modules = self.below(plan, &kept::modules_of(&id)).await?;
            for module in &modules {
                let ties: Ties = kept::decode(module)?;
                plan.delete(&module.key);
                plan.link(module.key.strip_prefix("modules/").unwrap_or_default(), &key, &ties.links, &[])?;
            }
            let links = self.below(plan, &kept::links_to(&id)).await?;
            for entry in &links {
                let linked: Linked = kept::decode(entry)?;
                match linked.role {
                    Role::Mentions => {}
                    Role::Needs if gone.contains(&linked.from) => {}
                    Role::Needs => return Err(in_use(&id, &links)),
                    Role::Belongs => {
                        if let Some(source) = self.store.get(&linked.from).await? {
                            plan.unchanged(&source.key, Some(source.revision));
                            waiting.push((source.key, source.value));
                        }
                    }
                }
            }
        }
        Ok(())
    }

    /// Reads everything below a prefix and plans that nothing is added there meanwhile.
    async fn below(&self, plan: &mut Plan, prefix: &str) -> Result<Vec<Entry>> {
        let mut range = Range::of(prefix, STEP);
        let mut page = self.store.range(range.clone()).await?;
        plan.none_newer(prefix, page.revision);
        let mut all = std::mem::take(&mut page.entries);
        while all.len().is_multiple_of(STEP) && !all.is_empty() {
            range.before = all.last().map(|entry| entry.key.clone());
            let next = self.store.range(range.clone()).await?.entries;
            if next.is_empty() {
                break;
            }
            all.extend(next);
        }
        Ok(all)
    }

    /// Commits a plan. `None`: something moved, look again.
    pub(super) async fn attempt<R: Rules>(&self, plan: &Plan) -> Result<Option<Revision>> {
        match self.store.commit(plan.commit()).await? {
            Outcome::Done(revision) => Ok(Some(revision)),
            Outcome::Conflict(condition) => match plan.obstacle(&condition) {
                Obstacle::Moved => Ok(None),
                Obstacle::Missing(link) => Err(missing(&link)),
                Obstacle::Taken(claim) => match self.store.get(&claim.key()).await? {
                    Some(holder) => Err(R::taken(&claim, &String::from_utf8_lossy(&holder.value))),
                    None => Ok(None),
                },
            },
        }
    }

    /// Reads a stored record that the caller may see.
    pub(super) async fn read<R: Rules>(&self, caller: &Caller, id: &Id<R>) -> Result<(Kept<R>, Revision)> {
        let key = kept::record_key::<R>(id.as_str());
        let entry = self.store.get(&key).await?.ok_or_else(|| not_found::<R>(id))?;
        let kept: Kept<R> = kept::decode(&entry)?;
        caller.may_touch_of(kept.spec.owner())?;
        Ok((kept, entry.revision))
    }

    pub(super) async fn modules(&self, owner: &str) -> Result<Modules> {
        Ok(Modules(self.store.range(Range::of(kept::modules_of(owner), 100)).await?.entries))
    }

    async fn show<R: Rules>(&self, kept: &Kept<R>) -> Result<Record<R>> {
        let modules = if R::HAS_MODULES { self.modules(kept.id.as_str()).await? } else { Modules::default() };
        Ok(Record {
            id: kept.id.clone(),
            uri: kept.uri(&self.settings.base_url),
            created_at: kept.created_at,
            description: kept.description.clone(),
            metadata: kept.metadata.clone(),
            spec: kept.spec.clone(),
            status: R::status(kept, &modules, self.place())?,
        })
    }
}

/// Plans the modules that a body names, each replaced whole.
fn attach<R: Rules>(plan: &mut Plan, owner: &Kept<R>, stored: &Modules, modules: Vec<Attachment>) -> Result<()> {
    for module in modules {
        let former = stored.entry(module.name);
        super::module_operations::plan_put(plan, owner.id.as_str(), &owner.key(), former, module)?;
    }
    Ok(())
}

/// A little time for the others, more with every attempt.
pub(super) async fn pause(attempt: u32) {
    let most = 1 + u64::from(attempt.min(20));
    tokio::time::sleep(Duration::from_millis(rand::random_range(0..=most))).await;
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

fn missing(link: &kept::Link) -> Error {
    let code = match link.kind.as_str() {
        "ip_policy" => Code::PolicyUnknown,
        "user" => Code::OwnerUnknown,
        _ => Code::BackendUnknown,
    };
    let kind = link.kind.replace('_', " ");
    Error::new(code, format!("There is no {kind} with the id `{}`.", link.to)).with("id", &link.to)
}

fn in_use(id: &str, links: &[Entry]) -> Error {
    let users: Vec<&str> = links.iter().filter_map(|entry| entry.key.split('/').nth(2)).take(5).collect();
    let named = users.join("`, `");
    Error::new(Code::BackendInUse, format!("`{id}` is in use by `{named}`. Give that another backend first."))
        .with("used_by", users.join(","))
}
