//! API keys: shown once, stored as a hash. The last one of an administrator stays.

use super::{Attachment, Call, Draft, Kept, Link, Making, Modules, Resources, Role, Rules};
use postern_api::{
    OwnerId, Result, Secret,
    resource::{ApiKey, ApiKeyCreate, ApiKeyUpdate, TokenOnce},
    token::{Token, TokenHash},
};

impl Rules for ApiKey {
    type Hidden = TokenHash;
    const LASTING: bool = true;

    async fn create(body: ApiKeyCreate, making: &Making<'_, Self>) -> Result<Draft<Self>> {
        let owner_id = making.call.owner_for(body.owner_id.as_deref()).await?;
        let token = Token::generate(making.id.ksuid());
        Ok(Draft { token: Some(token.secret().clone()), ..Draft::new(ApiKey { owner_id }, token.hash()) })
    }

    async fn change(_kept: &mut Kept<Self>, _body: ApiKeyUpdate, _call: &Call<'_>) -> Result<Vec<Attachment>> {
        Ok(Vec::new())
    }

    fn links(kept: &Kept<Self>) -> Vec<Link> {
        vec![Link::to_owner(&kept.spec.owner_id, Role::Belongs)]
    }

    async fn status(_kept: &Kept<Self>, _modules: &Modules, _here: &Resources) -> Result<TokenOnce> {
        Ok(TokenOnce::default())
    }

    fn show_once(status: &mut TokenOnce, token: Secret) {
        status.token = Some(token);
    }

    fn owner(&self) -> Option<&OwnerId> {
        Some(&self.owner_id)
    }

    fn weakens(_former: &Self, after: Option<&Self>) -> bool {
        after.is_none()
    }
}
