//! Who calls, and what that allows.

use super::{Call, Kept, Resources, answers::Known, kept, rules::Rules};
use crate::store::Place;
use postern_api::{
    AnyId, Code, Error, Id, OwnerId, Result,
    resource::{ApiKey, BotUser, Credential, User},
    token::Token,
};
use std::sync::Arc;

/// The holder of an API key, authenticated.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Caller {
    /// The key, for the log and for events.
    pub(crate) key: AnyId,
    /// The user or bot user the key belongs to.
    pub(crate) owner: OwnerId,
    /// Whether that owner is an administrator.
    pub(crate) admin: bool,
}

impl Caller {
    /// Whether the caller may have to do with a kind at all.
    pub(crate) fn may_touch<R: Rules>(&self) -> Result<()> {
        if R::ADMIN_ONLY && !self.admin { Err(admin_needed()) } else { Ok(()) }
    }

    /// Whether the caller may have to do with what belongs to a user, or to nobody.
    pub(crate) fn may_touch_of(&self, owner: Option<&OwnerId>) -> Result<()> {
        match owner {
            Some(owner) if !self.admin && *owner != self.owner => Err(admin_needed()),
            _ => Ok(()),
        }
    }
}

impl Call<'_> {
    /// Who shall own something new: the caller, or somebody else if the caller may say so.
    pub(crate) async fn owner_for(&self, named: Option<&str>) -> Result<OwnerId> {
        let own = &self.caller.owner;
        let Some(named) = named.filter(|named| !named.is_empty()) else { return Ok(own.clone()) };
        let owner = OwnerId::parse(named).map_err(|error| error.with("field", "owner_id"))?;
        if owner != *own && !self.caller.admin {
            return Err(Error::new(
                Code::AdminNeeded,
                "Only an administrator may name another owner. Leave `owner_id` out to own it yourself.",
            ));
        }
        if let OwnerId::Bot(id) = &owner
            && self.here.stored::<BotUser>(id).await?.is_some_and(|(bot, _)| !bot.spec.active)
        {
            let sentence = format!("The bot user `{id}` is not active. Activate it first, or name another owner.");
            return Err(Error::new(Code::OwnerInactive, sentence).with("field", "owner_id"));
        }
        Ok(owner)
    }
}

pub(crate) fn admin_needed() -> Error {
    Error::new(Code::AdminNeeded, "Only an administrator may do this. Use an administrator's API key.")
}

impl Resources {
    /// Who is it that sends this text as a key?
    pub(crate) async fn authenticate(&self, text: &str) -> Result<Arc<Caller>> {
        if Id::<ApiKey>::parse(text).is_ok() {
            return Err(Error::new(Code::KeyIsId, "This is the id of an API key. Send the key itself."));
        }
        let token = Token::parse(text).ok_or_else(|| {
            Error::new(Code::KeyShape, "This does not look like an API key. Check that it was copied whole.")
        })?;
        if let Some(known) = self.known(token.ksuid()).filter(|known| known.hash.verifies(&token)) {
            return Ok(known.caller);
        }
        let id = format!("ak_{}", token.ksuid());
        let key: Option<Kept<ApiKey>> = self.find(&id).await?;
        if let Some(key) = key.filter(|key| key.hidden.verifies(&token)) {
            // Now that both are in memory they are looked at together, and remembered if they hold.
            self.rank(&key.spec.owner_id).await?;
            let places = vec![Place::Key(kept::record_key::<ApiKey>(&id)), Place::Key(owner_key(&key.spec.owner_id))];
            let known = self.know(token.ksuid(), places, self.holder_of(&id)).await?;
            return known.filter(|known| known.hash.verifies(&token)).map(|known| known.caller).ok_or_else(unknown);
        }
        let credential: Option<Kept<Credential>> = self.find(&format!("cr_{}", token.ksuid())).await?;
        if credential.is_some_and(|credential| credential.hidden.verifies(&token)) {
            return Err(Error::new(
                Code::KeyIsAuthtoken,
                "This is an agent's authtoken. The management API needs an API key.",
            ));
        }
        Err(unknown())
    }

    async fn holder_of(&self, key: &str) -> Result<Option<Known>> {
        let Some(key) = self.find::<ApiKey>(key).await? else { return Ok(None) };
        let owner = key.spec.owner_id;
        let admin = self.rank(&owner).await?;
        let caller = Caller { key: key.id.any(), owner, admin };
        Ok(Some(Known { hash: key.hidden, caller: Arc::new(caller) }))
    }

    async fn find<R: Rules>(&self, id: &str) -> Result<Option<Kept<R>>> {
        let entry = self.store.get(&kept::record_key::<R>(id)).await?;
        entry.map(|entry| self.codec.read_record(&entry)).transpose()
    }

    /// Whether an owner is an administrator. One that is gone or inactive is nobody.
    async fn rank(&self, owner: &OwnerId) -> Result<bool> {
        match owner {
            OwnerId::User(id) => {
                let user: Kept<User> = self.find(id.as_str()).await?.ok_or_else(unknown)?;
                Ok(user.spec.admin)
            }
            OwnerId::Bot(id) => {
                let bot: Kept<BotUser> = self.find(id.as_str()).await?.ok_or_else(unknown)?;
                if bot.spec.active {
                    return Ok(bot.spec.admin);
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
        OwnerId::User(id) => kept::record_key::<User>(id.as_str()),
        OwnerId::Bot(id) => kept::record_key::<BotUser>(id.as_str()),
    }
}

fn unknown() -> Error {
    Error::new(Code::KeyUnknown, "The API key is not known to this server. It may have been deleted.")
}
