//! The modules of one owner: those that are stored, and those about to be stored.

use super::{
    Resources,
    commit_plan::CommitPlan,
    keys,
    module_rules::{ModuleRules, StoredModule},
    relations::{self, ClaimsAndLinks, NewLink},
};
use crate::store::{Entry, Page, Revision};
use futures::{FutureExt, future::BoxFuture};
use postern_api::{AnyId, Code, Error, Result};
use serde_json::Value;

/// A module about to be stored, its type erased.
pub(crate) struct NewModule {
    pub(crate) name: &'static str,
    module: Box<dyn ErasedModule>,
}

/// Stored form of a checked module.
pub(crate) struct EncodedModule {
    pub(crate) links: Vec<NewLink>,
    pub(crate) value: Vec<u8>,
    /// The module replaces one with other secrets.
    pub(crate) secrets_changed: bool,
}

/// A module that a commit replaces.
pub(crate) struct ReplacedModule {
    pub(crate) name: &'static str,
    pub(crate) former: Option<Vec<u8>>,
    pub(crate) value: Vec<u8>,
    pub(crate) secrets_changed: bool,
}

impl NewModule {
    pub(crate) fn new<M: ModuleRules>(module: M) -> Self {
        NewModule { name: M::NAME, module: Box::new(module) }
    }

    /// Checks the module and encodes it as the successor of what is stored under its key.
    pub(crate) async fn encode(&self, owner: &AnyId, former: Option<&Entry>, ctx: &Resources) -> Result<EncodedModule> {
        self.module.encode(owner, former, ctx).await
    }
}

trait ErasedModule: Send + Sync {
    fn encode<'a>(
        &'a self,
        owner: &'a AnyId,
        former: Option<&'a Entry>,
        ctx: &'a Resources,
    ) -> BoxFuture<'a, Result<EncodedModule>>;
}

impl<M: ModuleRules> ErasedModule for M {
    fn encode<'a>(
        &'a self,
        owner: &'a AnyId,
        former: Option<&'a Entry>,
        ctx: &'a Resources,
    ) -> BoxFuture<'a, Result<EncodedModule>> {
        async move {
            let mut module = self.clone();
            module.check(ctx)?;
            let links = module.links()?;
            let former = former.map(|entry| ctx.codec.read_module::<M>(entry)).transpose()?;
            let former_secrets = former.as_ref().map(secrets_of).transpose()?;
            let hidden = module.hidden(owner, former.map(|former| former.hidden), ctx).await?;
            module.strip_secrets();
            let stored = StoredModule { module, hidden, links: links.iter().map(|new| new.link.clone()).collect() };
            let value = ctx.codec.module(&stored, &keys::module(owner.as_str(), M::NAME))?;
            let secrets_changed = match former_secrets {
                Some(former) => former != secrets_of(&stored)?,
                None => false,
            };
            Ok(EncodedModule { links, value, secrets_changed })
        }
        .boxed()
    }
}

/// Everything of a module that is never shown, to compare it.
fn secrets_of<M: ModuleRules>(stored: &StoredModule<M>) -> Result<Vec<Value>> {
    if M::SECRETS.is_empty() && size_of::<M::Hidden>() == 0 {
        return Ok(Vec::new());
    }
    let unwritable = |error| Error::new(Code::Internal, format!("A module could not be written: {error}."));
    let stored = serde_json::to_value(stored).map_err(unwritable)?;
    Ok(M::SECRETS.iter().chain(&["/hidden"]).filter_map(|pointer| stored.pointer(pointer).cloned()).collect())
}

/// The modules of one owner, as they are stored or will be after a change.
#[derive(Debug, Default)]
pub(crate) struct Modules {
    entries: Vec<Entry>,
    /// Newest commit included.
    revision: Revision,
}

impl Modules {
    pub(super) fn new(page: Page) -> Self {
        Modules { entries: page.entries, revision: page.revision }
    }

    pub(crate) fn entry(&self, name: &str) -> Option<&Entry> {
        self.entries.iter().find(|entry| entry.key.rsplit('/').next() == Some(name))
    }

    /// Replaces the module under a key.
    pub(super) fn put(&mut self, key: &str, value: Vec<u8>) {
        self.remove(key);
        self.entries.push(Entry { key: key.to_owned(), value, revision: 0 });
    }

    pub(super) fn remove(&mut self, key: &str) {
        self.entries.retain(|entry| entry.key != key);
    }

    /// Plans that no module of the owner is changed, removed or added before the commit.
    pub(super) fn expect_unchanged(&self, plan: &mut CommitPlan, owner: &str) {
        plan.expect_none_newer(&keys::modules_of(owner), self.revision);
        for entry in &self.entries {
            plan.expect_revision(&entry.key, Some(entry.revision));
        }
    }

    /// Configuration of a module, if it is set.
    pub(crate) fn read<M: ModuleRules>(&self, ctx: &Resources) -> Result<Option<M>> {
        let Some(entry) = self.entry(M::NAME) else { return Ok(None) };
        Ok(Some(ctx.codec.read_module::<M>(entry)?.module))
    }

    pub(crate) fn view<M: ModuleRules>(&self, owner: &AnyId, ctx: &Resources) -> Result<Option<M::View>> {
        let Some(entry) = self.entry(M::NAME) else { return Ok(None) };
        M::view(&ctx.codec.read_module::<M>(entry)?, owner, ctx).map(Some)
    }
}

/// Plans to write a module in place of what is stored under its key.
pub(super) fn plan_put(
    plan: &mut CommitPlan,
    owner: &str,
    owner_key: &str,
    former: Option<&Entry>,
    name: &str,
    module: EncodedModule,
) -> Result<()> {
    let key = keys::module(owner, name);
    let relations: ClaimsAndLinks = former.map(relations::decode).transpose()?.unwrap_or_default();
    plan.expect_revision(&key, former.map(|entry| entry.revision));
    plan.update_links(&format!("{owner}/{name}"), owner_key, &relations.links, &module.links)?;
    plan.put(&key, module.value);
    Ok(())
}
