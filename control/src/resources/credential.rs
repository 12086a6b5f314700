//! Tunnel credentials: shown once, stored as a hash, with an ACL.

use super::{Attachment, Call, Draft, Kept, Link, Making, Modules, Resources, Role, Rules};
use postern_api::{
    Code, Error, OwnerId, Result, Secret,
    acl::{Acl, AclRule},
    resource::{Credential, CredentialCreate, CredentialUpdate, TokenOnce},
    token::{Token, TokenHash},
};

/// The most rules an ACL may have.
const RULE_LIMIT: usize = 100;

impl Rules for Credential {
    type Hidden = TokenHash;
    const LASTING: bool = true;

    async fn create(body: CredentialCreate, making: &Making<'_, Self>) -> Result<Draft<Self>> {
        let acl = parse(body.acl.unwrap_or_default())?;
        let owner_id = making.call.owner_for(body.owner_id.as_deref()).await?;
        let token = Token::generate(making.id.ksuid());
        Ok(Draft { token: Some(token.secret().clone()), ..Draft::new(Credential { acl, owner_id }, token.hash()) })
    }

    async fn change(kept: &mut Kept<Self>, body: CredentialUpdate, _call: &Call<'_>) -> Result<Vec<Attachment>> {
        if let Some(acl) = body.acl {
            kept.spec.acl = parse(acl)?;
        }
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
}

fn parse(rules: Vec<String>) -> Result<Acl> {
    if rules.len() > RULE_LIMIT {
        let sentence = format!("The ACL has {} rules; at most {RULE_LIMIT} are allowed.", rules.len());
        return Err(Error::new(Code::AclInvalid, sentence).with("field", "acl"));
    }
    let rules = rules.iter().map(|rule| AclRule::parse(rule)).collect::<Result<_>>();
    rules.map(Acl::new).map_err(|error| error.with("field", "acl"))
}
