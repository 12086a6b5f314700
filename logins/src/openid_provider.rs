//! An OpenID provider that people use to sign in to the server itself, not at an edge: the same client, without routes
//! and sessions of visitors.

use crate::{
    clock::Clock,
    code_grant::{AuthorizationCode, OAuthClient},
    crypto::random_token,
    login_attempts::AttemptStage,
    login_response,
    oidc::{Oidc, VerifiedClaims},
    provider_client::ProviderClient,
};
use postern_api::{Code, Error, Secret};
use serde::{Deserialize, Serialize};
use url::Url;

/// Name of the claim that says whether an address is verified.
const EMAIL_VERIFIED: &str = "email_verified";
/// Longest parameter of a response that is read, in bytes.
const MAX_PARAMETER_BYTES: usize = 4096;

/// The client of an OpenID provider.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OpenIdClient {
    /// URL of the issuer.
    pub issuer: String,
    /// Id of the client there.
    pub client_id: String,
    /// Secret of the client.
    pub client_secret: Secret,
    /// Scopes to request, `openid` among them.
    pub scopes: String,
    /// Name of the claim with the person's groups, or a JSON pointer to it.
    pub groups_claim: String,
}

/// An OpenID provider, and the client there.
pub struct OpenIdProvider {
    oidc: Oidc,
    groups_claim: String,
    http_client: ProviderClient,
    clock: Clock,
}

/// What must be kept until the provider redirects back. It is secret.
#[derive(Clone, Serialize, Deserialize)]
pub struct OpenIdAttempt {
    state: String,
    verifier: String,
    nonce: String,
}

/// Query of an authorization response (RFC 6749, sections 4.1.2 and 4.1.2.1).
#[derive(Clone, Debug, Default)]
pub struct OpenIdResponse {
    state: String,
    code: String,
    error: String,
    issuer: Option<String>,
}

/// A person, as the provider describes them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OpenIdPerson {
    /// The e-mail address; empty if there is none.
    pub email: String,
    /// Whether the provider has verified the address.
    pub email_verified: bool,
    /// Name; empty if there is none.
    pub name: String,
    /// Groups that the person is in.
    pub groups: Vec<String>,
}

impl OpenIdProvider {
    /// # Errors
    /// `IssuerInvalid` if the issuer is not a URL.
    pub fn new(client: &OpenIdClient, http_client: ProviderClient, clock: Clock) -> Result<Self, Error> {
        let OpenIdClient { issuer, client_id, client_secret, scopes, groups_claim } = client.clone();
        let oidc = Oidc::with_client(&issuer, OAuthClient { id: client_id, secret: client_secret }, scopes)?;
        Ok(OpenIdProvider { oidc, groups_claim, http_client, clock })
    }

    /// Where a browser is sent, and what must be kept until it comes back.
    ///
    /// # Errors
    /// `IssuerUnreachable` if the provider cannot be reached, or its metadata is not valid.
    pub async fn begin(&self, redirect_uri: &str) -> Result<(Url, OpenIdAttempt), Error> {
        let (mut url, stage) = self.oidc.begin(&self.http_client, &self.clock, redirect_uri, false).await?;
        let AttemptStage::AuthorizationCode { verifier, nonce } = stage else { return Err(Code::Internal.into()) };
        let state = random_token();
        url.query_pairs_mut().append_pair("state", &state);
        Ok((url, OpenIdAttempt { state, verifier, nonce }))
    }

    /// Verifies a response to an attempt, and asks the provider who the person is.
    ///
    /// # Errors
    /// `LoginForeign` if the response belongs to another attempt, and one of the codes of logins if the provider refuses, sends
    /// something that is not valid, or cannot be reached.
    pub async fn finish(
        &self,
        attempt: &OpenIdAttempt,
        response: &OpenIdResponse,
        redirect_uri: &str,
    ) -> Result<OpenIdPerson, Error> {
        if !attempt.is_answered_by(response) {
            return Err(foreign());
        }
        if !response.error.is_empty() {
            return Err(login_response::refused_by_provider(&response.error));
        }
        if response.code.is_empty() {
            return Err(login_response::expired());
        }
        let code = AuthorizationCode { code: &response.code, verifier: &attempt.verifier, redirect_uri };
        let needed = ["email", EMAIL_VERIFIED, "name", self.groups_claim.as_str()];
        let claims = self
            .oidc
            .finish_with_claims(
                &self.http_client,
                &self.clock,
                code,
                &attempt.nonce,
                (response.issuer.as_deref(), &needed),
            )
            .await?;
        Ok(self.person(&claims))
    }

    fn person(&self, claims: &VerifiedClaims) -> OpenIdPerson {
        let (email, email_verified) = claims.email().unwrap_or_default();
        OpenIdPerson {
            email: email.to_owned(),
            email_verified,
            name: claims.text("name").to_owned(),
            groups: claims.list(&self.groups_claim).into_iter().map(str::to_owned).collect(),
        }
    }
}

impl OpenIdAttempt {
    /// The state parameter. It is what makes a response one to this attempt.
    pub fn state(&self) -> &str {
        &self.state
    }

    /// Whether a response has the state of this attempt. Compared in constant time.
    pub fn is_answered_by(&self, response: &OpenIdResponse) -> bool {
        use subtle::ConstantTimeEq;
        self.state.as_bytes().ct_eq(response.state.as_bytes()).into()
    }
}

impl OpenIdResponse {
    /// Reads the query of the redirect back. A parameter that is sent twice, or is too long, makes all of it void.
    pub fn from_query(query: &str) -> Self {
        let mut response = OpenIdResponse::default();
        for (name, value) in url::form_urlencoded::parse(query.as_bytes()) {
            let mut issuer = String::new();
            let member = match &*name {
                "state" => &mut response.state,
                "code" => &mut response.code,
                "error" => &mut response.error,
                "iss" => &mut issuer,
                _ => continue,
            };
            if !member.is_empty() || response.issuer.is_some() && name == "iss" || value.len() > MAX_PARAMETER_BYTES {
                return OpenIdResponse::default();
            }
            *member = value.into_owned();
            if name == "iss" {
                response.issuer = Some(issuer);
            }
        }
        response
    }
}

fn foreign() -> Error {
    let message = "This sign-in was begun in another browser or page, or has been finished already. Begin it again, and let \
                   the browser keep cookies.";
    Error::new(Code::LoginForeign, message)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_response_is_read_only_if_it_is_unambiguous() {
        let read = OpenIdResponse::from_query("state=s&code=c%20d&iss=https%3A%2F%2Fid.test&session_state=x");
        assert_eq!(
            (read.state.as_str(), read.code.as_str(), read.issuer.as_deref()),
            ("s", "c d", Some("https://id.test"))
        );
        let long = format!("state=s&code={}", "x".repeat(MAX_PARAMETER_BYTES + 1));
        for wrong in ["", "state=a&state=b", "state=s&iss=&iss=x", "state=s&code=c&code=d", &long] {
            assert!(OpenIdResponse::from_query(wrong).state.is_empty(), "{wrong}");
        }
    }

    #[test]
    fn a_response_answers_the_attempt_with_its_state_only() {
        let attempt = OpenIdAttempt { state: "one".into(), verifier: "v".into(), nonce: "n".into() };
        assert!(attempt.is_answered_by(&OpenIdResponse::from_query("state=one")));
        for other in ["state=two", "state=", "", "state=on", "state=one&state=one"] {
            assert!(!attempt.is_answered_by(&OpenIdResponse::from_query(other)), "{other}");
        }
    }
}
