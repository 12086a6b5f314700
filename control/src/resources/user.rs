//! Users: for administrators only. Deleting one deletes the user's keys and credentials.

use super::{CallContext, CreateContext, Modules, NewModule, NewRecord, Resources, Rules, StoredRecord};
use postern_api::{
    Code, Error, Result,
    resource::{NAME_LIMIT, Nothing, User, UserCreate, UserUpdate},
};

impl Rules for User {
    type Hidden = Nothing;
    const CACHEABLE: bool = true;
    const UNKNOWN: Code = Code::OwnerUnknown;
    const ADMIN_ONLY: bool = true;

    async fn create(body: UserCreate, _context: &CreateContext<'_, Self>) -> Result<NewRecord<Self>> {
        let user = User { name: body.name, admin: body.admin.unwrap_or(false) };
        Ok(NewRecord::new(user, Nothing {}))
    }

    async fn update(
        stored: &mut StoredRecord<Self>,
        body: UserUpdate,
        _call: &CallContext<'_>,
    ) -> Result<Vec<NewModule>> {
        if let Some(name) = body.name {
            stored.spec.name = name;
        }
        stored.spec.admin = body.admin.unwrap_or(stored.spec.admin);
        Ok(Vec::new())
    }

    fn check(stored: &StoredRecord<Self>, _former: Option<&StoredRecord<Self>>, _ctx: &Resources) -> Result<()> {
        check_name(&stored.spec.name, Code::FieldInvalid)
    }

    async fn status(_stored: &StoredRecord<Self>, _modules: &Modules, _ctx: &Resources) -> Result<Nothing> {
        Ok(Nothing {})
    }

    fn may_remove_administrator(former: &Self, after: Option<&Self>) -> bool {
        former.admin && after.is_none_or(|after| !after.admin)
    }
}

/// Checks that a name has 1 to [`NAME_LIMIT`] bytes and is printable.
pub(super) fn check_name(name: &str, code: Code) -> Result<()> {
    if name.trim().is_empty() || name.len() > NAME_LIMIT || name.contains(char::is_control) {
        let sentence = format!("A name has 1 to {NAME_LIMIT} bytes and no control characters.");
        return Err(Error::new(code, sentence).with("field", "name"));
    }
    Ok(())
}
