//! Authentication of callers by API key, and the owner of what they create.

use super::{
    Resources,
    audit::CallOrigin,
    caller::Caller,
    keys,
    response_cache::CachedCaller,
    rights::Rights,
    rules::{CallContext, Rules, StoredRecord},
};
use crate::store::CacheKey;
use postern_api::{
    Code, Error, Id, OwnerId, Result, Role,
    resource::{ApiKey, BotUser, Credential, User},
    token::Token,
};
use std::sync::Arc;

impl CallContext<'_> {
    /// Owner of a new record: the caller, or the owner that an administrator names.
    ///
    /// # Errors
    /// If the name is not an id of a user, another owner needs an administrator, or a bot user is not active.
    pub(crate) async fn owner_for(&self, named: Option<&str>) -> Result<OwnerId> {
        let own = &self.caller.owner;
        let Some(named) = named.filter(|named| !named.is_empty()) else { return Ok(own.clone()) };
        let owner = OwnerId::parse(named).map_err(|error| error.with("field", "owner_id"))?;
        if owner != *own && !self.caller.is_admin() {
            return Err(Error::new(
                Code::AdminNeeded,
                "Only an administrator may name another owner. Leave `owner_id` out to own it yourself.",
            ));
        }
        if let OwnerId::Bot(id) = &owner
            && self.resources.load::<BotUser>(id).await?.is_some_and(|(bot, _)| !bot.spec.active)
        {
            let sentence = format!("The bot user `{id}` is not active. Activate it first, or name another owner.");
            return Err(Error::new(Code::OwnerInactive, sentence).with("field", "owner_id"));
        }
        Ok(owner)
    }
}

impl Resources {
    /// Authenticates the sender of a key.
    ///
    /// # Errors
    /// If the text is no key, the key is unknown, or its owner is not active.
    pub(crate) async fn authenticate(&self, text: &str) -> Result<Arc<Caller>> {
        if Id::<ApiKey>::parse(text).is_ok() {
            return Err(Error::new(Code::KeyIsId, "This is the id of an API key. Send the key itself."));
        }
        let token = Token::parse(text).ok_or_else(|| {
            Error::new(Code::KeyShape, "This does not look like an API key. Check that it was copied whole.")
        })?;
        if let Some(cached) = self.cached_caller(token.ksuid()).filter(|cached| cached.hash.verifies(&token)) {
            return Ok(cached.caller);
        }
        let id = format!("ak_{}", token.ksuid());
        let key: Option<StoredRecord<ApiKey>> = self.find(&id).await?;
        if let Some(key) = key.filter(|key| key.hidden.verifies(&token)) {
            let found = self.look_up_caller(&key).await?;
            return found.filter(|found| found.hash.verifies(&token)).map(|found| found.caller).ok_or_else(unknown);
        }
        let credential: Option<StoredRecord<Credential>> = self.find(&format!("cr_{}", token.ksuid())).await?;
        if credential.is_some_and(|credential| credential.hidden.verifies(&token)) {
            return Err(Error::new(
                Code::KeyIsAuthtoken,
                "This is an agent's authtoken. The management API needs an API key.",
            ));
        }
        Err(unknown())
    }

    /// The caller that a key stands for, without the key itself; `None` if the key or its owner is gone.
    ///
    /// # Errors
    /// If the owner is not active, or the store fails.
    pub(crate) async fn caller_of_key(&self, id: &Id<ApiKey>) -> Result<Option<Arc<Caller>>> {
        if let Some(cached) = self.cached_caller(id.ksuid()) {
            return Ok(Some(cached.caller));
        }
        let Some(key) = self.find::<ApiKey>(id.as_str()).await? else { return Ok(None) };
        match self.look_up_caller(&key).await {
            Ok(found) => Ok(found.map(|found| found.caller)),
            Err(error) if error.code == Code::KeyUnknown => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Looks the caller of a stored key up, and caches it.
    async fn look_up_caller(&self, key: &StoredRecord<ApiKey>) -> Result<Option<CachedCaller>> {
        let owner = &key.spec.owner_id;
        // Brings the owner into the store's cache too, so that both versions are known to the caller's entry.
        self.name_and_role(owner).await?;
        let id = key.id.as_str();
        let sources = vec![CacheKey::Key(keys::record::<ApiKey>(id)), CacheKey::Key(owner_key(owner))];
        self.cache_caller(key.id.ksuid(), sources, self.find_caller(id)).await
    }

    async fn find_caller(&self, key: &str) -> Result<Option<CachedCaller>> {
        let Some(key) = self.find::<ApiKey>(key).await? else { return Ok(None) };
        let owner = key.spec.owner_id;
        let (name, role) = self.name_and_role(&owner).await?;
        let rights = Rights::of_key(role, key.spec.role);
        let caller =
            Caller { key: key.id.any(), owner, name, key_role: key.spec.role, rights, origin: CallOrigin::default() };
        Ok(Some(CachedCaller { hash: key.hidden, caller: Arc::new(caller) }))
    }

    async fn find<R: Rules>(&self, id: &str) -> Result<Option<StoredRecord<R>>> {
        let entry = self.store.get(&keys::record::<R>(id)).await?;
        entry.map(|entry| self.codec.read_record(&entry)).transpose()
    }

    /// Name and role of an owner; fails if the owner was deleted or is not active.
    pub(super) async fn name_and_role(&self, owner: &OwnerId) -> Result<(String, Role)> {
        match owner {
            OwnerId::User(id) => {
                let user: StoredRecord<User> = self.find(id.as_str()).await?.ok_or_else(unknown)?;
                Ok((user.spec.name, user.spec.role))
            }
            OwnerId::Bot(id) => {
                let bot: StoredRecord<BotUser> = self.find(id.as_str()).await?.ok_or_else(unknown)?;
                if bot.spec.active {
                    return Ok((bot.spec.name, bot.spec.role));
                }
                Err(Error::new(
                    Code::CallerInactive,
                    "The bot user this key belongs to is not active. An administrator can activate it.",
                ))
            }
        }
    }
}

fn owner_key(owner: &OwnerId) -> String {
    match owner {
        OwnerId::User(id) => keys::record::<User>(id.as_str()),
        OwnerId::Bot(id) => keys::record::<BotUser>(id.as_str()),
    }
}

fn unknown() -> Error {
    Error::new(Code::KeyUnknown, "The API key is not known to this server. It may have been deleted.")
}
