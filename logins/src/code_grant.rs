//! The authorization code grant of OAuth 2 with PKCE, as OpenID Connect and the OAuth providers share it.

use crate::{
    reply,
    web::{Failure, Web},
};
use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use http::{Method, header};
use postern_api::{Code, Error, Secret};
use serde::Deserialize;
use url::{Url, form_urlencoded};

/// An app at a provider.
#[derive(Clone, Debug)]
pub(crate) struct Client {
    pub(crate) id: String,
    pub(crate) secret: Secret,
}

/// What a visitor brought back from the provider.
pub(crate) struct Grant<'a> {
    pub(crate) code: &'a str,
    /// Of the attempt; the provider was shown its digest.
    pub(crate) verifier: &'a str,
    /// The address the visitor was sent back to.
    pub(crate) callback: &'a str,
}

/// What a provider gives for it.
#[derive(Debug, Deserialize)]
pub(crate) struct Granted {
    pub(crate) access_token: Secret,
    #[serde(default)]
    pub(crate) refresh_token: Option<Secret>,
    #[serde(default)]
    pub(crate) id_token: Option<String>,
}

/// A refusal in the words of RFC 6749.
#[derive(Debug, Default, Deserialize)]
struct Refused {
    #[serde(default)]
    error: String,
}

/// Where a visitor is sent, but for the name of the attempt. An empty verifier goes without PKCE.
pub(crate) fn authorization_url(endpoint: &Url, client: &str, callback: &str, scopes: &str, verifier: &str) -> Url {
    let mut url = endpoint.clone();
    url.query_pairs_mut()
        .append_pair("response_type", "code")
        .append_pair("client_id", client)
        .append_pair("redirect_uri", callback)
        .append_pair("scope", scopes);
    if !verifier.is_empty() {
        let challenge = aws_lc_rs::digest::digest(&aws_lc_rs::digest::SHA256, verifier.as_bytes());
        url.query_pairs_mut()
            .append_pair("code_challenge", &URL_SAFE_NO_PAD.encode(challenge))
            .append_pair("code_challenge_method", "S256");
    }
    url
}

impl Grant<'_> {
    /// Gives the code back to the provider for tokens.
    pub(crate) async fn exchange(
        &self,
        web: &Web,
        endpoint: &str,
        client: &Client,
        secret_in_body: bool,
    ) -> Result<Granted, Error> {
        let mut form = vec![("grant_type", "authorization_code"), ("code", self.code), ("redirect_uri", self.callback)];
        if !self.verifier.is_empty() {
            form.push(("code_verifier", self.verifier));
        }
        ask(web, endpoint, client, secret_in_body, &form).await
    }
}

/// Asks a token endpoint.
pub(crate) async fn ask(
    web: &Web,
    endpoint: &str,
    client: &Client,
    secret_in_body: bool,
    fields: &[(&str, &str)],
) -> Result<Granted, Error> {
    let request = request(endpoint, client, secret_in_body, fields)
        .map_err(|_| unreachable(&Failure("the token endpoint is no address".to_owned())))?;
    let answer = web.ask(request).await.map_err(|failure| unreachable(&failure))?;
    let refused: Refused = serde_json::from_slice(&answer.body).unwrap_or_default();
    // Some providers say so with status 200.
    if answer.status.is_client_error() || !refused.error.is_empty() {
        let why: String = refused.error.chars().filter(|letter| letter.is_ascii_graphic()).take(60).collect();
        tracing::warn!(endpoint, status = answer.status.as_u16(), error = why, "the provider does not take the code");
        let sentence = match why.as_str() {
            "invalid_client" => {
                "The provider does not know the app that asks, or its secret is wrong. Tell the operator."
            }
            _ => "The provider does not take the answer you brought back; it may have been used already. Log in again.",
        };
        return Err(Error::new(Code::CodeRefused, sentence));
    }
    answer.json(endpoint).map_err(|failure| unreachable(&failure))
}

/// What a token endpoint is asked.
fn request(
    endpoint: &str,
    client: &Client,
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
        // RFC 6749 wants both halves encoded as in a form, so that a colon in the id does no harm.
        let half = |text: &str| form_urlencoded::byte_serialize(text.as_bytes()).collect::<String>();
        let both = format!("{}:{}", half(&client.id), half(client.secret.reveal()));
        let basic = base64::engine::general_purpose::STANDARD.encode(both);
        request = request.header(header::AUTHORIZATION, format!("Basic {basic}"));
    }
    request.body(form.finish().into_bytes())
}

fn unreachable(failure: &Failure) -> Error {
    tracing::warn!(%failure, "a token endpoint cannot be asked");
    reply::unreachable()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_provider_is_shown_a_digest_of_what_only_we_know() {
        let endpoint = Url::parse("https://id.test/auth?tenant=1").expect("an address");
        // The example of RFC 7636.
        let verifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk";
        let url =
            authorization_url(&endpoint, "app & co", "https://login.test/oauth2/callback", "openid email", verifier);
        let text = url.as_str();
        assert!(text.starts_with("https://id.test/auth?tenant=1&response_type=code&client_id=app+%26+co&"), "{text}");
        assert!(text.contains("code_challenge=E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM&code_challenge_method=S256"));
        assert!(!text.contains(verifier));
    }
}
