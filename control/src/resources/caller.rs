//! Who calls, and what that allows.

use super::{Kept, Resources, kept};
use crate::resources::rules::Rules;
use postern_api::{
    AnyId, Code, Error, Id, Result,
    resource::{ApiKey, Credential, User},
    token::Token,
};

/// The holder of an API key, authenticated.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Caller {
    /// The key, for the log and for events.
    pub(crate) key: AnyId,
    /// The user the key belongs to.
    pub(crate) owner: Id<User>,
    /// Whether that user is an administrator.
    pub(crate) admin: bool,
}

impl Caller {
    /// Whether the caller may have to do with a kind at all.
    pub(crate) fn may_touch<R: Rules>(&self) -> Result<()> {
        if R::ADMIN_ONLY && !self.admin { Err(admin_needed()) } else { Ok(()) }
    }

    /// Whether the caller may have to do with what belongs to a user, or to nobody.
    pub(crate) fn may_touch_of(&self, owner: Option<&Id<User>>) -> Result<()> {
        match owner {
            Some(owner) if !self.admin && *owner != self.owner => Err(admin_needed()),
            _ => Ok(()),
        }
    }

    /// Who shall own something new: the caller, or somebody else if the caller may say so.
    pub(crate) fn owner_for(&self, named: Option<&str>) -> Result<Id<User>> {
        let Some(named) = named.filter(|named| !named.is_empty()) else { return Ok(self.owner.clone()) };
        let owner = Id::<User>::parse(named)?;
        if owner != self.owner && !self.admin {
            return Err(Error::new(
                Code::AdminNeeded,
                "Only an administrator may name another owner. Leave `owner_id` out to own it yourself.",
            ));
        }
        Ok(owner)
    }
}

fn admin_needed() -> Error {
    Error::new(Code::AdminNeeded, "Only an administrator may do this. Use an administrator's API key.")
}

impl Resources {
    /// Who is it that sends this text as a key?
    pub(crate) async fn authenticate(&self, text: &str) -> Result<Caller> {
        if Id::<ApiKey>::parse(text).is_ok() {
            return Err(Error::new(Code::KeyIsId, "This is the id of an API key. Send the key itself."));
        }
        let token = Token::parse(text).ok_or_else(|| {
            Error::new(Code::KeyShape, "This does not look like an API key. Check that it was copied whole.")
        })?;
        let key: Option<Kept<ApiKey>> = self.find(&format!("ak_{}", token.ksuid())).await?;
        if let Some(key) = key.filter(|key| key.hidden.verifies(&token)) {
            let owner: Option<Kept<User>> = self.find(key.spec.owner_id.as_str()).await?;
            let owner = owner.ok_or_else(unknown)?;
            return Ok(Caller { key: key.id.any(), owner: owner.id, admin: owner.spec.admin });
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

    async fn find<R: Rules>(&self, id: &str) -> Result<Option<Kept<R>>> {
        let entry = self.store.get(&kept::record_key::<R>(id)).await?;
        entry.map(|entry| kept::decode(&entry)).transpose()
    }
}

fn unknown() -> Error {
    Error::new(Code::KeyUnknown, "The API key is not known to this server. It may have been deleted.")
}
