//! API keys: shown once, stored as a hash. The last one of an administrator stays.

use super::{Attachment, Caller, Draft, Kept, Link, Modules, Place, Role, Rules};
use postern_api::{
    Id, Result, Secret,
    resource::{ApiKey, ApiKeyCreate, ApiKeyUpdate, TokenOnce, User},
    token::{Token, TokenHash},
};

impl Rules for ApiKey {
    type Hidden = TokenHash;

    fn create(body: ApiKeyCreate, id: &Id<Self>, caller: &Caller) -> Result<Draft<Self>> {
        let owner_id = caller.owner_for(body.owner_id.as_deref())?;
        let token = Token::generate(id.ksuid());
        Ok(Draft { token: Some(token.secret().clone()), ..Draft::new(ApiKey { owner_id }, token.hash()) })
    }

    fn change(_kept: &mut Kept<Self>, _body: ApiKeyUpdate) -> Result<Vec<Attachment>> {
        Ok(Vec::new())
    }

    fn links(kept: &Kept<Self>) -> Vec<Link> {
        vec![Link::to(&kept.spec.owner_id, Role::Belongs)]
    }

    fn status(_kept: &Kept<Self>, _modules: &Modules, _place: Place<'_>) -> Result<TokenOnce> {
        Ok(TokenOnce::default())
    }

    fn show_once(status: &mut TokenOnce, token: Secret) {
        status.token = Some(token);
    }

    fn owner(&self) -> Option<&Id<User>> {
        Some(&self.owner_id)
    }

    fn weakens(_former: &Self, after: Option<&Self>) -> bool {
        after.is_none()
    }
}
