//! Put, get and delete a module: once, for every pair of owner and module.

use super::{
    Address, Attachment, Caller, ModuleRules, Modules, Resources, Rules,
    kept::{self, Ties},
    operations::pause,
    plan::Plan,
    rules::Stored,
};
use crate::store::Entry;
use postern_api::{Code, Error, Id, Result, module::Hosts};

const ATTEMPTS: u32 = 500;

/// A kind that owns a module.
pub(crate) trait HostRules<M: ModuleRules>: Rules + Hosts<M> {}
impl<M: ModuleRules, O: Rules + Hosts<M>> HostRules<M> for O {}

impl Resources {
    /// Replaces a module whole.
    pub(crate) async fn put_module<O: HostRules<M>, M: ModuleRules>(
        &self,
        caller: &Caller,
        at: &Address<O>,
        module: M,
    ) -> Result<M::View> {
        caller.may_touch::<O>()?;
        let (attachment, owner) = (Attachment::of(module), at.id.any());
        for attempt in 0..ATTEMPTS {
            let (kept, _) = self.read::<O>(caller, at).await?;
            let key = kept::module_key(owner.as_str(), M::NAME);
            let former = self.store.get(&key).await?;
            let stored = attachment.store(&owner, former.as_ref(), self).await?;
            let entry = Entry { key, value: stored.value.clone(), revision: 0 };
            let mut plan = Plan::default();
            plan.present(&kept.key());
            self.others(&mut plan, &at.id, |modules| modules.put(&entry.key, entry.value.clone())).await?;
            plan_put(&mut plan, owner.as_str(), &kept.key(), former.as_ref(), M::NAME, stored)?;
            plan.event(&format!("{}_updated", O::KIND), owner.as_str(), &caller.key, jiff::Timestamp::now())?;
            if let Some(revision) = self.attempt::<O>(&plan).await? {
                self.seen(revision).await?;
                return M::view(&self.codec.read_module::<M>(&entry)?, &owner, self);
            }
            pause(attempt).await;
        }
        Err(Code::StorageConflict.into())
    }

    /// Reads a module; 404 with a code of its own if it is not set.
    pub(crate) async fn get_module<O: HostRules<M>, M: ModuleRules>(
        &self,
        caller: &Caller,
        at: &Address<O>,
    ) -> Result<M::View> {
        caller.may_touch::<O>()?;
        self.read::<O>(caller, at).await?;
        let stored = self.store.get(&kept::module_key(at.id.as_str(), M::NAME)).await?.ok_or_else(|| {
            let sentence = format!("`{}` has no `{}` module.", at.id, M::NAME);
            Error::new(Code::ModuleUnset, sentence).with("module", M::NAME)
        })?;
        M::view(&self.codec.read_module::<M>(&stored)?, &at.id.any(), self)
    }

    /// Removes a module; it is no error if it is not set.
    pub(crate) async fn delete_module<O: HostRules<M>, M: ModuleRules>(
        &self,
        caller: &Caller,
        at: &Address<O>,
    ) -> Result<()> {
        caller.may_touch::<O>()?;
        for attempt in 0..ATTEMPTS {
            let (kept, _) = self.read::<O>(caller, at).await?;
            let key = kept::module_key(at.id.as_str(), M::NAME);
            let Some(stored) = self.store.get(&key).await? else { return Ok(()) };
            let ties: Ties = kept::decode(&stored)?;
            let mut plan = Plan::default();
            plan.unchanged(&stored.key, Some(stored.revision));
            plan.link(&format!("{}/{}", at.id, M::NAME), &kept.key(), &ties.links, &[])?;
            plan.delete(&stored.key);
            self.others(&mut plan, &at.id, |modules| modules.remove(&stored.key)).await?;
            plan.event(&format!("{}_updated", O::KIND), at.id.as_str(), &caller.key, jiff::Timestamp::now())?;
            if let Some(revision) = self.attempt::<O>(&plan).await? {
                return self.seen(revision).await;
            }
            pause(attempt).await;
        }
        Err(Code::StorageConflict.into())
    }

    /// Where modules depend on each other, judges them together as they will be, and plans that the others stay.
    async fn others<O: Rules>(&self, plan: &mut Plan, owner: &Id<O>, change: impl FnOnce(&mut Modules)) -> Result<()> {
        if !O::MODULES_DEPEND {
            return Ok(());
        }
        let mut modules = self.modules(owner.as_str()).await?;
        modules.stay(plan, owner.as_str());
        change(&mut modules);
        self.unless_gone(owner, O::fit(&modules, self)).await
    }
}

/// Plans a module in place of what is stored under its key.
pub(super) fn plan_put(
    plan: &mut Plan,
    owner: &str,
    owner_key: &str,
    former: Option<&Entry>,
    name: &str,
    module: Stored,
) -> Result<()> {
    let key = kept::module_key(owner, name);
    let ties: Ties = former.map(kept::decode).transpose()?.unwrap_or_default();
    plan.unchanged(&key, former.map(|entry| entry.revision));
    plan.link(&format!("{owner}/{name}"), owner_key, &ties.links, &module.links)?;
    plan.put(&key, module.value);
    Ok(())
}
