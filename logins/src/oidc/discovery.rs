//! OpenID Connect Discovery: the metadata of an issuer, cached, and its keys, fetched again when a token names an
//! unknown one.

use crate::{
    clock::Clock,
    provider_client::{ProviderClient, ProviderError, parse_url},
};
use jiff::Timestamp;
use openidconnect::{
    IssuerUrl, JsonWebKeySetUrl,
    core::{CoreClientAuthMethod, CoreJsonWebKeySet, CoreJwsSigningAlgorithm, CoreProviderMetadata},
};
use std::sync::Arc;
use tokio::sync::Mutex;

/// Age in seconds at which the metadata is fetched again.
const MAX_AGE_SECONDS: i64 = 3600;
/// Minimum time in seconds between two fetches of the keys, however many unknown keys tokens name.
const KEYS_INTERVAL_SECONDS: i64 = 30;
/// Time in seconds for which a failure is cached.
const FAILURE_MAX_AGE_SECONDS: i64 = 2;

/// The metadata of an issuer.
#[derive(Debug)]
pub(super) struct IssuerMetadata {
    pub(super) authorization: url::Url,
    pub(super) token: String,
    pub(super) userinfo: Option<String>,
    /// Whether the client secret is sent in the body, because the issuer does not accept it in a header.
    pub(super) secret_in_body: bool,
    /// Whether authorization responses contain the `iss` parameter (RFC 9207).
    pub(super) sends_issuer: bool,
    pub(super) algorithms: Vec<CoreJwsSigningAlgorithm>,
    jwks_uri: JsonWebKeySetUrl,
    keys: std::sync::Mutex<(CoreJsonWebKeySet, Timestamp)>,
    fetched_at: Timestamp,
}

/// The metadata, or the failure of the last fetch and its time.
type CachedMetadata = Result<Arc<IssuerMetadata>, (ProviderError, Timestamp)>;

/// The cached metadata of one issuer.
pub(super) struct Discovery {
    issuer: IssuerUrl,
    cached: Mutex<Option<CachedMetadata>>,
}

/// Metadata members that the library does not know.
#[derive(serde::Deserialize)]
struct ExtraMetadata {
    #[serde(default)]
    authorization_response_iss_parameter_supported: bool,
}

impl Discovery {
    pub(super) fn new(issuer: IssuerUrl) -> Self {
        Discovery { issuer, cached: Mutex::new(None) }
    }

    pub(super) fn issuer(&self) -> &IssuerUrl {
        &self.issuer
    }

    /// The metadata. Concurrent callers share one fetch.
    pub(super) async fn get(
        &self,
        http_client: &ProviderClient,
        clock: &Clock,
    ) -> Result<Arc<IssuerMetadata>, ProviderError> {
        let mut cached = self.cached.lock().await;
        let now = clock();
        let age = |since: Timestamp| now.duration_since(since).as_secs();
        match &*cached {
            Some(Ok(issuer)) if age(issuer.fetched_at) < MAX_AGE_SECONDS => return Ok(issuer.clone()),
            Some(Err((failure, at))) if age(*at) < FAILURE_MAX_AGE_SECONDS => return Err(failure.clone()),
            _ => {}
        }
        let fetched = self.fetch(http_client, now).await.map(Arc::new);
        match (&*cached, fetched) {
            (_, Ok(issuer)) => {
                *cached = Some(Ok(issuer.clone()));
                Ok(issuer)
            }
            // Old metadata is better than none.
            (Some(Ok(former)), Err(failure)) => {
                tracing::warn!(issuer = %self.issuer.as_str(), error = %failure, "the issuer metadata cannot be fetched; the former metadata stays in use");
                Ok(former.clone())
            }
            (_, Err(failure)) => {
                *cached = Some(Err((failure.clone(), now)));
                Err(failure)
            }
        }
    }

    async fn fetch(&self, http_client: &ProviderClient, now: Timestamp) -> Result<IssuerMetadata, ProviderError> {
        let base = self.issuer.as_str().trim_end_matches('/');
        let document: serde_json::Value =
            http_client.get(&format!("{base}/.well-known/openid-configuration"), None).await?;
        let unreadable = |_| ProviderError(format!("the metadata of `{base}` does not have the expected form"));
        let extra: ExtraMetadata = serde_json::from_value(document.clone()).map_err(unreadable)?;
        let metadata: CoreProviderMetadata = serde_json::from_value(document).map_err(unreadable)?;
        if metadata.issuer() != &self.issuer {
            let other: String = metadata.issuer().as_str().chars().take(200).collect();
            return Err(ProviderError(format!("the metadata of `{base}` names the issuer `{other}`")));
        }
        let token = metadata
            .token_endpoint()
            .ok_or_else(|| ProviderError(format!("the metadata of `{base}` names no token endpoint")))?;
        let methods = metadata.token_endpoint_auth_methods_supported();
        let secret_in_body = methods.is_some_and(|methods| {
            !methods.contains(&CoreClientAuthMethod::ClientSecretBasic)
                && methods.contains(&CoreClientAuthMethod::ClientSecretPost)
        });
        // `none` is never acceptable, and a signature with the shared client secret does not prove who signed.
        let algorithms =
            metadata.id_token_signing_alg_values_supported().iter().filter(|algorithm| is_asymmetric(algorithm));
        let jwks_uri = metadata.jwks_uri().clone();
        let userinfo = metadata.userinfo_endpoint().map(|url| url.as_str().to_owned());
        for url in [token.as_str(), jwks_uri.as_str()].into_iter().chain(userinfo.as_deref()) {
            parse_url(url)?;
        }
        let keys = http_client.get(jwks_uri.as_str(), None).await?;
        Ok(IssuerMetadata {
            authorization: parse_url(metadata.authorization_endpoint().as_str())?,
            token: token.as_str().to_owned(),
            userinfo,
            secret_in_body,
            sends_issuer: extra.authorization_response_iss_parameter_supported,
            algorithms: algorithms.cloned().collect(),
            jwks_uri,
            keys: std::sync::Mutex::new((keys, now)),
            fetched_at: now,
        })
    }
}

impl IssuerMetadata {
    pub(super) fn keys(&self) -> CoreJsonWebKeySet {
        self.keys.lock().unwrap_or_else(std::sync::PoisonError::into_inner).0.clone()
    }

    /// Fetches the keys again; `None` if the last fetch was less than the minimum interval ago.
    pub(super) async fn fetch_newer_keys(
        &self,
        http_client: &ProviderClient,
        now: Timestamp,
    ) -> Option<Result<CoreJsonWebKeySet, ProviderError>> {
        {
            let mut cached = self.keys.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
            if now.duration_since(cached.1).as_secs() < KEYS_INTERVAL_SECONDS && now >= cached.1 {
                return None;
            }
            cached.1 = now;
        }
        let fetched: Result<CoreJsonWebKeySet, ProviderError> = http_client.get(self.jwks_uri.as_str(), None).await;
        if let Ok(keys) = &fetched {
            self.keys.lock().unwrap_or_else(std::sync::PoisonError::into_inner).0 = keys.clone();
        }
        Some(fetched)
    }
}

fn is_asymmetric(algorithm: &CoreJwsSigningAlgorithm) -> bool {
    use CoreJwsSigningAlgorithm as Alg;
    !matches!(algorithm, Alg::None | Alg::HmacSha256 | Alg::HmacSha384 | Alg::HmacSha512)
}
