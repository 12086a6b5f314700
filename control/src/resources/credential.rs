//! Tunnel credentials: shown once, stored as a hash, with an ACL.

use super::{
    CallContext, CreateContext, LinkRole, Modules, NewLink, NewModule, NewRecord, Resources, Rules, StoredRecord,
    rights::Scope,
};
use postern_api::{
    Code, Error, Id, OwnerId, Result, Secret,
    acl::{Acl, AclRule},
    resource::{Credential, CredentialCreate, CredentialUpdate, TokenOnce},
    token::{Token, TokenHash},
};

/// Rules of one ACL.
const MAX_RULES: usize = 100;

impl Rules for Credential {
    type Hidden = TokenHash;
    const CACHEABLE: bool = true;
    const SEEN_WITH: Scope = Scope::Own;
    const CHANGED_WITH: Scope = Scope::Own;

    async fn create(body: CredentialCreate, context: &CreateContext<'_, Self>) -> Result<NewRecord<Self>> {
        let acl = parse_acl(body.acl.unwrap_or_default())?;
        let owner_id = context.call.owner_for(body.owner_id.as_deref()).await?;
        let token = Token::generate(context.id.ksuid());
        Ok(NewRecord {
            token: Some(token.secret().clone()),
            ..NewRecord::new(Credential { acl, owner_id }, token.hash())
        })
    }

    async fn update(
        stored: &mut StoredRecord<Self>,
        body: CredentialUpdate,
        _call: &CallContext<'_>,
    ) -> Result<Vec<NewModule>> {
        if let Some(acl) = body.acl {
            stored.spec.acl = parse_acl(acl)?;
        }
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
}

impl Resources {
    /// Owner of a credential; `None` if the credential was deleted, or if the text is no id of one.
    pub(crate) async fn credential_owner(&self, credential: &str) -> Result<Option<OwnerId>> {
        let Ok(id) = Id::<Credential>::parse(credential) else { return Ok(None) };
        Ok(self.load(&id).await?.map(|(stored, _)| stored.spec.owner_id))
    }
}

fn parse_acl(rules: Vec<String>) -> Result<Acl> {
    if rules.len() > MAX_RULES {
        let sentence = format!("The ACL has {} rules; at most {MAX_RULES} are allowed.", rules.len());
        return Err(Error::new(Code::AclInvalid, sentence).with("field", "acl"));
    }
    let rules = rules.iter().map(|rule| AclRule::parse(rule)).collect::<Result<_>>();
    rules.map(Acl::new).map_err(|error| error.with("field", "acl"))
}
