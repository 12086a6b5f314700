//! Orders at an ACME directory (RFC 8555). A name is validated by `http-01`, or if that fails, by `tls-alpn-01` (RFC 8737).

use super::{
    AcmeError, AcmeSettings, CertificateIssuer, ChallengePresenter, IssuedCertificate, account, proofs::Proof,
};
use crate::resources::Resources;
use futures::future::BoxFuture;
use instant_acme::{
    Account, AccountBuilder, AuthorizationStatus, ChallengeType, Identifier, NewOrder, Order, OrderStatus, RetryPolicy,
};
use postern_api::{Secret, host::HostName, resource::ManagedKeyType};
use rcgen::{CertificateParams, DistinguishedName, KeyPair, PKCS_ECDSA_P256_SHA256, PKCS_RSA_SHA256};
use std::{sync::Arc, time::Duration};
use tokio::sync::Mutex;

/// Longest duration of one order.
const ORDER_TIMEOUT: Duration = Duration::from_secs(180);
/// Longest wait for the authority to validate a challenge, or to issue.
const POLL_TIMEOUT: Duration = Duration::from_secs(60);

/// A directory, and the account with it.
#[derive(Clone)]
pub(super) struct Directory(Arc<Inner>);

struct Inner {
    settings: AcmeSettings,
    resources: Arc<Resources>,
    presenter: Arc<dyn ChallengePresenter>,
    account: Mutex<Option<Account>>,
}

impl Directory {
    pub(super) fn new(
        settings: AcmeSettings,
        resources: Arc<Resources>,
        presenter: Arc<dyn ChallengePresenter>,
    ) -> Self {
        Directory(Arc::new(Inner { settings, resources, presenter, account: Mutex::default() }))
    }
}

impl CertificateIssuer for Directory {
    fn issue(
        &self,
        name: HostName,
        key_type: ManagedKeyType,
    ) -> BoxFuture<'static, Result<IssuedCertificate, AcmeError>> {
        let inner = self.0.clone();
        Box::pin(async move {
            tokio::time::timeout(ORDER_TIMEOUT, inner.issue(&name, key_type))
                .await
                .unwrap_or_else(|_| Err(AcmeError("the directory did not complete the order in time".to_owned())))
        })
    }
}

impl Inner {
    async fn issue(&self, name: &HostName, key_type: ManagedKeyType) -> Result<IssuedCertificate, AcmeError> {
        let mut order = match self.validated_order(name, ChallengeType::Http01).await {
            Ok(order) => order,
            Err(OrderError::Other(error)) => return Err(error),
            Err(OrderError::ChallengeFailed(first)) => match self.validated_order(name, ChallengeType::TlsAlpn01).await
            {
                Ok(order) => order,
                Err(OrderError::Other(error)) => return Err(error),
                Err(OrderError::ChallengeFailed(second)) => {
                    let both = format!("on the HTTP port: {}; on the HTTPS port: {}", first.0, second.0);
                    return Err(AcmeError(format!("the authority could not validate the name ({both})")));
                }
            },
        };
        let key = tokio::task::spawn_blocking(move || generate_key(key_type))
            .await
            .map_err(|error| AcmeError(format!("no key could be made: {error}")))?
            .map_err(key_error)?;
        let mut request = CertificateParams::new(vec![name.to_string()]).map_err(key_error)?;
        request.distinguished_name = DistinguishedName::new();
        let request = request.serialize_request(&key).map_err(key_error)?;
        order.finalize_csr(request.der()).await.map_err(AcmeError::from_client)?;
        let chain_pem = order.poll_certificate(&poll_policy()).await.map_err(AcmeError::from_client)?;
        Ok(IssuedCertificate { chain_pem, private_key_pem: Secret::new(key.serialize_pem()) })
    }

    /// Makes an order and waits until its name is validated.
    async fn validated_order(&self, name: &HostName, kind: ChallengeType) -> Result<Order, OrderError> {
        let account = self.account().await?;
        let identifiers = [Identifier::Dns(name.to_string())];
        let mut order = match account.new_order(&NewOrder::new(&identifiers)).await {
            Ok(order) => order,
            Err(error) => {
                if is_unknown_account(&error) {
                    *self.account.lock().await = None;
                    account::forget(&self.resources, &self.settings.directory).await?;
                }
                return Err(AcmeError::from_client(error).into());
            }
        };
        let mut presented = Vec::new();
        let mut authorizations = order.authorizations();
        while let Some(authorization) = authorizations.next().await {
            let mut authorization = authorization.map_err(AcmeError::from_client)?;
            if authorization.status == AuthorizationStatus::Valid {
                continue;
            }
            let Some(mut challenge) = authorization.challenge(kind.clone()) else {
                return Err(OrderError::ChallengeFailed(AcmeError(
                    "the authority does not offer this challenge".to_owned(),
                )));
            };
            let authorization_text = challenge.key_authorization();
            let proof = match kind {
                ChallengeType::Http01 => Proof::http(&challenge.token, authorization_text.as_str()),
                _ => Proof::tls(name, authorization_text.digest().as_ref()),
            };
            presented.push((self.presenter.present(proof.response()?), proof.share(&self.resources).await?));
            challenge.set_ready().await.map_err(AcmeError::from_client)?;
        }
        match order.poll_ready(&poll_policy()).await {
            Ok(OrderStatus::Ready | OrderStatus::Valid) => Ok(order),
            Ok(_) => Err(OrderError::ChallengeFailed(challenge_error(&mut order).await)),
            Err(instant_acme::Error::Api(problem)) => Err(OrderError::ChallengeFailed(AcmeError(problem.to_string()))),
            Err(error) => Err(AcmeError::from_client(error).into()),
        }
    }

    async fn account(&self) -> Result<Account, AcmeError> {
        let mut account = self.account.lock().await;
        if let Some(account) = &*account {
            return Ok(account.clone());
        }
        let AcmeSettings { directory, contact, .. } = &self.settings;
        let opened = account::open(&self.resources, directory, contact.as_deref(), || self.builder()).await?;
        Ok(account.insert(opened).clone())
    }

    fn builder(&self) -> Result<AccountBuilder, AcmeError> {
        let builder = match &self.settings.root {
            Some(path) => Account::builder_with_root(path),
            None => Account::builder(),
        };
        builder.map_err(AcmeError::from_client)
    }
}

/// Reason why an order was not validated.
enum OrderError {
    /// The authority could not validate the challenge; another type of challenge may succeed.
    ChallengeFailed(AcmeError),
    /// Any other failure.
    Other(AcmeError),
}

impl From<AcmeError> for OrderError {
    fn from(error: AcmeError) -> Self {
        OrderError::Other(error)
    }
}

impl AcmeError {
    pub(super) fn from_client(error: instant_acme::Error) -> Self {
        // The cause of a network error is only in its sources.
        let mut text = error.to_string();
        let mut cause = std::error::Error::source(&error);
        while let Some(error) = cause {
            let more = error.to_string();
            if !text.contains(&more) {
                text = format!("{text}: {more}");
            }
            cause = error.source();
        }
        AcmeError(text)
    }
}

/// The authority's reason for a failed challenge.
async fn challenge_error(order: &mut Order) -> AcmeError {
    let mut authorizations = order.authorizations();
    while let Some(Ok(mut authorization)) = authorizations.next().await {
        let Ok(state) = authorization.refresh().await else { break };
        if let Some(problem) = state.challenges.iter().find_map(|challenge| challenge.error.as_ref()) {
            return AcmeError(problem.detail.clone().unwrap_or_else(|| problem.to_string()));
        }
    }
    AcmeError("the authority gives no reason".to_owned())
}

fn is_unknown_account(error: &instant_acme::Error) -> bool {
    let instant_acme::Error::Api(problem) = error else { return false };
    problem.r#type.as_deref().is_some_and(|kind| kind.ends_with(":accountDoesNotExist"))
}

fn poll_policy() -> RetryPolicy {
    RetryPolicy::new().initial_delay(Duration::from_millis(250)).backoff(1.5).timeout(POLL_TIMEOUT)
}

fn generate_key(key_type: ManagedKeyType) -> Result<KeyPair, rcgen::Error> {
    KeyPair::generate_for(match key_type {
        ManagedKeyType::Ecdsa => &PKCS_ECDSA_P256_SHA256,
        ManagedKeyType::Rsa => &PKCS_RSA_SHA256,
    })
}

fn key_error(error: rcgen::Error) -> AcmeError {
    AcmeError(format!("a key or certificate could not be made: {error}"))
}
