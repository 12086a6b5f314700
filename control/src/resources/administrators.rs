//! Guard that at least one API key of an administrator always remains.

use super::{Resources, commit_plan::CommitPlan, rules::StoredRecord};
use postern_api::{
    Code, Error, OwnerId, Result,
    resource::{ApiKey, BotUser, User},
};
use std::collections::HashSet;

/// Written by every change that may remove an administrator's key, so that concurrent ones collide.
const GUARD_KEY: &str = "guards/administrators";

impl Resources {
    /// Plans that a key of an administrator remains. `deleted` are the keys of records that the plan deletes,
    /// `demoted` is the id of a user or key that loses the administrator's rights.
    ///
    /// # Errors
    /// `LastAdminKey`, if none would remain.
    pub(super) async fn ensure_administrator_remains(
        &self,
        plan: &mut CommitPlan,
        deleted: &HashSet<String>,
        demoted: Option<&str>,
    ) -> Result<()> {
        let guard = self.store.get(GUARD_KEY).await?;
        plan.expect_revision(GUARD_KEY, guard.map(|entry| entry.revision));
        plan.put(GUARD_KEY, Vec::new());
        let mut administrators = HashSet::new();
        let stays = |key: &str, id: &str| !deleted.contains(key) && demoted != Some(id);
        self.for_each(|user: StoredRecord<User>| {
            if user.spec.admin && stays(&user.key(), user.id.as_str()) {
                administrators.insert(OwnerId::User(user.id));
            }
        })
        .await?;
        self.for_each(|bot: StoredRecord<BotUser>| {
            if bot.spec.admin && bot.spec.active && stays(&bot.key(), bot.id.as_str()) {
                administrators.insert(OwnerId::Bot(bot.id));
            }
        })
        .await?;
        let mut remains = false;
        self.for_each(|key: StoredRecord<ApiKey>| {
            remains |= key.spec.role.is_admin()
                && stays(&key.key(), key.id.as_str())
                && administrators.contains(&key.spec.owner_id);
        })
        .await?;
        if remains {
            return Ok(());
        }
        Err(Error::new(
            Code::LastAdminKey,
            "This would leave no API key of an administrator. Make another one first, for example with `postern-server api-key create --admin`.",
        ))
    }
}
