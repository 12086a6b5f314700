//! API keys: shown once, stored as a hash. An administrator's last key cannot be deleted.

use super::{
    CallContext, CreateContext, LinkRole, Modules, NewLink, NewModule, NewRecord, Resources, Rules, StoredRecord,
    rights::{Rights, Scope},
};
use postern_api::{
    OwnerId, Result, Role, Secret,
    resource::{ApiKey, ApiKeyCreate, ApiKeyUpdate, TokenOnce},
    token::{Token, TokenHash},
};

impl Rules for ApiKey {
    type Hidden = TokenHash;
    const CACHEABLE: bool = true;
    const SEEN_WITH: Scope = Scope::Own;

    async fn create(body: ApiKeyCreate, context: &CreateContext<'_, Self>) -> Result<NewRecord<Self>> {
        let owner_id = context.call.owner_for(body.owner_id.as_deref()).await?;
        let token = Token::generate(context.id.ksuid());
        let caller = context.call.caller;
        let default = if owner_id == caller.owner { caller.key_role } else { Role::Admin };
        let key = ApiKey { owner_id, role: body.role.unwrap_or(default) };
        Ok(NewRecord { token: Some(token.secret().clone()), ..NewRecord::new(key, token.hash()) })
    }

    async fn update(
        stored: &mut StoredRecord<Self>,
        body: ApiKeyUpdate,
        _call: &CallContext<'_>,
    ) -> Result<Vec<NewModule>> {
        stored.spec.role = body.role.unwrap_or(stored.spec.role);
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

    async fn needs_administrator(stored: &StoredRecord<Self>, call: &CallContext<'_>) -> Result<bool> {
        // The owner may be inactive or gone, then the key has no rights.
        let Ok((_, role)) = call.resources.name_and_role(&stored.spec.owner_id).await else { return Ok(false) };
        Ok(!Rights::of_key(role, stored.spec.role).are_within(call.caller.rights))
    }

    fn may_remove_administrator(former: &Self, after: Option<&Self>) -> bool {
        former.role.is_admin() && !after.is_some_and(|after| after.role.is_admin())
    }
}
