//! Orders at a directory: a name is proved on the HTTP port, or if the authority cannot see it there, on the HTTPS port.

use super::{AcmeSettings, Failure, Issued, Issuer, Proof, Proofs, account};
use crate::resources::Resources;
use futures::future::BoxFuture;
use instant_acme::{
    Account, AccountBuilder, AuthorizationStatus, ChallengeType, Identifier, NewOrder, Order, OrderStatus, RetryPolicy,
};
use postern_api::{Secret, host::HostName, resource::ManagedKeyType};
use rcgen::{CertificateParams, CustomExtension, DistinguishedName, KeyPair, PKCS_ECDSA_P256_SHA256, PKCS_RSA_SHA256};
use rustls::{
    crypto::aws_lc_rs::sign::any_ecdsa_type,
    pki_types::{PrivateKeyDer, PrivatePkcs8KeyDer},
    sign::CertifiedKey,
};
use std::{sync::Arc, time::Duration};
use tokio::sync::Mutex;

/// The longest that one order may take.
const PATIENCE: Duration = Duration::from_secs(180);
/// The longest that the authority may take to look at a proof, or to issue.
const VERDICT: Duration = Duration::from_secs(60);

/// A directory, and the account there.
#[derive(Clone)]
pub(super) struct Directory(Arc<Inner>);

struct Inner {
    settings: AcmeSettings,
    resources: Arc<Resources>,
    proofs: Arc<dyn Proofs>,
    account: Mutex<Option<Account>>,
}

impl Directory {
    pub(super) fn new(settings: AcmeSettings, resources: Arc<Resources>, proofs: Arc<dyn Proofs>) -> Self {
        Directory(Arc::new(Inner { settings, resources, proofs, account: Mutex::default() }))
    }
}

impl Issuer for Directory {
    fn issue(&self, name: HostName, key_type: ManagedKeyType) -> BoxFuture<'static, Result<Issued, Failure>> {
        let inner = self.0.clone();
        Box::pin(async move {
            tokio::time::timeout(PATIENCE, inner.issue(&name, key_type))
                .await
                .unwrap_or_else(|_| Err(Failure("the directory took too long".to_owned())))
        })
    }
}

impl Inner {
    async fn issue(&self, name: &HostName, key_type: ManagedKeyType) -> Result<Issued, Failure> {
        let mut order = match self.proved(name, ChallengeType::Http01).await {
            Ok(order) => order,
            Err(Unproved::Directory(failure)) => return Err(failure),
            Err(Unproved::Authority(first)) => match self.proved(name, ChallengeType::TlsAlpn01).await {
                Ok(order) => order,
                Err(Unproved::Directory(failure)) => return Err(failure),
                Err(Unproved::Authority(second)) => {
                    let both = format!("on the HTTP port: {}; on the HTTPS port: {}", first.0, second.0);
                    return Err(Failure(format!("the authority could not see the proofs for the name ({both})")));
                }
            },
        };
        let key = tokio::task::spawn_blocking(move || make_key(key_type))
            .await
            .map_err(|error| Failure(format!("no key could be made: {error}")))?
            .map_err(unmade)?;
        let mut request = CertificateParams::new(vec![name.to_string()]).map_err(unmade)?;
        request.distinguished_name = DistinguishedName::new();
        let request = request.serialize_request(&key).map_err(unmade)?;
        order.finalize_csr(request.der()).await.map_err(Failure::of)?;
        let chain_pem = order.poll_certificate(&patience()).await.map_err(Failure::of)?;
        Ok(Issued { chain_pem, private_key_pem: Secret::new(key.serialize_pem()) })
    }

    /// An order that waits for the request of its certificate: the authority has seen the proof.
    async fn proved(&self, name: &HostName, kind: ChallengeType) -> Result<Order, Unproved> {
        let account = self.account().await?;
        let identifiers = [Identifier::Dns(name.to_string())];
        let mut order = match account.new_order(&NewOrder::new(&identifiers)).await {
            Ok(order) => order,
            Err(error) => {
                if unknown_account(&error) {
                    *self.account.lock().await = None;
                    account::forget(&self.resources, &self.settings.directory).await?;
                }
                return Err(Failure::of(error).into());
            }
        };
        let mut shown = Vec::new();
        let mut authorizations = order.authorizations();
        while let Some(authorization) = authorizations.next().await {
            let mut authorization = authorization.map_err(Failure::of)?;
            if authorization.status == AuthorizationStatus::Valid {
                continue;
            }
            let Some(mut challenge) = authorization.challenge(kind.clone()) else {
                return Err(Unproved::Authority(Failure("the authority does not look there".to_owned())));
            };
            let answer = challenge.key_authorization();
            let proof = match kind {
                ChallengeType::Http01 => {
                    Proof::Text { token: challenge.token.clone(), text: answer.as_str().to_owned() }
                }
                _ => {
                    let certificate = proving(name, answer.digest().as_ref()).map_err(unmade)?;
                    Proof::Certificate { name: name.clone(), certificate }
                }
            };
            shown.push(self.proofs.show(proof));
            challenge.set_ready().await.map_err(Failure::of)?;
        }
        match order.poll_ready(&patience()).await {
            Ok(OrderStatus::Ready | OrderStatus::Valid) => Ok(order),
            Ok(_) => Err(Unproved::Authority(reason(&mut order).await)),
            Err(instant_acme::Error::Api(problem)) => Err(Unproved::Authority(Failure(problem.to_string()))),
            Err(error) => Err(Failure::of(error).into()),
        }
    }

    async fn account(&self) -> Result<Account, Failure> {
        let mut account = self.account.lock().await;
        if let Some(account) = &*account {
            return Ok(account.clone());
        }
        let AcmeSettings { directory, contact, .. } = &self.settings;
        let opened = account::open(&self.resources, directory, contact.as_deref(), || self.builder()).await?;
        Ok(account.insert(opened).clone())
    }

    fn builder(&self) -> Result<AccountBuilder, Failure> {
        let builder = match &self.settings.root {
            Some(path) => Account::builder_with_root(path),
            None => Account::builder(),
        };
        builder.map_err(Failure::of)
    }
}

/// Why an order did not come so far as to be proved.
enum Unproved {
    /// The authority could not see the proof: it may see another one.
    Authority(Failure),
    /// Anything else.
    Directory(Failure),
}

impl From<Failure> for Unproved {
    fn from(failure: Failure) -> Self {
        Unproved::Directory(failure)
    }
}

impl Failure {
    pub(super) fn of(error: instant_acme::Error) -> Self {
        // What went wrong on the way stands in the causes.
        let mut text = error.to_string();
        let mut cause = std::error::Error::source(&error);
        while let Some(error) = cause {
            let more = error.to_string();
            if !text.contains(&more) {
                text = format!("{text}: {more}");
            }
            cause = error.source();
        }
        Failure(text)
    }
}

/// What the authority says of a proof that it could not see.
async fn reason(order: &mut Order) -> Failure {
    let mut authorizations = order.authorizations();
    while let Some(Ok(mut authorization)) = authorizations.next().await {
        let Ok(state) = authorization.refresh().await else { break };
        if let Some(problem) = state.challenges.iter().find_map(|challenge| challenge.error.as_ref()) {
            return Failure(problem.detail.clone().unwrap_or_else(|| problem.to_string()));
        }
    }
    Failure("the authority gives no reason".to_owned())
}

fn unknown_account(error: &instant_acme::Error) -> bool {
    let instant_acme::Error::Api(problem) = error else { return false };
    problem.r#type.as_deref().is_some_and(|kind| kind.ends_with(":accountDoesNotExist"))
}

fn patience() -> RetryPolicy {
    RetryPolicy::new().initial_delay(Duration::from_millis(250)).backoff(1.5).timeout(VERDICT)
}

fn make_key(key_type: ManagedKeyType) -> Result<KeyPair, rcgen::Error> {
    KeyPair::generate_for(match key_type {
        ManagedKeyType::Ecdsa => &PKCS_ECDSA_P256_SHA256,
        ManagedKeyType::Rsa => &PKCS_RSA_SHA256,
    })
}

/// The certificate that proves a name on the HTTPS port: the digest stands in it.
fn proving(name: &HostName, digest: &[u8]) -> Result<Arc<CertifiedKey>, rcgen::Error> {
    let key = KeyPair::generate_for(&PKCS_ECDSA_P256_SHA256)?;
    let mut params = CertificateParams::new(vec![name.to_string()])?;
    params.custom_extensions = vec![CustomExtension::new_acme_identifier(digest)];
    let certificate = params.self_signed(&key)?;
    let private = PrivateKeyDer::Pkcs8(PrivatePkcs8KeyDer::from(key.serialize_der()));
    let signing = any_ecdsa_type(&private).map_err(|_| rcgen::Error::CouldNotParseKeyPair)?;
    Ok(Arc::new(CertifiedKey::new(vec![certificate.der().clone()], signing)))
}

fn unmade(error: rcgen::Error) -> Failure {
    Failure(format!("a key or certificate could not be made: {error}"))
}
