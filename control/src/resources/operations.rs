//! Create, get, list, change and delete: once, for every kind.

use super::{
    Address, Attachment, Call, Caller, Draft, Kept, Link, Making, Modules, Part, Resources, Role, Rules,
    kept::{self, Linked, Ties},
    plan::{Obstacle, Plan},
    wanting::Wanting,
};
use crate::{
    Wanted,
    store::{Entry, Outcome, Range, Revision},
};
use postern_api::{
    AnyId, Code, Error, Id, Result, Secret, Timestamp,
    resource::{Body, DESCRIPTION_LIMIT, METADATA_LIMIT, Record, Resource, Texts},
};
use std::{collections::HashSet, time::Duration};

/// How often a change is tried again when others change the same record. Each time one of them succeeds.
pub(crate) const ATTEMPTS: u32 = 500;
/// Entries read at once where all are needed.
const STEP: usize = 1000;

/// A page of records, newest first.
pub(crate) struct PageOf<R: Resource> {
    pub(crate) records: Vec<Record<R>>,
    /// Where the next page begins, if there is one.
    pub(crate) before: Option<Id<R>>,
}

impl Resources {
    /// Makes a resource. `parent` is what a nested one lies in.
    pub(crate) async fn create<R: Rules>(
        &self,
        caller: &Caller,
        parent: Option<&AnyId>,
        body: R::Create,
    ) -> Result<Record<R>> {
        self.create_prepared(caller, parent, body, |_| Ok(())).await
    }

    /// Makes a resource; its token goes to `prepare` before anything is stored.
    pub(crate) async fn create_prepared<R: Rules>(
        &self,
        caller: &Caller,
        parent: Option<&AnyId>,
        mut body: R::Create,
        prepare: impl Fn(&Secret) -> Result<()>,
    ) -> Result<Record<R>> {
        caller.may_touch::<R>()?;
        let (description, metadata) = take_texts(body.texts())?;
        for attempt in 0..ATTEMPTS {
            let now = jiff::Timestamp::now();
            let id = Id::<R>::new(now);
            let call = Call { caller, now, here: self };
            let making = Making { id: &id, call };
            let Draft { spec, hidden, token, modules } = R::create(body.clone(), &making).await?;
            let mut kept = Kept {
                id,
                parent: parent.cloned(),
                created_at: Timestamp::new(now),
                description: description.clone().unwrap_or_default(),
                metadata: metadata.clone().unwrap_or_default(),
                spec,
                hidden,
                claims: Vec::new(),
                links: Vec::new(),
            };
            let _kept_free = self.keep_free(R::wanted(&kept, None));
            R::check(&kept, None, self)?;
            tie(&mut kept);
            let mut plan = Plan::default();
            plan.unchanged(&kept.key(), None);
            plan.claim(kept.id.as_str(), &[], &kept.claims);
            match R::secure(&mut plan, &kept, None, &call).await {
                Err(error) if R::PICKS && error.code == Code::StorageConflict && attempt + 1 < ATTEMPTS => {
                    pause(attempt).await;
                    continue;
                }
                secured => secured?,
            }
            plan.link(kept.id.as_str(), &kept.key(), &[], &kept.links)?;
            plan.put(&kept.key(), self.codec.record(&kept)?);
            let modules = self.attach(&mut plan, &kept, Modules::default(), modules).await?;
            plan.event(&format!("{}_created", R::KIND), kept.id.as_str(), &caller.key, now)?;
            token.as_ref().map_or(Ok(()), &prepare)?;
            match self.tried(&plan).await? {
                Ok(revision) => {
                    self.seen(revision).await?;
                    let mut record = self.show_with(&kept, &modules).await?;
                    if let Some(token) = token {
                        R::show_once(&mut record.status, token);
                    }
                    return Ok(record);
                }
                Err(Obstacle::Taken(_)) if R::PICKS && attempt + 1 < ATTEMPTS => {}
                Err(obstacle) => self.explain::<R>(obstacle).await?,
            }
            pause(attempt).await;
        }
        Err(Code::StorageConflict.into())
    }

    /// Reads one.
    pub(crate) async fn get<R: Rules>(&self, caller: &Caller, at: &Address<R>) -> Result<Record<R>> {
        caller.may_touch::<R>()?;
        let (kept, _) = self.read(caller, at).await?;
        self.show(&kept).await
    }

    /// Reads a page of those the caller may see, older than `before`, and say `search`.
    pub(crate) async fn list<R: Rules>(
        &self,
        caller: &Caller,
        before: Option<&Id<R>>,
        limit: usize,
        search: &str,
    ) -> Result<PageOf<R>> {
        caller.may_touch::<R>()?;
        let wanted = Wanting::new(search);
        let mut range = Range::of(kept::records::<R>(), if wanted.everything() { limit + 1 } else { STEP });
        range.before = before.map(|id| kept::record_key::<R>(id.as_str()));
        let mut records = Vec::new();
        let mut more = false;
        'pages: loop {
            let page = self.store.range(range.clone()).await?;
            for entry in &page.entries {
                let kept = self.codec.read_record::<R>(entry)?;
                if caller.may_touch_of(kept.spec.owner()).is_err() {
                    continue;
                }
                if wanted.everything() && records.len() == limit {
                    more = true;
                    break 'pages;
                }
                let record = self.show(&kept).await?;
                if !wanted.says(&record)? {
                    continue;
                }
                if records.len() == limit {
                    more = true;
                    break 'pages;
                }
                records.push(record);
            }
            match page.entries.last() {
                Some(last) if page.entries.len() == range.limit => range.before = Some(last.key.clone()),
                _ => break,
            }
        }
        let before = records.last().filter(|_| more).map(|record| record.id.clone());
        Ok(PageOf { records, before })
    }

    /// Changes one. Of two changes at the same moment none is lost.
    pub(crate) async fn update<R: Rules>(
        &self,
        caller: &Caller,
        at: &Address<R>,
        body: R::Update,
    ) -> Result<Record<R>> {
        self.alter(caller, at, body, |_| ()).await
    }

    /// Takes a part out of one.
    pub(crate) async fn remove_part<P: Part>(&self, caller: &Caller, at: &Address<P::Of>) -> Result<()> {
        self.alter(caller, at, Default::default(), P::remove).await.map(|_| ())
    }

    async fn alter<R: Rules>(
        &self,
        caller: &Caller,
        at: &Address<R>,
        mut body: R::Update,
        alter: fn(&mut Kept<R>),
    ) -> Result<Record<R>> {
        caller.may_touch::<R>()?;
        let (description, metadata) = take_texts(body.texts())?;
        for attempt in 0..ATTEMPTS {
            let (former, revision) = self.read::<R>(caller, at).await?;
            let (mut kept, now, id) = (former.clone(), jiff::Timestamp::now(), at.id.as_str());
            kept.description = description.clone().unwrap_or(kept.description);
            kept.metadata = metadata.clone().unwrap_or(kept.metadata);
            let call = Call { caller, now, here: self };
            let modules = R::change(&mut kept, body.clone(), &call).await?;
            alter(&mut kept);
            let _kept_free = self.keep_free(R::wanted(&kept, Some(&former)));
            R::check(&kept, Some(&former), self)?;
            tie(&mut kept);
            let mut plan = Plan::default();
            plan.unchanged(&kept.key(), Some(revision));
            plan.claim(id, &former.claims, &kept.claims);
            R::secure(&mut plan, &kept, Some(&former), &call).await?;
            plan.link(id, &kept.key(), &former.links, &kept.links)?;
            plan.put(&kept.key(), self.codec.record(&kept)?);
            if !modules.is_empty() {
                let stored = self.modules(id).await?;
                if R::MODULES_DEPEND {
                    stored.stay(&mut plan, id);
                }
                let attached = self.attach(&mut plan, &kept, stored, modules).await.map(|_| ());
                self.unless_gone(&kept.id, attached).await?;
            }
            if R::weakens(&former.spec, Some(&kept.spec)) {
                self.keep_an_administrator(&mut plan, &HashSet::new(), Some(id)).await?;
            }
            plan.event(&format!("{}_updated", R::KIND), id, &caller.key, now)?;
            if let Some(revision) = self.attempt::<R>(&plan).await? {
                self.seen(revision).await?;
                return self.show(&kept).await;
            }
            pause(attempt).await;
        }
        Err(Code::StorageConflict.into())
    }

    /// Deletes one, its modules and what belongs to it. Refused while another record needs it.
    pub(crate) async fn delete<R: Rules>(&self, caller: &Caller, at: &Address<R>) -> Result<()> {
        caller.may_touch::<R>()?;
        for attempt in 0..ATTEMPTS {
            let (former, revision) = self.read::<R>(caller, at).await?;
            let mut plan = Plan::default();
            let mut gone = HashSet::new();
            plan.unchanged(&former.key(), Some(revision));
            R::release(&mut plan, &former, self).await?;
            self.remove(&mut plan, &mut gone, former.key(), &self.codec.record(&former)?).await?;
            if R::weakens(&former.spec, None) {
                self.keep_an_administrator(&mut plan, &gone, None).await?;
            }
            plan.event(&format!("{}_deleted", R::KIND), at.id.as_str(), &caller.key, jiff::Timestamp::now())?;
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
    pub(super) async fn below(&self, plan: &mut Plan, prefix: &str) -> Result<Vec<Entry>> {
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
        match self.tried(plan).await? {
            Ok(revision) => Ok(Some(revision)),
            Err(obstacle) => self.explain::<R>(obstacle).await.map(|()| None),
        }
    }

    /// Commits a plan, or says what was in the way.
    async fn tried(&self, plan: &Plan) -> Result<Result<Revision, Obstacle>> {
        Ok(match self.store.commit(plan.commit()).await? {
            Outcome::Done(revision) => Ok(revision),
            Outcome::Conflict(condition) => Err(plan.obstacle(&condition)),
        })
    }

    /// What an obstacle means to the caller; nothing if it may be gone at the next attempt.
    async fn explain<R: Rules>(&self, obstacle: Obstacle) -> Result<()> {
        match obstacle {
            Obstacle::Moved => Ok(()),
            Obstacle::Missing(link, false) => Err(missing(&link)),
            Obstacle::Missing(link, true) => Err(missing_in_module(&link)),
            Obstacle::Taken(claim) => match self.store.get(&claim.key()).await? {
                Some(holder) => Err(R::taken(&claim, &String::from_utf8_lossy(&holder.value))),
                None => Ok(()),
            },
        }
    }

    /// Reads a stored record that the caller may see.
    pub(super) async fn read<R: Rules>(&self, caller: &Caller, at: &Address<R>) -> Result<(Kept<R>, Revision)> {
        let found = self.stored::<R>(&at.id).await?.filter(|(kept, _)| kept.parent == at.parent);
        let (kept, revision) = found.ok_or_else(|| not_found::<R>(&at.id))?;
        caller.may_touch_of(kept.spec.owner())?;
        Ok((kept, revision))
    }

    /// Reads a stored record, whoever it belongs to.
    pub(crate) async fn stored<R: Rules>(&self, id: &Id<R>) -> Result<Option<(Kept<R>, Revision)>> {
        let entry = self.store.get(&kept::record_key::<R>(id.as_str())).await?;
        entry.map(|entry| Ok((self.codec.read_record(&entry)?, entry.revision))).transpose()
    }

    /// Who holds a claim, if somebody does.
    pub(crate) async fn holder(&self, claim: &kept::Claim) -> Result<Option<AnyId>> {
        let entry = self.store.get(&claim.key()).await?;
        Ok(entry.map(|entry| AnyId::from_text(String::from_utf8_lossy(&entry.value))))
    }

    /// What is wrong with modules, unless their owner went with them while they were read.
    pub(super) async fn unless_gone<R: Rules>(&self, owner: &Id<R>, judged: Result<()>) -> Result<()> {
        match judged {
            Err(_) if self.stored::<R>(owner).await?.is_none() => Err(not_found::<R>(owner)),
            judged => judged,
        }
    }

    pub(super) async fn modules(&self, owner: &str) -> Result<Modules> {
        Ok(Modules::new(self.store.range(Range::of(kept::modules_of(owner), 100)).await?))
    }

    /// The records of a kind that lie in another record, oldest first.
    pub(crate) async fn nested<R: Rules>(&self, parent: &AnyId) -> Result<Vec<Record<R>>> {
        let mut range = Range::of(format!("{}{}_", kept::links_to(parent.as_str()), R::PREFIX), STEP);
        let mut nested = Vec::new();
        loop {
            let page = self.store.range(range.clone()).await?;
            for entry in &page.entries {
                // The link of a record; those of its modules have one part more.
                let from = entry.key.strip_prefix(&kept::links_to(parent.as_str())).unwrap_or_default();
                let Ok(id) = Id::<R>::parse(from) else { continue };
                if let Some((kept, _)) =
                    self.stored(&id).await?.filter(|(kept, _)| kept.parent.as_ref() == Some(parent))
                {
                    nested.push(self.show(&kept).await?);
                }
            }
            match page.entries.last() {
                Some(last) if page.entries.len() == range.limit => range.before = Some(last.key.clone()),
                _ => break,
            }
        }
        nested.reverse();
        Ok(nested)
    }

    /// Keeps agents from taking what is wanted. Once the change is published they see for themselves.
    fn keep_free(&self, wanted: Wanted) -> Option<Box<dyn Send>> {
        (wanted != Wanted::default()).then(|| self.live.keep_free(wanted))
    }

    async fn show<R: Rules>(&self, kept: &Kept<R>) -> Result<Record<R>> {
        let modules = if R::HAS_MODULES { self.modules(kept.id.as_str()).await? } else { Modules::default() };
        self.show_with(kept, &modules).await
    }

    async fn show_with<R: Rules>(&self, kept: &Kept<R>, modules: &Modules) -> Result<Record<R>> {
        Ok(Record {
            id: kept.id.clone(),
            uri: kept.uri(&self.settings.base_url),
            created_at: kept.created_at,
            description: kept.description.clone(),
            metadata: kept.metadata.clone(),
            spec: kept.spec.clone(),
            status: R::status(kept, modules, self).await?,
        })
    }

    /// Plans the modules that a body names, each replaced whole. Gives all there will be.
    async fn attach<R: Rules>(
        &self,
        plan: &mut Plan,
        owner: &Kept<R>,
        mut stored: Modules,
        modules: Vec<Attachment>,
    ) -> Result<Modules> {
        for module in modules {
            let former = stored.entry(module.name);
            let ready = module.store(&owner.id.any(), former, self).await?;
            let (key, value) = (kept::module_key(owner.id.as_str(), module.name), ready.value.clone());
            super::module_operations::plan_put(plan, owner.id.as_str(), &owner.key(), former, module.name, ready)?;
            stored.put(&key, value);
        }
        if R::MODULES_DEPEND {
            R::fit(&stored, self)?;
        }
        Ok(stored)
    }
}

/// Notes down in a record what it claims and what it depends on.
fn tie<R: Rules>(kept: &mut Kept<R>) {
    kept.claims = R::claims(kept);
    kept.links = R::links(kept);
    if let (Some(parent), Some(to)) = (R::PARENT, &kept.parent) {
        kept.links.push(Link { to: to.clone(), kind: parent.kind.to_owned(), role: Role::Belongs });
    }
}

/// A little time for the others, more with every attempt.
pub(crate) async fn pause(attempt: u32) {
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

fn missing(link: &Link) -> Error {
    let kind = link.kind.replace('_', " ");
    let code = match link.kind.as_str() {
        "ip_policy" => Code::PolicyUnknown,
        "user" | "bot_user" => Code::OwnerUnknown,
        "certificate_authority" => Code::AuthorityUnknown,
        "ssh_certificate_authority" => Code::SshAuthorityUnknown,
        "tls_certificate" => Code::CertificateUnknown,
        "https_edge" => Code::NotFound,
        kind if kind.ends_with("_backend") => Code::BackendUnknown,
        _ => Code::FieldInvalid,
    };
    Error::new(code, format!("There is no {kind} with the id `{}`.", link.to)).with("id", &link.to)
}

/// What a module names must exist too: the error says in which field it stands.
fn missing_in_module(link: &Link) -> Error {
    let mut error = missing(link);
    let field = match link.kind.as_str() {
        "ip_policy" => {
            error.code = Code::ModulePolicyUnknown;
            "ip_policy_ids"
        }
        "certificate_authority" => "certificate_authority_ids",
        _ => "backend_id",
    };
    error.with("field", field)
}

fn in_use(id: &str, links: &[Entry]) -> Error {
    let users: Vec<&str> = links.iter().filter_map(|entry| entry.key.split('/').nth(2)).take(5).collect();
    let named = users.join("`, `");
    let code = match AnyId::from_text(id).prefix() {
        "ca" => Code::AuthorityInUse,
        "cert" => Code::CertificateInUse,
        "sshca" => Code::SshAuthorityInUse,
        "rd" | "ra" => Code::ReservedInUse,
        _ => Code::BackendInUse,
    };
    Error::new(code, format!("`{id}` is in use by `{named}`. Take it out of there first."))
        .with("used_by", users.join(","))
}
