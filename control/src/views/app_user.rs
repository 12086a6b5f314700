//! Application users: the people who have logged in.

use super::{Ending, Seen};
use crate::{
    logins::stored::{self, User},
    resources::{Caller, Resources},
    store::{Entry, Range},
};
use postern_api::{
    Id, Result,
    resource::{AppUser, AppUserProvider, Ref},
};

impl Seen for AppUser {
    const ADMIN_ONLY: bool = true;

    async fn some(here: &Resources, before: Option<&Id<Self>>, limit: usize) -> Result<Vec<Self>> {
        let mut range = Range::of(stored::records::<AppUser>(), limit);
        range.before = before.map(|before| stored::key::<AppUser>(before.as_str()));
        let mut found = Vec::new();
        for entry in here.store.range(range).await?.entries {
            found.push(show(here, &entry).await?);
        }
        Ok(found)
    }

    async fn one(here: &Resources, id: &Id<Self>) -> Result<Option<Self>> {
        match here.store.get(&stored::key::<AppUser>(id.as_str())).await? {
            Some(entry) => show(here, &entry).await.map(Some),
            None => Ok(None),
        }
    }
}

impl Ending for AppUser {
    async fn end(here: &Resources, caller: &Caller, id: &Id<Self>) -> Result<()> {
        here.remove_app_user(caller, id).await
    }
}

async fn show(here: &Resources, entry: &Entry) -> Result<AppUser> {
    let id = Id::<AppUser>::parse(entry.key.rsplit('/').next().unwrap_or_default())?;
    let User { person, created_at, last_login } = stored::read(&here.codec, entry)?;
    let last_use = here.last_use(id.as_str()).await?;
    Ok(AppUser {
        uri: Ref::to_view(here.base_url(), &id).uri,
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
