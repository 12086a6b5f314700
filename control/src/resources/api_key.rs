//! API keys: shown once, stored as a hash. An administrator's last key cannot be deleted.

use super::{
    CallContext, CreateContext, LinkRole, Modules, NewLink, NewModule, NewRecord, Resources, Rules, StoredRecord,
};
use postern_api::{
    OwnerId, Result, Secret,
    resource::{ApiKey, ApiKeyCreate, ApiKeyUpdate, TokenOnce},
    token::{Token, TokenHash},
};

impl Rules for ApiKey {
    type Hidden = TokenHash;
    const CACHEABLE: bool = true;

    async fn create(body: ApiKeyCreate, context: &CreateContext<'_, Self>) -> Result<NewRecord<Self>> {
        let owner_id = context.call.owner_for(body.owner_id.as_deref()).await?;
        let token = Token::generate(context.id.ksuid());
        Ok(NewRecord { token: Some(token.secret().clone()), ..NewRecord::new(ApiKey { owner_id }, token.hash()) })
    }

    async fn update(
        _stored: &mut StoredRecord<Self>,
        _body: ApiKeyUpdate,
        _call: &CallContext<'_>,
    ) -> Result<Vec<NewModule>> {
        Ok(Vec::new())
    }

    fn links(stored: &StoredRecord<Self>) -> Vec<NewLink> {
        vec![NewLink::to_owner(&stored.spec.owner_id, LinkRole::Belongs)]
    }

    async fn status(_stored: &StoredRecord<Self>, _modules: &Modules, _ctx: &Resources) -> Result<TokenOnce> {
        Ok(TokenOnce::default())
    }

    fn reveal_token(status: &mut TokenOnce, token: Secret) {
        status.token = Some(token);
    }

    fn owner(&self) -> Option<&OwnerId> {
        Some(&self.owner_id)
    }

    fn may_remove_administrator(_former: &Self, after: Option<&Self>) -> bool {
        after.is_none()
    }
}
