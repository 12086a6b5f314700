//! Users: for administrators only. Deleting one deletes the user's keys and credentials.

use super::{
    CallContext, Claim, CreateContext, Modules, NewModule, NewRecord, Resources, Rules, StoredRecord, rights::Scope,
};
use postern_api::{
    Code, Error, Result, Role,
    host::HostName,
    resource::{NAME_LIMIT, Nothing, User, UserCreate, UserUpdate},
};

/// Longest e-mail address in bytes (RFC 5321, section 4.5.3.1.3).
const EMAIL_LIMIT: usize = 254;

impl Rules for User {
    type Hidden = Nothing;
    const CACHEABLE: bool = true;
    const UNKNOWN: Code = Code::OwnerUnknown;
    const SEEN_WITH: Scope = Scope::Everything;
    const CHANGED_WITH: Scope = Scope::Everything;

    async fn create(body: UserCreate, _context: &CreateContext<'_, Self>) -> Result<NewRecord<Self>> {
        let role = chosen_role(body.role, body.admin)?.unwrap_or(Role::Editor);
        let email = body.email.unwrap_or_default();
        let user = User { name: body.name, admin: role.is_admin(), role, email };
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
        if let Some(email) = body.email {
            stored.spec.email = email;
        }
        match chosen_role(body.role, body.admin)? {
            // `admin: false` takes an administrator's rights, and leaves other roles as they are.
            Some(Role::Editor) if body.role.is_none() && !stored.spec.role.is_admin() => {}
            Some(role) => (stored.spec.role, stored.spec.admin) = (role, role.is_admin()),
            None => {}
        }
        Ok(Vec::new())
    }

    fn check(stored: &StoredRecord<Self>, _former: Option<&StoredRecord<Self>>, _ctx: &Resources) -> Result<()> {
        check_name(&stored.spec.name, Code::FieldInvalid)?;
        check_email(&stored.spec.email)
    }

    fn claims(stored: &StoredRecord<Self>) -> Vec<Claim> {
        email_claim(&stored.spec.email).into_iter().collect()
    }

    fn claim_taken(claim: &Claim, holder: &str) -> Error {
        let sentence = format!("The e-mail address `{}` belongs to another user: `{holder}`.", claim.value);
        Error::new(Code::UserEmailTaken, sentence).with("id", holder).with("field", "email")
    }

    async fn status(_stored: &StoredRecord<Self>, _modules: &Modules, _ctx: &Resources) -> Result<Nothing> {
        Ok(Nothing {})
    }

    fn may_remove_administrator(former: &Self, after: Option<&Self>) -> bool {
        former.admin && after.is_none_or(|after| !after.admin)
    }
}

/// The claim of the user with an address. Letter case makes no difference.
pub(crate) fn email_claim(email: &str) -> Option<Claim> {
    (!email.is_empty()).then(|| Claim { scope: "user_email".to_owned(), value: email.to_ascii_lowercase() })
}

/// Checks an address that is not empty.
pub(crate) fn check_email(email: &str) -> Result<()> {
    let plain = |byte: u8| byte.is_ascii_graphic() && !br#",;:<>()[]"\/"#.contains(&byte);
    let shaped = email.rsplit_once('@').is_some_and(|(local, domain)| {
        !local.is_empty()
            && !local.contains('@')
            && HostName::parse(domain).is_ok_and(|name| name.wildcard_parent().is_none())
    });
    if email.is_empty() || shaped && email.len() <= EMAIL_LIMIT && email.bytes().all(plain) {
        return Ok(());
    }
    let sentence = "This is not an e-mail address. Write it as ada@example.com, without a name.";
    Err(Error::new(Code::EmailInvalid, sentence).with("field", "email"))
}

/// Role that a body names by `role`, by `admin`, or by both.
pub(super) fn chosen_role(role: Option<Role>, admin: Option<bool>) -> Result<Option<Role>> {
    if let (Some(role), Some(admin)) = (role, admin)
        && role.is_admin() != admin
    {
        let sentence = format!("`admin: {admin}` contradicts the role `{role}`. Leave `admin` out.");
        return Err(Error::new(Code::FieldInvalid, sentence).with("field", "admin"));
    }
    Ok(role.or(admin.map(|admin| Role::from_members(None, admin))))
}

/// Checks that a name has 1 to [`NAME_LIMIT`] bytes and is printable.
pub(super) fn check_name(name: &str, code: Code) -> Result<()> {
    if name.trim().is_empty() || name.len() > NAME_LIMIT || name.contains(char::is_control) {
        let sentence = format!("A name has 1 to {NAME_LIMIT} bytes and no control characters.");
        return Err(Error::new(code, sentence).with("field", "name"));
    }
    Ok(())
}
