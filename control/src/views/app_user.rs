//! Application users: people who have logged in.

use super::{DeletableView, ViewSource};
use crate::{
    logins::stored_login::{self, StoredUser},
    resources::{Caller, Resources, Scope},
    store::{Entry, Range},
};
use postern_api::{
    Id, Result,
    resource::{AppUser, AppUserProvider, Ref},
};

impl ViewSource for AppUser {
    const SEEN_WITH: Scope = Scope::Everything;

    async fn list(ctx: &Resources, before: Option<&Id<Self>>, limit: usize) -> Result<Vec<Self>> {
        let mut range = Range::new(stored_login::records::<AppUser>(), limit);
        range.before = before.map(|before| stored_login::key::<AppUser>(before.as_str()));
        let mut found = Vec::new();
        for entry in ctx.store.range(range).await?.entries {
            found.push(show(ctx, &entry).await?);
        }
        Ok(found)
    }

    async fn get(ctx: &Resources, id: &Id<Self>) -> Result<Option<Self>> {
        match ctx.store.get(&stored_login::key::<AppUser>(id.as_str())).await? {
            Some(entry) => show(ctx, &entry).await.map(Some),
            None => Ok(None),
        }
    }
}

impl DeletableView for AppUser {
    async fn delete(ctx: &Resources, caller: &Caller, id: &Id<Self>) -> Result<()> {
        ctx.delete_app_user(caller, id).await
    }
}

async fn show(ctx: &Resources, entry: &Entry) -> Result<AppUser> {
    let id = Id::<AppUser>::parse(entry.key.rsplit('/').next().unwrap_or_default())?;
    let StoredUser { person, created_at, last_login } = stored_login::read(&ctx.codec, entry)?;
    let last_use = ctx.last_use(id.as_str()).await?;
    Ok(AppUser {
        uri: Ref::to_view(ctx.base_url(), &id).uri,
        id,
        identity_provider: AppUserProvider { name: person.provider, url: person.provider_url },
        provider_user_id: person.id,
        username: person.username,
        email: person.email,
        name: person.name,
        created_at,
        last_active: last_use.map_or(last_login, |last| last.max(last_login)),
        last_login,
    })
}
