//! Users: for administrators only. A user's keys and credentials go with the user.

use super::{Attachment, Call, Draft, Kept, Making, Modules, Resources, Rules};
use postern_api::{
    Code, Error, Result,
    resource::{NAME_LIMIT, Nothing, User, UserCreate, UserUpdate},
};

impl Rules for User {
    type Hidden = Nothing;
    const LASTING: bool = true;
    const ADMIN_ONLY: bool = true;

    async fn create(body: UserCreate, _making: &Making<'_, Self>) -> Result<Draft<Self>> {
        let user = User { name: body.name, admin: body.admin.unwrap_or(false) };
        Ok(Draft::new(user, Nothing {}))
    }

    async fn change(kept: &mut Kept<Self>, body: UserUpdate, _call: &Call<'_>) -> Result<Vec<Attachment>> {
        if let Some(name) = body.name {
            kept.spec.name = name;
        }
        kept.spec.admin = body.admin.unwrap_or(kept.spec.admin);
        Ok(Vec::new())
    }

    fn check(kept: &Kept<Self>, _former: Option<&Kept<Self>>, _here: &Resources) -> Result<()> {
        check_name(&kept.spec.name, Code::FieldInvalid)
    }

    async fn status(_kept: &Kept<Self>, _modules: &Modules, _here: &Resources) -> Result<Nothing> {
        Ok(Nothing {})
    }

    fn weakens(former: &Self, after: Option<&Self>) -> bool {
        former.admin && after.is_none_or(|after| !after.admin)
    }
}

/// A name is 1 to [`NAME_LIMIT`] bytes that people can read.
pub(super) fn check_name(name: &str, code: Code) -> Result<()> {
    if name.trim().is_empty() || name.len() > NAME_LIMIT || name.contains(char::is_control) {
        let sentence = format!("A name has 1 to {NAME_LIMIT} bytes and no control characters.");
        return Err(Error::new(code, sentence).with("field", "name"));
    }
    Ok(())
}
