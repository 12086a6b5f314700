//! Orders at an ACME directory (RFC 8555). A name is validated by `http-01`, if that fails, by `tls-alpn-01` (RFC 8737), and
//! then by `dns-01`. Wildcards are validated by `dns-01` only.

use super::{
    AcmeError, AcmeSettings, CertificateIssuer, ChallengePresenter, IssuedCertificate, account,
    dns_challenge::{DnsChallenges, PublishedRecord},
    proofs::{Proof, SharedProof},
    requests::{is_problem, with_valid_nonce},
};
use crate::{dns::Resolver, resources::Resources};
use futures::future::BoxFuture;
use instant_acme::{
    Account, AccountBuilder, AuthorizationStatus, ChallengeType, Identifier, NewOrder, Order, OrderStatus, Problem,
    RetryPolicy,
};
use postern_api::{Secret, host::HostName, resource::ManagedKeyType};
use rcgen::{CertificateParams, DistinguishedName, KeyPair, PKCS_ECDSA_P256_SHA256, PKCS_RSA_SHA256};
use std::{sync::Arc, time::Duration};
use tokio::sync::Mutex;

/// Longest duration of one order, without what challenges in DNS take.
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
    dns: Option<DnsChallenges>,
    account: Mutex<Option<Account>>,
}

/// What an authority finds until it is dropped.
#[derive(Default)]
struct Presented {
    responses: Vec<(Box<dyn Send>, Option<SharedProof>)>,
    records: Vec<PublishedRecord>,
}

impl Directory {
    pub(super) fn new(
        settings: AcmeSettings,
        resources: Arc<Resources>,
        presenter: Arc<dyn ChallengePresenter>,
    ) -> Self {
        let resolver = Resolver::new(resources.settings.dns_resolver);
        let dns = settings.dns.clone().map(|dns| DnsChallenges::new(dns, resolver));
        Directory(Arc::new(Inner { settings, resources, presenter, dns, account: Mutex::default() }))
    }
}

impl CertificateIssuer for Directory {
    fn issue(
        &self,
        names: Vec<HostName>,
        key_type: ManagedKeyType,
    ) -> BoxFuture<'static, Result<IssuedCertificate, AcmeError>> {
        let inner = self.0.clone();
        let limit = ORDER_TIMEOUT + inner.dns.as_ref().map(DnsChallenges::time_limit).unwrap_or_default();
        Box::pin(async move {
            tokio::time::timeout(limit, inner.issue(&names, key_type))
                .await
                .unwrap_or_else(|_| Err(AcmeError("the directory did not complete the order in time".to_owned())))
        })
    }
}

impl Inner {
    async fn issue(&self, names: &[HostName], key_type: ManagedKeyType) -> Result<IssuedCertificate, AcmeError> {
        let mut order = self.order_by_any_challenge(names).await?;
        let key = tokio::task::spawn_blocking(move || generate_key(key_type))
            .await
            .map_err(|error| AcmeError(format!("no key could be made: {error}")))?
            .map_err(key_error)?;
        let mut request = CertificateParams::new(texts(names)).map_err(key_error)?;
        request.distinguished_name = DistinguishedName::new();
        let request = request.serialize_request(&key).map_err(key_error)?;
        with_valid_nonce!(order.finalize_csr(request.der()).await).map_err(AcmeError::from_client)?;
        let chain_pem = with_valid_nonce!(order.poll_certificate(&poll_policy()).await);
        let chain_pem = chain_pem.map_err(AcmeError::from_client)?;
        Ok(IssuedCertificate { chain_pem, private_key_pem: Secret::new(key.serialize_pem()) })
    }

    /// Makes orders until one is validated, each with another type of challenge.
    async fn order_by_any_challenge(&self, names: &[HostName]) -> Result<Order, AcmeError> {
        let mut kinds = Vec::new();
        if names.iter().all(|name| name.wildcard_parent().is_none()) {
            kinds
                .extend([(ChallengeType::Http01, "on the HTTP port"), (ChallengeType::TlsAlpn01, "on the HTTPS port")]);
        }
        kinds.extend(self.dns.as_ref().map(|_| (ChallengeType::Dns01, "in DNS")));
        let mut failures = Vec::new();
        for (kind, place) in kinds {
            match self.validated_order(names, kind).await {
                Ok(order) => return Ok(order),
                Err(OrderError::Other(error)) => return Err(error),
                Err(OrderError::ChallengeFailed(AcmeError(why))) => failures.push(format!("{place}: {why}")),
            }
        }
        Err(AcmeError(format!("the authority could not validate the name ({})", failures.join("; "))))
    }

    /// Makes an order and waits until its names are validated.
    async fn validated_order(&self, names: &[HostName], kind: ChallengeType) -> Result<Order, OrderError> {
        let mut order = self.new_order(names).await?;
        // All responses are there before the first is looked at: two names may have their records under one name in DNS.
        let presented = self.present(&mut order, &kind).await?;
        if let Some(dns) = &self.dns {
            dns.until_visible(&presented.records).await.map_err(OrderError::ChallengeFailed)?;
        }
        let mut authorizations = order.authorizations();
        while let Some(authorization) = authorizations.next().await {
            let mut authorization = authorization.map_err(AcmeError::from_client)?;
            if authorization.status != AuthorizationStatus::Valid
                && let Some(mut challenge) = authorization.challenge(kind.clone())
            {
                // The response tells it if the authority has refused the challenge by then.
                with_valid_nonce!(challenge.set_ready().await).map_err(validation_error)?;
            }
        }
        match with_valid_nonce!(order.poll_ready(&poll_policy()).await) {
            Ok(OrderStatus::Ready | OrderStatus::Valid) => Ok(order),
            Ok(_) => Err(OrderError::ChallengeFailed(challenge_error(&mut order).await)),
            Err(error) => Err(validation_error(error)),
        }
    }

    async fn new_order(&self, names: &[HostName]) -> Result<Order, AcmeError> {
        let account = self.account().await?;
        let identifiers: Vec<_> = texts(names).into_iter().map(Identifier::Dns).collect();
        match with_valid_nonce!(account.new_order(&NewOrder::new(&identifiers)).await) {
            Ok(mut order) => {
                let fetched = with_valid_nonce!(fetch_authorizations(&mut order).await);
                fetched.map(|()| order).map_err(AcmeError::from_client)
            }
            Err(error) => {
                if is_problem(&error, "accountDoesNotExist") {
                    *self.account.lock().await = None;
                    account::forget(&self.resources, &self.settings.directory).await?;
                }
                Err(AcmeError::from_client(error))
            }
        }
    }

    /// Presents what an order's authority has to find.
    async fn present(&self, order: &mut Order, kind: &ChallengeType) -> Result<Presented, OrderError> {
        let mut presented = Presented::default();
        let mut authorizations = order.authorizations();
        while let Some(authorization) = authorizations.next().await {
            let mut authorization = authorization.map_err(AcmeError::from_client)?;
            if authorization.status == AuthorizationStatus::Valid {
                continue;
            }
            let Some(challenge) = authorization.challenge(kind.clone()) else {
                return Err(OrderError::ChallengeFailed(AcmeError(
                    "the authority does not offer this challenge".to_owned(),
                )));
            };
            let Identifier::Dns(name) = challenge.identifier().identifier else {
                return Err(AcmeError("the authority wants to validate something that is not a name".to_owned()).into());
            };
            let key_authorization = challenge.key_authorization();
            let proof = match (kind, &self.dns) {
                (ChallengeType::Dns01, Some(dns)) => {
                    let published = dns.publish(name, &key_authorization.dns_value()).await;
                    presented.records.push(published.map_err(OrderError::ChallengeFailed)?);
                    continue;
                }
                (ChallengeType::Http01, _) => Proof::http(&challenge.token, key_authorization.as_str()),
                _ => Proof::tls(name, key_authorization.digest().as_ref()),
            };
            presented.responses.push((self.presenter.present(proof.response()?), proof.share(&self.resources).await?));
        }
        Ok(presented)
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

/// Fetches the authorizations of an order, which keeps them: `Order::authorizations` sends no requests afterwards.
async fn fetch_authorizations(order: &mut Order) -> Result<(), instant_acme::Error> {
    let mut authorizations = order.authorizations();
    while let Some(authorization) = authorizations.next().await {
        authorization?;
    }
    Ok(())
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

/// The authority's reason for a failed challenge.
async fn challenge_error(order: &mut Order) -> AcmeError {
    let mut authorizations = order.authorizations();
    while let Some(Ok(mut authorization)) = authorizations.next().await {
        let refreshed = with_valid_nonce!(authorization.refresh().await.map(drop));
        if refreshed.is_err() {
            break;
        }
        if let Some(problem) = authorization.challenges.iter().find_map(|challenge| challenge.error.as_ref()) {
            return reason(problem);
        }
    }
    AcmeError("the authority gives no reason".to_owned())
}

/// Error of a validation. What the authority itself says means that it has refused the challenge; another one may succeed.
fn validation_error(error: instant_acme::Error) -> OrderError {
    match error {
        instant_acme::Error::Api(problem) => OrderError::ChallengeFailed(reason(&problem)),
        error => AcmeError::from_client(error).into(),
    }
}

fn reason(problem: &Problem) -> AcmeError {
    AcmeError(problem.detail.clone().unwrap_or_else(|| problem.to_string()))
}

fn poll_policy() -> RetryPolicy {
    RetryPolicy::new().initial_delay(Duration::from_millis(250)).backoff(1.5).timeout(POLL_TIMEOUT)
}

fn texts(names: &[HostName]) -> Vec<String> {
    names.iter().map(HostName::to_string).collect()
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_challenge_that_is_refused_at_once_is_no_reason_to_give_up_the_other_ones() {
        let problem = r#"{"type": "urn:ietf:params:acme:error:unauthorized", "detail": "Correct value not found"}"#;
        let problem = serde_json::from_str(problem).expect("a problem");
        let error = validation_error(instant_acme::Error::Api(problem));
        assert!(matches!(error, OrderError::ChallengeFailed(AcmeError(why)) if why == "Correct value not found"));
        let error = validation_error(instant_acme::Error::Str("no connection"));
        assert!(matches!(error, OrderError::Other(_)));
    }
}
