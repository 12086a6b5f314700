//! OpenID Connect: the authorization code flow with PKCE, state and nonce.

mod claims;
mod discovery;
mod id_token;

pub(crate) use claims::VerifiedClaims;

use crate::{
    clock::Clock,
    code_grant::{AuthorizationCode, OAuthClient, TokenResponse, authorization_url},
    crypto::random_token,
    login_attempts::{AttemptStage, VerifiedIdentity},
    login_response,
    provider_client::{ProviderClient, ProviderError},
};
use discovery::{Discovery, IssuerMetadata};
use id_token::{ExpectedClaims, IdTokenError, ProviderClaims, ProviderIdToken};
use openidconnect::{ClientId, IssuerUrl, Nonce};
use postern_api::{Code, Error, module, published::Person};
use serde::Deserialize;
use std::{collections::BTreeMap, sync::Arc};
use url::Url;

/// The issuer of a realm, and the client there.
pub(crate) struct Oidc {
    discovery: Discovery,
    client: OAuthClient,
    scopes: String,
}

/// The response of the userinfo endpoint (OpenID Connect Core, section 5.3).
#[derive(Debug, Default, Deserialize)]
struct OidcUserInfo {
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
        let client = OAuthClient { id: module.client_id.clone(), secret: module.client_secret.clone() };
        Oidc::with_client(&module.issuer, client, module.scopes.join(" "))
    }

    /// The client of an issuer that asks for these scopes.
    pub(crate) fn with_client(issuer: &str, client: OAuthClient, scopes: String) -> Result<Self, Error> {
        let issuer = IssuerUrl::new(issuer.to_owned())
            .map_err(|_| Error::new(Code::IssuerInvalid, "The `issuer` is not a URL."))?;
        Ok(Oidc { discovery: Discovery::new(issuer), client, scopes })
    }

    /// The authorization URL without its state parameter. With `reauthenticate`, the issuer asks for credentials even
    /// if it knows the visitor.
    pub(crate) async fn begin(
        &self,
        http_client: &ProviderClient,
        clock: &Clock,
        redirect_uri: &str,
        reauthenticate: bool,
    ) -> Result<(Url, AttemptStage), Error> {
        let issuer = self.discovery.get(http_client, clock).await.map_err(|failure| self.unreachable(&failure))?;
        let (verifier, nonce) = (random_token(), random_token());
        let mut url = authorization_url(&issuer.authorization, &self.client.id, redirect_uri, &self.scopes, &verifier);
        url.query_pairs_mut().append_pair("nonce", &nonce);
        if reauthenticate {
            url.query_pairs_mut().append_pair("prompt", "login");
        }
        Ok((url, AttemptStage::AuthorizationCode { verifier, nonce }))
    }

    /// Exchanges the code for an ID token and verifies it. `response_issuer` is the `iss` parameter of the
    /// authorization response (RFC 9207).
    pub(crate) async fn finish(
        &self,
        http_client: &ProviderClient,
        clock: &Clock,
        code: AuthorizationCode<'_>,
        nonce: &str,
        response_issuer: Option<&str>,
    ) -> Result<VerifiedIdentity, Error> {
        let (issuer, tokens) = self.exchange(http_client, clock, code, response_issuer).await?;
        let token = id_token::parse(id_token_of(&tokens)?)?;
        let nonce = Nonce::new(nonce.to_owned());
        let claims = self.verify(&token, &issuer, &nonce, http_client, clock).await?;
        let userinfo = self.userinfo(claims, &issuer, http_client, tokens.access_token.reveal()).await?;
        Ok(VerifiedIdentity {
            person: self.person(claims, userinfo),
            tokens: None,
            provider_session: claims.additional_claims().sid.clone().unwrap_or_default(),
        })
    }

    /// Like [`Oidc::finish`], with all claims as the provider sent them. The userinfo response is fetched if the ID token
    /// lacks one of the `needed` claims.
    pub(crate) async fn finish_with_claims(
        &self,
        http_client: &ProviderClient,
        clock: &Clock,
        code: AuthorizationCode<'_>,
        nonce: &str,
        (response_issuer, needed): (Option<&str>, &[&str]),
    ) -> Result<VerifiedClaims, Error> {
        let (issuer, tokens) = self.exchange(http_client, clock, code, response_issuer).await?;
        let text = id_token_of(&tokens)?;
        let token = id_token::parse(text)?;
        let nonce = Nonce::new(nonce.to_owned());
        let verified = self.verify(&token, &issuer, &nonce, http_client, clock).await?;
        let mut claims = VerifiedClaims::of_verified(text)?;
        if !claims.has_all(needed)
            && let Some(url) = issuer.userinfo.as_deref()
        {
            let access = tokens.access_token.reveal();
            let fetched = http_client.get(url, Some(access)).await.map_err(|failure| self.unreachable(&failure))?;
            claims.add_userinfo(fetched, verified.subject().as_str())?;
        }
        Ok(claims)
    }

    /// Exchanges a code for tokens.
    async fn exchange(
        &self,
        http_client: &ProviderClient,
        clock: &Clock,
        code: AuthorizationCode<'_>,
        response_issuer: Option<&str>,
    ) -> Result<(Arc<IssuerMetadata>, TokenResponse), Error> {
        let issuer = self.discovery.get(http_client, clock).await.map_err(|failure| self.unreachable(&failure))?;
        let mixed_up = match response_issuer {
            Some(name) => name != self.discovery.issuer().as_str(),
            None => issuer.sends_issuer,
        };
        if mixed_up {
            let message = "The response comes from a different provider than the one you were sent to. Log in again.";
            return Err(Error::new(Code::LoginMixedUp, message));
        }
        let tokens = code.exchange(http_client, &issuer.token, &self.client, issuer.secret_in_body).await?;
        Ok((issuer, tokens))
    }

    async fn verify<'a>(
        &self,
        token: &'a ProviderIdToken,
        issuer: &IssuerMetadata,
        nonce: &Nonce,
        http_client: &ProviderClient,
        clock: &Clock,
    ) -> Result<&'a ProviderClaims, Error> {
        let client = ClientId::new(self.client.id.clone());
        let now = clock();
        let name = self.discovery.issuer();
        let expected = ExpectedClaims { issuer: name, client: &client, algorithms: &issuer.algorithms, nonce, now };
        let mut verified = id_token::verify(token, issuer.keys(), &expected);
        if let Err(IdTokenError::UnknownKey) = verified {
            // Issuers may rotate their keys at any time.
            verified = match issuer.fetch_newer_keys(http_client, now).await {
                Some(Ok(keys)) => id_token::verify(token, keys, &expected),
                Some(Err(failure)) => return Err(self.unreachable(&failure)),
                None => Err(IdTokenError::UnknownKey),
            };
        }
        verified.map_err(|error| match error {
            IdTokenError::Rejected(error) => error,
            IdTokenError::UnknownKey => id_token::invalid_signature(),
        })
    }

    /// Fetches the userinfo response if the ID token lacks name or address.
    async fn userinfo(
        &self,
        claims: &ProviderClaims,
        issuer: &IssuerMetadata,
        http_client: &ProviderClient,
        access: &str,
    ) -> Result<OidcUserInfo, Error> {
        let complete = claims.email().is_some() && claims.name().is_some();
        let Some(url) = issuer.userinfo.as_deref().filter(|_| !complete) else { return Ok(OidcUserInfo::default()) };
        let userinfo: OidcUserInfo =
            http_client.get(url, Some(access)).await.map_err(|failure| self.unreachable(&failure))?;
        if userinfo.sub != claims.subject().as_str() {
            return Err(claims::foreign_userinfo());
        }
        Ok(userinfo)
    }

    fn person(&self, claims: &ProviderClaims, userinfo: OidcUserInfo) -> Person {
        let first =
            |claimed: Option<&str>, fetched: Option<String>| claimed.map(str::to_owned).or(fetched).unwrap_or_default();
        let verified = claims.email_verified().or(userinfo.email_verified);
        let email = first(claims.email().map(|email| email.as_str()), userinfo.email);
        let name = claims.name().and_then(|names| names.get(None)).map(|name| name.as_str());
        let username = claims.preferred_username().map(|name| name.as_str());
        Person {
            provider: "oidc".to_owned(),
            provider_url: self.discovery.issuer().as_str().to_owned(),
            id: claims.subject().as_str().to_owned(),
            username: first(username, userinfo.preferred_username),
            // Local services must not rely on an address that the issuer calls unverified.
            email: if verified == Some(false) { String::new() } else { email },
            name: first(name, userinfo.name),
            told: BTreeMap::new(),
        }
    }

    fn unreachable(&self, error: &ProviderError) -> Error {
        tracing::warn!(issuer = %self.discovery.issuer().as_str(), %error, "the issuer sent no usable response");
        login_response::unreachable()
    }
}

fn id_token_of(tokens: &TokenResponse) -> Result<&str, Error> {
    tokens.id_token.as_deref().ok_or_else(|| {
        Error::new(
            Code::IdTokenMissing,
            "The provider sent no ID token. Check that the client there may request `openid`.",
        )
    })
}
