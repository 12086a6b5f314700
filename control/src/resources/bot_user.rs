//! Bot users: for administrators only. A bot's keys and credentials go with the bot.

use super::{Attachment, Call, Claim, Draft, Kept, Making, Modules, Resources, Rules, user};
use postern_api::{
    Code, Error, Result,
    resource::{BotUser, BotUserCreate, BotUserUpdate, Nothing},
};

impl Rules for BotUser {
    type Hidden = Nothing;
    const LASTING: bool = true;
    const ADMIN_ONLY: bool = true;

    async fn create(body: BotUserCreate, _making: &Making<'_, Self>) -> Result<Draft<Self>> {
        let (active, admin) = (body.active.unwrap_or(true), body.admin.unwrap_or(false));
        Ok(Draft::new(BotUser { name: body.name, active, admin }, Nothing {}))
    }

    async fn change(kept: &mut Kept<Self>, body: BotUserUpdate, _call: &Call<'_>) -> Result<Vec<Attachment>> {
        if let Some(name) = body.name {
            kept.spec.name = name;
        }
        kept.spec.active = body.active.unwrap_or(kept.spec.active);
        kept.spec.admin = body.admin.unwrap_or(kept.spec.admin);
        Ok(Vec::new())
    }

    fn check(kept: &Kept<Self>, _former: Option<&Kept<Self>>, _here: &Resources) -> Result<()> {
        user::check_name(&kept.spec.name, Code::BotNameInvalid)
    }

    fn claims(kept: &Kept<Self>) -> Vec<Claim> {
        vec![Claim { scope: "bot_user".to_owned(), value: kept.spec.name.clone() }]
    }

    fn taken(claim: &Claim, holder: &str) -> Error {
        let sentence = format!("There is a bot user named `{}` already: `{holder}`. Take another name.", claim.value);
        Error::new(Code::BotNameTaken, sentence).with("id", holder).with("field", "name")
    }

    async fn status(_kept: &Kept<Self>, _modules: &Modules, _here: &Resources) -> Result<Nothing> {
        Ok(Nothing {})
    }

    fn weakens(former: &Self, after: Option<&Self>) -> bool {
        let rules = |bot: &Self| bot.admin && bot.active;
        rules(former) && !after.is_some_and(rules)
    }
}
