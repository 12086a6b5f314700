//! Bot users: for administrators only. Deleting one deletes its keys and credentials.

use super::{
    CallContext, Claim, CreateContext, Modules, NewModule, NewRecord, Resources, Rules, StoredRecord, rights::Scope,
    user,
};
use postern_api::{
    Code, Error, Result, Role,
    resource::{BotUser, BotUserCreate, BotUserUpdate, Nothing},
};

impl Rules for BotUser {
    type Hidden = Nothing;
    const CACHEABLE: bool = true;
    const UNKNOWN: Code = Code::OwnerUnknown;
    const SEEN_WITH: Scope = Scope::Everything;
    const CHANGED_WITH: Scope = Scope::Everything;

    async fn create(body: BotUserCreate, _context: &CreateContext<'_, Self>) -> Result<NewRecord<Self>> {
        let role = user::chosen_role(body.role, body.admin)?.unwrap_or(Role::Editor);
        let active = body.active.unwrap_or(true);
        Ok(NewRecord::new(BotUser { name: body.name, active, admin: role.is_admin(), role }, Nothing {}))
    }

    async fn update(
        stored: &mut StoredRecord<Self>,
        body: BotUserUpdate,
        _call: &CallContext<'_>,
    ) -> Result<Vec<NewModule>> {
        if let Some(name) = body.name {
            stored.spec.name = name;
        }
        stored.spec.active = body.active.unwrap_or(stored.spec.active);
        match user::chosen_role(body.role, body.admin)? {
            // `admin: false` takes an administrator's rights, and leaves other roles as they are.
            Some(Role::Editor) if body.role.is_none() && !stored.spec.role.is_admin() => {}
            Some(role) => (stored.spec.role, stored.spec.admin) = (role, role.is_admin()),
            None => {}
        }
        Ok(Vec::new())
    }

    fn check(stored: &StoredRecord<Self>, _former: Option<&StoredRecord<Self>>, _ctx: &Resources) -> Result<()> {
        user::check_name(&stored.spec.name, Code::BotNameInvalid)
    }

    fn claims(stored: &StoredRecord<Self>) -> Vec<Claim> {
        vec![Claim { scope: "bot_user".to_owned(), value: stored.spec.name.clone() }]
    }

    fn claim_taken(claim: &Claim, holder: &str) -> Error {
        let sentence = format!("There is a bot user named `{}` already: `{holder}`. Take another name.", claim.value);
        Error::new(Code::BotNameTaken, sentence).with("id", holder).with("field", "name")
    }

    async fn status(_stored: &StoredRecord<Self>, _modules: &Modules, _ctx: &Resources) -> Result<Nothing> {
        Ok(Nothing {})
    }

    fn may_remove_administrator(former: &Self, after: Option<&Self>) -> bool {
        let rules = |bot: &Self| bot.admin && bot.active;
        rules(former) && !after.is_some_and(rules)
    }
}
