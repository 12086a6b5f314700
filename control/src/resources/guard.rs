//! The server must never be left without an administrator's key: nobody could let anybody in again.

use super::{Kept, Resources, kept, plan::Plan};
use crate::store::Range;
use postern_api::{
    Code, Error, OwnerId, Result,
    resource::{ApiKey, BotUser, User},
};
use std::collections::HashSet;

/// Written by every change that may take an administrator's key away, so that two of them never pass each other.
const KEY: &str = "guards/administrators";

impl Resources {
    /// Adds to a plan that an administrator's key remains. `gone` are the keys of records that the plan
    /// deletes, `demoted` that of a user who will no longer be one.
    pub(super) async fn keep_an_administrator(
        &self,
        plan: &mut Plan,
        gone: &HashSet<String>,
        demoted: Option<&str>,
    ) -> Result<()> {
        let guard = self.store.get(KEY).await?;
        plan.unchanged(KEY, guard.map(|entry| entry.revision));
        plan.put(KEY, Vec::new());
        let mut administrators = HashSet::new();
        let stays = |key: &str, id: &str| !gone.contains(key) && demoted != Some(id);
        self.each(|user: Kept<User>| {
            if user.spec.admin && stays(&user.key(), user.id.as_str()) {
                administrators.insert(OwnerId::User(user.id));
            }
        })
        .await?;
        self.each(|bot: Kept<BotUser>| {
            if bot.spec.admin && bot.spec.active && stays(&bot.key(), bot.id.as_str()) {
                administrators.insert(OwnerId::Bot(bot.id));
            }
        })
        .await?;
        let mut remains = false;
        self.each(|key: Kept<ApiKey>| {
            remains |= !gone.contains(&key.key()) && administrators.contains(&key.spec.owner_id);
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

    /// Shows every record of a kind to a function.
    pub(crate) async fn each<R: super::Rules>(&self, mut see: impl FnMut(Kept<R>)) -> Result<()> {
        let mut range = Range::of(kept::records::<R>(), 500);
        loop {
            let page = self.store.range(range.clone()).await?;
            for entry in &page.entries {
                see(self.codec.read_record(entry)?);
            }
            match page.entries.last() {
                Some(last) if page.entries.len() == range.limit => range.before = Some(last.key.clone()),
                _ => return Ok(()),
            }
        }
    }
}
