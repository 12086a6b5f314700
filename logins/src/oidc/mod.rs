//! OpenID Connect: the code flow with PKCE, state and nonce.

mod discovery;
mod id_token;

use crate::{
    Clock,
    attempts::{Known, Stage, token},
    code_grant::{Client, Grant, authorization_url},
    reply,
    web::{Failure, Web},
};
use discovery::{Discovery, Issuer};
use id_token::{Claims, Expected, Token, Wrong};
use openidconnect::{ClientId, IssuerUrl, Nonce};
use postern_api::{Code, Error, module, published::Person};
use serde::Deserialize;
use std::collections::BTreeMap;
use url::Url;

/// An issuer, and the app that is known to it.
pub(crate) struct Oidc {
    discovery: Discovery,
    client: Client,
    scopes: String,
}

/// What the userinfo endpoint says.
#[derive(Debug, Default, Deserialize)]
struct Userinfo {
    sub: String,
    #[serde(default)]
    email: Option<String>,
    #[serde(default)]
    email_verified: Option<bool>,
    #[serde(default)]
    name: Option<String>,
    #[serde(default)]
    preferred_username: Option<String>,
}

impl Oidc {
    pub(crate) fn new(module: &module::Oidc) -> Result<Self, Error> {
        let issuer = IssuerUrl::new(module.issuer.clone())
            .map_err(|_| Error::new(Code::IssuerInvalid, "The `issuer` of the OIDC module is not an address."))?;
        Ok(Oidc {
            discovery: Discovery::new(issuer),
            client: Client { id: module.client_id.clone(), secret: module.client_secret.clone() },
            scopes: module.scopes.join(" "),
        })
    }

    /// Where a visitor logs in, but for the name of the attempt. `again`: even if the issuer knows them.
    pub(crate) async fn begin(
        &self,
        web: &Web,
        clock: &Clock,
        callback: &str,
        again: bool,
    ) -> Result<(Url, Stage), Error> {
        let issuer = self.discovery.get(web, clock).await.map_err(|failure| self.unreachable(&failure))?;
        let (verifier, nonce) = (token(), token());
        let mut url = authorization_url(&issuer.authorization, &self.client.id, callback, &self.scopes, &verifier);
        url.query_pairs_mut().append_pair("nonce", &nonce);
        if again {
            url.query_pairs_mut().append_pair("prompt", "login");
        }
        Ok((url, Stage::Code { verifier, nonce }))
    }

    /// Makes a person of the code that the issuer gave the visitor. `named` is how the issuer called itself beside it.
    pub(crate) async fn finish(
        &self,
        web: &Web,
        clock: &Clock,
        grant: Grant<'_>,
        nonce: &str,
        named: Option<&str>,
    ) -> Result<Known, Error> {
        let issuer = self.discovery.get(web, clock).await.map_err(|failure| self.unreachable(&failure))?;
        let mixed_up = match named {
            Some(named) => named != self.discovery.issuer().as_str(),
            None => issuer.names_itself,
        };
        if mixed_up {
            let sentence = "The answer comes from another provider than the one that was asked. Log in again.";
            return Err(Error::new(Code::LoginMixedUp, sentence));
        }
        let tokens = grant.exchange(web, &issuer.token, &self.client, issuer.secret_in_body).await?;
        let text = tokens.id_token.as_deref().ok_or_else(|| {
            Error::new(Code::IdTokenMissing, "The provider sent no ID token. Does the client ask for `openid` there?")
        })?;
        let token = id_token::read(text)?;
        let nonce = Nonce::new(nonce.to_owned());
        let claims = self.judged(&token, &issuer, &nonce, web, clock).await?;
        let userinfo = self.userinfo(claims, &issuer, web, tokens.access_token.reveal()).await?;
        Ok(Known {
            person: self.person(claims, userinfo),
            tokens: None,
            provider_session: claims.additional_claims().sid.clone().unwrap_or_default(),
        })
    }

    async fn judged<'a>(
        &self,
        token: &'a Token,
        issuer: &Issuer,
        nonce: &Nonce,
        web: &Web,
        clock: &Clock,
    ) -> Result<&'a Claims, Error> {
        let client = ClientId::new(self.client.id.clone());
        let now = clock();
        let name = self.discovery.issuer();
        let expected = Expected { issuer: name, client: &client, algorithms: &issuer.algorithms, nonce, now };
        let mut judgement = id_token::judge(token, issuer.keys(), &expected);
        if let Err(Wrong::Key) = judgement {
            // Issuers change their keys at any time.
            judgement = match issuer.newer_keys(web, now).await {
                Some(Ok(keys)) => id_token::judge(token, keys, &expected),
                Some(Err(failure)) => return Err(self.unreachable(&failure)),
                None => Err(Wrong::Key),
            };
        }
        judgement.map_err(|wrong| match wrong {
            Wrong::Refused(error) => error,
            Wrong::Key => id_token::signature(),
        })
    }

    /// Asks who it is where the ID token does not say.
    async fn userinfo(&self, claims: &Claims, issuer: &Issuer, web: &Web, access: &str) -> Result<Userinfo, Error> {
        let whole = claims.email().is_some() && claims.name().is_some();
        let Some(url) = issuer.userinfo.as_deref().filter(|_| !whole) else { return Ok(Userinfo::default()) };
        let userinfo: Userinfo = web.get(url, Some(access)).await.map_err(|failure| self.unreachable(&failure))?;
        if userinfo.sub != claims.subject().as_str() {
            let sentence = "The provider described somebody else than the one who logged in. Log in again.";
            return Err(Error::new(Code::UserinfoForeign, sentence));
        }
        Ok(userinfo)
    }

    fn person(&self, claims: &Claims, userinfo: Userinfo) -> Person {
        let first = |own: Option<&str>, asked: Option<String>| own.map(str::to_owned).or(asked).unwrap_or_default();
        let verified = claims.email_verified().or(userinfo.email_verified);
        let email = first(claims.email().map(|email| email.as_str()), userinfo.email);
        let name = claims.name().and_then(|names| names.get(None)).map(|name| name.as_str());
        let username = claims.preferred_username().map(|name| name.as_str());
        Person {
            provider: "oidc".to_owned(),
            provider_url: self.discovery.issuer().as_str().to_owned(),
            id: claims.subject().as_str().to_owned(),
            username: first(username, userinfo.preferred_username),
            // An address that the issuer says it has not verified is nothing to rely on.
            email: if verified == Some(false) { String::new() } else { email },
            name: first(name, userinfo.name),
            told: BTreeMap::new(),
        }
    }

    fn unreachable(&self, failure: &Failure) -> Error {
        tracing::warn!(issuer = %self.discovery.issuer().as_str(), %failure, "the issuer cannot be asked");
        reply::unreachable()
    }
}
