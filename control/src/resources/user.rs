//! Users: for administrators only. A user's keys and credentials go with the user.

use super::{Attachment, Caller, Draft, Kept, Modules, Place, Rules};
use postern_api::{
    Code, Error, Id, Result,
    resource::{NAME_LIMIT, Nothing, User, UserCreate, UserUpdate},
};

impl Rules for User {
    type Hidden = Nothing;
    const ADMIN_ONLY: bool = true;

    fn create(body: UserCreate, _id: &Id<Self>, _caller: &Caller) -> Result<Draft<Self>> {
        let user = User { name: body.name, admin: body.admin.unwrap_or(false) };
        Ok(Draft::new(user, Nothing {}))
    }

    fn change(kept: &mut Kept<Self>, body: UserUpdate) -> Result<Vec<Attachment>> {
        if let Some(name) = body.name {
            kept.spec.name = name;
        }
        kept.spec.admin = body.admin.unwrap_or(kept.spec.admin);
        Ok(Vec::new())
    }

    fn check(kept: &Kept<Self>, _former: Option<&Kept<Self>>, _place: Place<'_>) -> Result<()> {
        let name = &kept.spec.name;
        if name.trim().is_empty() || name.len() > NAME_LIMIT || name.contains(char::is_control) {
            return Err(Error::new(
                Code::FieldInvalid,
                format!("A user's name has 1 to {NAME_LIMIT} bytes and no control characters."),
            )
            .with("field", "name"));
        }
        Ok(())
    }

    fn status(_kept: &Kept<Self>, _modules: &Modules, _place: Place<'_>) -> Result<Nothing> {
        Ok(Nothing {})
    }

    fn weakens(former: &Self, after: Option<&Self>) -> bool {
        former.admin && after.is_none_or(|after| !after.admin)
    }
}
