//! Put, get and delete a module: once, for every pair of owner and module.

use super::{
    Attachment, Caller, ModuleRules, Resources, Rules,
    kept::{self, KeptModule, Ties},
    operations::pause,
    plan::Plan,
};
use crate::store::Entry;
use postern_api::{
    Code, Error, Id, Result,
    module::{Hosts, Module},
};

const ATTEMPTS: u32 = 500;

/// A kind that owns a module.
pub(crate) trait HostRules<M: ModuleRules>: Rules + Hosts<M> {}
impl<M: ModuleRules, O: Rules + Hosts<M>> HostRules<M> for O {}

impl Resources {
    /// Replaces a module whole.
    pub(crate) async fn put_module<O: HostRules<M>, M: ModuleRules>(
        &self,
        caller: &Caller,
        owner: &Id<O>,
        mut module: M,
    ) -> Result<M::View> {
        caller.may_touch::<O>()?;
        module.check()?;
        for attempt in 0..ATTEMPTS {
            let (kept, _) = self.read::<O>(caller, owner).await?;
            let stored = self.store.get(&module_key::<O, M>(owner)).await?;
            let mut plan = Plan::default();
            plan.present(&kept.key());
            plan_put(&mut plan, owner.as_str(), &kept.key(), stored.as_ref(), Attachment::of(module.clone())?)?;
            plan.event(&format!("{}_updated", O::KIND), owner.as_str(), &caller.key, jiff::Timestamp::now())?;
            if let Some(revision) = self.attempt::<O>(&plan).await? {
                self.seen(revision).await?;
                return module.view(&self.settings.base_url);
            }
            pause(attempt).await;
        }
        Err(Code::StorageConflict.into())
    }

    /// Reads a module; 404 with a code of its own if it is not set.
    pub(crate) async fn get_module<O: HostRules<M>, M: ModuleRules>(
        &self,
        caller: &Caller,
        owner: &Id<O>,
    ) -> Result<M::View> {
        caller.may_touch::<O>()?;
        self.read::<O>(caller, owner).await?;
        let stored = self.store.get(&module_key::<O, M>(owner)).await?.ok_or_else(|| {
            Error::new(Code::ModuleUnset, format!("`{owner}` has no `{}` module.", M::NAME)).with("module", M::NAME)
        })?;
        kept::decode::<KeptModule<M>>(&stored)?.module.view(&self.settings.base_url)
    }

    /// Removes a module; it is no error if it is not set.
    pub(crate) async fn delete_module<O: HostRules<M>, M: ModuleRules>(
        &self,
        caller: &Caller,
        owner: &Id<O>,
    ) -> Result<()> {
        caller.may_touch::<O>()?;
        for attempt in 0..ATTEMPTS {
            let (kept, _) = self.read::<O>(caller, owner).await?;
            let Some(stored) = self.store.get(&module_key::<O, M>(owner)).await? else { return Ok(()) };
            let ties: Ties = kept::decode(&stored)?;
            let mut plan = Plan::default();
            plan.unchanged(&stored.key, Some(stored.revision));
            plan.link(&format!("{owner}/{}", M::NAME), &kept.key(), &ties.links, &[])?;
            plan.delete(&stored.key);
            plan.event(&format!("{}_updated", O::KIND), owner.as_str(), &caller.key, jiff::Timestamp::now())?;
            if let Some(revision) = self.attempt::<O>(&plan).await? {
                return self.seen(revision).await;
            }
            pause(attempt).await;
        }
        Err(Code::StorageConflict.into())
    }
}

/// Plans a module in place of what is stored under its key.
pub(super) fn plan_put(
    plan: &mut Plan,
    owner: &str,
    owner_key: &str,
    stored: Option<&Entry>,
    module: Attachment,
) -> Result<()> {
    let key = format!("{}{}", kept::modules_of(owner), module.name);
    let former: Ties = stored.map(kept::decode).transpose()?.unwrap_or_default();
    plan.unchanged(&key, stored.map(|entry| entry.revision));
    plan.link(&format!("{owner}/{}", module.name), owner_key, &former.links, &module.links)?;
    plan.put(&key, module.value);
    Ok(())
}

fn module_key<O, M: Module>(owner: &Id<O>) -> String {
    format!("{}{}", kept::modules_of(owner.as_str()), M::NAME)
}
