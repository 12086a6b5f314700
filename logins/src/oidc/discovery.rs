//! What an issuer says about itself, kept for a while; its keys are asked for again when a token names another.

use crate::{
    Clock,
    web::{Failure, Web, address},
};
use jiff::Timestamp;
use openidconnect::{
    IssuerUrl, JsonWebKeySetUrl,
    core::{CoreClientAuthMethod, CoreJsonWebKeySet, CoreJwsSigningAlgorithm, CoreProviderMetadata},
};
use std::sync::Arc;
use tokio::sync::Mutex;

/// A description older than this is asked for again.
const FRESH_SECONDS: i64 = 3600;
/// Nobody makes an issuer answer more often than this for a key it does not have.
const KEYS_SECONDS: i64 = 30;
/// After a failure the issuer is left alone for a moment.
const FAILURE_SECONDS: i64 = 2;

/// An issuer as it describes itself.
#[derive(Debug)]
pub(super) struct Issuer {
    pub(super) authorization: url::Url,
    pub(super) token: String,
    pub(super) userinfo: Option<String>,
    /// Whether the client's secret goes into the body: the issuer does not take it as a header.
    pub(super) secret_in_body: bool,
    /// Whether it names itself in what it answers through the browser.
    pub(super) names_itself: bool,
    pub(super) algorithms: Vec<CoreJwsSigningAlgorithm>,
    keys_at: JsonWebKeySetUrl,
    keys: std::sync::Mutex<(CoreJsonWebKeySet, Timestamp)>,
    read_at: Timestamp,
}

/// What asking for the description brought: it, or why not and when.
type Asked = Result<Arc<Issuer>, (Failure, Timestamp)>;

/// Keeps the description of one issuer.
pub(super) struct Discovery {
    issuer: IssuerUrl,
    kept: Mutex<Option<Asked>>,
}

/// Members of the description that the library does not know.
#[derive(serde::Deserialize)]
struct Further {
    #[serde(default)]
    authorization_response_iss_parameter_supported: bool,
}

impl Discovery {
    pub(super) fn new(issuer: IssuerUrl) -> Self {
        Discovery { issuer, kept: Mutex::new(None) }
    }

    pub(super) fn issuer(&self) -> &IssuerUrl {
        &self.issuer
    }

    /// The description. Visitors who come at the same time wait for one answer.
    pub(super) async fn get(&self, web: &Web, clock: &Clock) -> Result<Arc<Issuer>, Failure> {
        let mut kept = self.kept.lock().await;
        let now = clock();
        let age = |since: Timestamp| now.duration_since(since).as_secs();
        match &*kept {
            Some(Ok(issuer)) if age(issuer.read_at) < FRESH_SECONDS => return Ok(issuer.clone()),
            Some(Err((failure, at))) if age(*at) < FAILURE_SECONDS => return Err(failure.clone()),
            _ => {}
        }
        let read = self.read(web, now).await.map(Arc::new);
        match (&*kept, read) {
            (_, Ok(issuer)) => {
                *kept = Some(Ok(issuer.clone()));
                Ok(issuer)
            }
            // An old description is better than none.
            (Some(Ok(former)), Err(failure)) => {
                tracing::warn!(issuer = %self.issuer.as_str(), %failure, "the issuer cannot be asked; what it said before counts on");
                Ok(former.clone())
            }
            (_, Err(failure)) => {
                *kept = Some(Err((failure.clone(), now)));
                Err(failure)
            }
        }
    }

    async fn read(&self, web: &Web, now: Timestamp) -> Result<Issuer, Failure> {
        let base = self.issuer.as_str().trim_end_matches('/');
        let document: serde_json::Value = web.get(&format!("{base}/.well-known/openid-configuration"), None).await?;
        let unreadable = |_| Failure(format!("`{base}` describes itself in another form"));
        let further: Further = serde_json::from_value(document.clone()).map_err(unreadable)?;
        let metadata: CoreProviderMetadata = serde_json::from_value(document).map_err(unreadable)?;
        if metadata.issuer() != &self.issuer {
            let other: String = metadata.issuer().as_str().chars().take(200).collect();
            return Err(Failure(format!("`{base}` calls itself `{other}`")));
        }
        let token = metadata.token_endpoint().ok_or_else(|| Failure(format!("`{base}` names no token endpoint")))?;
        let methods = metadata.token_endpoint_auth_methods_supported();
        let secret_in_body = methods.is_some_and(|methods| {
            !methods.contains(&CoreClientAuthMethod::ClientSecretBasic)
                && methods.contains(&CoreClientAuthMethod::ClientSecretPost)
        });
        // `none` is nothing anybody may choose, and a secret shared with the client says nothing about who signed.
        let algorithms =
            metadata.id_token_signing_alg_values_supported().iter().filter(|algorithm| asymmetric(algorithm));
        let keys_at = metadata.jwks_uri().clone();
        let userinfo = metadata.userinfo_endpoint().map(|url| url.as_str().to_owned());
        for url in [token.as_str(), keys_at.as_str()].into_iter().chain(userinfo.as_deref()) {
            address(url)?;
        }
        let keys = web.get(keys_at.as_str(), None).await?;
        Ok(Issuer {
            authorization: address(metadata.authorization_endpoint().as_str())?,
            token: token.as_str().to_owned(),
            userinfo,
            secret_in_body,
            names_itself: further.authorization_response_iss_parameter_supported,
            algorithms: algorithms.cloned().collect(),
            keys_at,
            keys: std::sync::Mutex::new((keys, now)),
            read_at: now,
        })
    }
}

impl Issuer {
    pub(super) fn keys(&self) -> CoreJsonWebKeySet {
        self.keys.lock().unwrap_or_else(std::sync::PoisonError::into_inner).0.clone()
    }

    /// Asks for the keys again; `None` if that was done a moment ago.
    pub(super) async fn newer_keys(&self, web: &Web, now: Timestamp) -> Option<Result<CoreJsonWebKeySet, Failure>> {
        {
            let mut kept = self.keys.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
            if now.duration_since(kept.1).as_secs() < KEYS_SECONDS && now >= kept.1 {
                return None;
            }
            kept.1 = now;
        }
        let read: Result<CoreJsonWebKeySet, Failure> = web.get(self.keys_at.as_str(), None).await;
        if let Ok(keys) = &read {
            self.keys.lock().unwrap_or_else(std::sync::PoisonError::into_inner).0 = keys.clone();
        }
        Some(read)
    }
}

fn asymmetric(algorithm: &CoreJwsSigningAlgorithm) -> bool {
    use CoreJwsSigningAlgorithm as Alg;
    !matches!(algorithm, Alg::None | Alg::HmacSha256 | Alg::HmacSha384 | Alg::HmacSha512)
}
