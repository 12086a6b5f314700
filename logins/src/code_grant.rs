//! The authorization code grant of OAuth 2.0 (RFC 6749) with PKCE (RFC 7636), for OpenID Connect and OAuth providers.

use crate::{
    login_response,
    provider_client::{ProviderClient, ProviderError},
};
use base64::{Engine, engine::general_purpose::STANDARD};
use http::{Method, header};
use openidconnect::{PkceCodeChallenge, PkceCodeVerifier};
use postern_api::{Code, Error, Secret};
use serde::Deserialize;
use url::{Url, form_urlencoded};

/// The credentials of a client at a provider.
#[derive(Clone, Debug)]
pub(crate) struct OAuthClient {
    pub(crate) id: String,
    pub(crate) secret: Secret,
}

/// An authorization code that a visitor brought back from the provider.
pub(crate) struct AuthorizationCode<'a> {
    pub(crate) code: &'a str,
    /// The PKCE code verifier of the attempt; empty without PKCE.
    pub(crate) verifier: &'a str,
    /// The URL the provider redirected to.
    pub(crate) redirect_uri: &'a str,
}

/// A successful response of a token endpoint (RFC 6749, section 5.1).
#[derive(Debug, Deserialize)]
pub(crate) struct TokenResponse {
    pub(crate) access_token: Secret,
    #[serde(default)]
    pub(crate) refresh_token: Option<Secret>,
    #[serde(default)]
    pub(crate) id_token: Option<String>,
}

/// An error response of a token endpoint (RFC 6749, section 5.2).
#[derive(Debug, Default, Deserialize)]
struct TokenErrorResponse {
    #[serde(default)]
    error: String,
}

/// The authorization URL without its state parameter. The verifier has 43 to 128 characters (RFC 7636, section 4.1); an
/// empty one omits PKCE.
pub(crate) fn authorization_url(endpoint: &Url, client: &str, redirect_uri: &str, scopes: &str, verifier: &str) -> Url {
    let mut url = endpoint.clone();
    url.query_pairs_mut()
        .append_pair("response_type", "code")
        .append_pair("client_id", client)
        .append_pair("redirect_uri", redirect_uri)
        .append_pair("scope", scopes);
    if !verifier.is_empty() {
        let challenge = PkceCodeChallenge::from_code_verifier_sha256(&PkceCodeVerifier::new(verifier.to_owned()));
        url.query_pairs_mut()
            .append_pair("code_challenge", challenge.as_str())
            .append_pair("code_challenge_method", challenge.method());
    }
    url
}

impl AuthorizationCode<'_> {
    /// Exchanges the code for tokens.
    pub(crate) async fn exchange(
        &self,
        http_client: &ProviderClient,
        endpoint: &str,
        client: &OAuthClient,
        secret_in_body: bool,
    ) -> Result<TokenResponse, Error> {
        let mut form =
            vec![("grant_type", "authorization_code"), ("code", self.code), ("redirect_uri", self.redirect_uri)];
        if !self.verifier.is_empty() {
            form.push(("code_verifier", self.verifier));
        }
        request_tokens(http_client, endpoint, client, secret_in_body, &form).await
    }
}

/// Sends a request to a token endpoint.
pub(crate) async fn request_tokens(
    http_client: &ProviderClient,
    endpoint: &str,
    client: &OAuthClient,
    secret_in_body: bool,
    fields: &[(&str, &str)],
) -> Result<TokenResponse, Error> {
    let request = request(endpoint, client, secret_in_body, fields)
        .map_err(|_| unreachable(&ProviderError("the token endpoint is not a valid URL".to_owned())))?;
    let response = http_client.send(request).await.map_err(|failure| unreachable(&failure))?;
    let refused: TokenErrorResponse = serde_json::from_slice(&response.body).unwrap_or_default();
    // Some providers send errors with status 200.
    if response.status.is_client_error() || !refused.error.is_empty() {
        let reason: String = refused.error.chars().filter(|letter| letter.is_ascii_graphic()).take(60).collect();
        tracing::warn!(endpoint, status = response.status.as_u16(), error = reason, "the provider refused the code");
        let message = match reason.as_str() {
            "invalid_client" => {
                "The provider does not know the client, or the client secret is wrong. Tell the operator."
            }
            _ => "The provider refused the authorization code; it may have been used already. Log in again.",
        };
        return Err(Error::new(Code::CodeRefused, message));
    }
    response.json(endpoint).map_err(|failure| unreachable(&failure))
}

/// A request to a token endpoint.
fn request(
    endpoint: &str,
    client: &OAuthClient,
    secret_in_body: bool,
    fields: &[(&str, &str)],
) -> Result<http::Request<Vec<u8>>, http::Error> {
    let mut form = form_urlencoded::Serializer::new(String::new());
    form.extend_pairs(fields);
    let mut request = http::Request::builder()
        .method(Method::POST)
        .uri(endpoint)
        .header(header::CONTENT_TYPE, "application/x-www-form-urlencoded")
        .header(header::ACCEPT, "application/json");
    if secret_in_body {
        form.append_pair("client_id", &client.id).append_pair("client_secret", client.secret.reveal());
    } else {
        // Both halves are form-encoded (RFC 6749, section 2.3.1), so a colon in the id does no harm.
        let half = |text: &str| form_urlencoded::byte_serialize(text.as_bytes()).collect::<String>();
        let both = format!("{}:{}", half(&client.id), half(client.secret.reveal()));
        let basic = STANDARD.encode(both);
        request = request.header(header::AUTHORIZATION, format!("Basic {basic}"));
    }
    request.body(form.finish().into_bytes())
}

fn unreachable(failure: &ProviderError) -> Error {
    tracing::warn!(error = %failure, "the token endpoint sent no usable response");
    login_response::unreachable()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_authorization_url_contains_the_digest_of_the_verifier() {
        let endpoint = Url::parse("https://id.test/auth?tenant=1").expect("a URL");
        // The example of RFC 7636.
        let verifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk";
        let url = authorization_url(
            &endpoint,
            "app & co",
            "https://login.test/oauth2/redirect_uri",
            "openid email",
            verifier,
        );
        let text = url.as_str();
        assert!(text.starts_with("https://id.test/auth?tenant=1&response_type=code&client_id=app+%26+co&"), "{text}");
        assert!(text.contains("code_challenge=E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM&code_challenge_method=S256"));
        assert!(!text.contains(verifier));
    }
}
