//! Put, get and delete of a module, generic over every pair of owner and module.

use super::{
    Caller, RecordPath, Resources,
    audit::NewEvent,
    commit_plan::CommitPlan,
    keys,
    module_rules::ModuleRules,
    owned_modules::{Modules, NewModule, plan_put},
    relations::{self, ClaimsAndLinks},
    retry::commit_with_retry,
    rights::Access,
    rules::Rules,
};
use crate::store::Entry;
use postern_api::{Code, Error, Id, Result, module::Hosts};

/// A kind that owns a module.
pub(crate) trait HostRules<M: ModuleRules>: Rules + Hosts<M> {}
impl<M: ModuleRules, O: Rules + Hosts<M>> HostRules<M> for O {}

impl Resources {
    /// Replaces a module whole.
    ///
    /// # Errors
    /// `NotFound` if there is no such owner, if the caller may not do so, the module is invalid, or the store fails.
    pub(crate) async fn put_module<O: HostRules<M>, M: ModuleRules>(
        &self,
        caller: &Caller,
        at: &RecordPath<O>,
        module: M,
    ) -> Result<M::View> {
        caller.check_kind_access::<O>(Access::Change)?;
        let (module, owner) = (&NewModule::new(module), &at.id.any());
        commit_with_retry(move |_| async move {
            let (stored, _) = self.load_visible::<O>(caller, at).await?;
            let key = keys::module(owner.as_str(), M::NAME);
            let former = self.store.get(&key).await?;
            let encoded = module.encode(owner, former.as_ref(), self).await?;
            let entry = Entry { key, value: encoded.value.clone(), revision: 0 };
            let before = former.as_ref().map(|former| former.value.as_slice());
            let event = NewEvent {
                secrets_changed: encoded.secrets_changed,
                ..NewEvent::of_module(&stored, M::NAME, before, Some(&entry.value))
            };
            let mut plan = CommitPlan::default();
            plan.expect_present(&stored.key());
            self.check_with_others(&mut plan, &at.id, |modules| modules.put(&entry.key, entry.value.clone())).await?;
            plan_put(&mut plan, owner.as_str(), &stored.key(), former.as_ref(), M::NAME, encoded)?;
            plan.record_event(&caller.author(), event, postern_api::clock::now())?;
            match self.commit::<O>(&plan).await? {
                Some(revision) => {
                    self.wait_until_published(revision).await?;
                    M::view(&self.codec.read_module::<M>(&entry)?, owner, self).map(Some)
                }
                None => Ok(None),
            }
        })
        .await
    }

    /// Reads a module.
    ///
    /// # Errors
    /// `NotFound` if there is no such owner, `ModuleUnset` if the module is not set.
    pub(crate) async fn get_module<O: HostRules<M>, M: ModuleRules>(
        &self,
        caller: &Caller,
        at: &RecordPath<O>,
    ) -> Result<M::View> {
        caller.check_kind_access::<O>(Access::See)?;
        self.load_visible::<O>(caller, at).await?;
        let entry = self.store.get(&keys::module(at.id.as_str(), M::NAME)).await?.ok_or_else(|| {
            let sentence = format!("`{}` has no `{}` module.", at.id, M::NAME);
            Error::new(Code::ModuleUnset, sentence).with("module", M::NAME)
        })?;
        M::view(&self.codec.read_module::<M>(&entry)?, &at.id.any(), self)
    }

    /// Removes a module, if it is set.
    ///
    /// # Errors
    /// `NotFound` if there is no such owner, if the caller may not do so, or the store fails.
    pub(crate) async fn delete_module<O: HostRules<M>, M: ModuleRules>(
        &self,
        caller: &Caller,
        at: &RecordPath<O>,
    ) -> Result<()> {
        caller.check_kind_access::<O>(Access::Change)?;
        commit_with_retry(move |_| async move {
            let (stored, _) = self.load_visible::<O>(caller, at).await?;
            let key = keys::module(at.id.as_str(), M::NAME);
            let Some(entry) = self.store.get(&key).await? else { return Ok(Some(())) };
            let relations: ClaimsAndLinks = relations::decode(&entry)?;
            let mut plan = CommitPlan::default();
            plan.expect_revision(&entry.key, Some(entry.revision));
            plan.update_links(&format!("{}/{}", at.id, M::NAME), &stored.key(), &relations.links, &[])?;
            plan.delete(&entry.key);
            self.check_with_others(&mut plan, &at.id, |modules| modules.remove(&entry.key)).await?;
            let event = NewEvent::of_module(&stored, M::NAME, Some(&entry.value), None);
            plan.record_event(&caller.author(), event, postern_api::clock::now())?;
            match self.commit::<O>(&plan).await? {
                Some(revision) => self.wait_until_published(revision).await.map(Some),
                None => Ok(None),
            }
        })
        .await
    }

    /// Validates modules that depend on each other as they will be, and plans that the others stay unchanged.
    async fn check_with_others<O: Rules>(
        &self,
        plan: &mut CommitPlan,
        owner: &Id<O>,
        change: impl FnOnce(&mut Modules),
    ) -> Result<()> {
        if !O::MODULES_INTERDEPEND {
            return Ok(());
        }
        let mut modules = self.modules(owner.as_str()).await?;
        modules.expect_unchanged(plan, owner.as_str());
        change(&mut modules);
        self.not_found_if_deleted(owner, O::check_modules(&modules, self)).await
    }
}
