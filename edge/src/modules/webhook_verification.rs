//! Verification of webhook signatures: only requests signed by the provider pass.

mod certificates;
mod challenge;
mod custom;
#[cfg(any(test, fuzzing))]
pub(crate) mod fuzzing;
mod https_fetcher;
mod json;
mod multipart;
mod providers;
mod rejection;
mod request;
mod shared;
mod signature;
mod signature_scheme;
#[cfg(test)]
mod tests;
mod timestamp;

pub use certificates::SigningCertificates;
pub(crate) use https_fetcher::HttpsFetcher;
pub(crate) use shared::Webhooks;

use super::RequestContext;
use crate::{
    refusal::{Fault, Refusal},
    upstream::ResponseBody,
};
use aws_lc_rs::{hmac, signature::ParsedPublicKey};
use challenge::ChallengeOutcome;
use custom::{contentful, graphcms, mailgun, plivo, sendgrid, sns, twilio, vmware};
use http_body::Body;
use hyper::Response;
use postern_api::{Code, Error, Secret, module::WebhookVerification, webhooks::Provider};
use providers::{ProviderEntry, Verification};
use rejection::Rejection;
use request::{RequestHead, WebhookRequest};
use signature::{ReceivedSignature, SchemeVerifier};
use signature_scheme::Challenge;
use std::sync::Arc;
use tokio::time::Instant;

const NAME: &str = "webhook_verification";

/// Verifies the webhooks of one route.
pub(super) struct Verifier {
    provider: Provider,
    secret: Secret,
    challenge: Challenge,
    method: VerificationMethod,
    shared: Arc<Webhooks>,
}

/// The method and keys of verification.
enum VerificationMethod {
    Schemes(Vec<SchemeVerifier>),
    Contentful(hmac::Key),
    GraphCms(hmac::Key),
    Mailgun(hmac::Key, Arc<mailgun::UsedTokens>),
    Plivo(hmac::Key),
    SendGrid(Option<ParsedPublicKey>),
    Sns,
    Twilio(hmac::Key),
    VMware(Option<Secret>),
}

/// Outcome for an accepted request.
pub(super) enum WebhookOutcome {
    /// The request goes on to the backend.
    Forward,
    /// The request was a challenge; this is the response.
    Respond(Box<Response<ResponseBody>>),
}

impl Verifier {
    /// # Errors
    /// If this version does not know the provider, or the secret is missing.
    pub(super) fn of(id: &str, module: &WebhookVerification, shared: &Arc<Webhooks>) -> Result<Self, Error> {
        let unknown = || Error::new(Code::WebhookProviderUnknown, "This version does not know the webhook provider.");
        let provider = Provider::find(&module.provider).ok_or_else(unknown)?;
        let ProviderEntry { verification, challenge } = ProviderEntry::of(provider).ok_or_else(unknown)?;
        let secret = module.secret.clone().unwrap_or_default();
        if provider.has_secret() && secret.is_empty() {
            return Err(Error::from(Code::WebhookSecretMissing));
        }
        let key = |algorithm| hmac::Key::new(algorithm, secret.reveal().as_bytes());
        let method = match verification {
            Verification::Schemes(schemes) => {
                VerificationMethod::Schemes(schemes.iter().map(|scheme| SchemeVerifier::of(scheme, &secret)).collect())
            }
            Verification::Contentful => VerificationMethod::Contentful(key(hmac::HMAC_SHA256)),
            Verification::GraphCms => VerificationMethod::GraphCms(key(hmac::HMAC_SHA256)),
            Verification::Mailgun => VerificationMethod::Mailgun(key(hmac::HMAC_SHA256), shared.used(id)),
            Verification::Plivo => VerificationMethod::Plivo(key(hmac::HMAC_SHA256)),
            Verification::SendGrid => VerificationMethod::SendGrid(sendgrid::key(&secret)),
            Verification::Sns => VerificationMethod::Sns,
            Verification::Twilio => VerificationMethod::Twilio(key(hmac::HMAC_SHA1_FOR_LEGACY_USE_ONLY)),
            Verification::VMware => VerificationMethod::VMware(vmware::credentials(&secret)),
        };
        Ok(Verifier { provider, secret, challenge: *challenge, method, shared: shared.clone() })
    }

    /// Verifies the head, then buffers the body and verifies the whole request. A request that cannot be valid is
    /// refused before its body is read.
    async fn verify_request(&self, context: &mut RequestContext<'_>) -> Result<WebhookOutcome, VerifyError> {
        let head = RequestHead {
            method: &context.parts.method,
            uri: &context.parts.uri,
            headers: &context.parts.headers,
            tls: context.visitor.is_tls(),
            now: self.shared.now(),
        };
        match challenge::unsigned(self.challenge, &self.secret, &head, context.body.is_empty())? {
            Some(ChallengeOutcome::Forward) => return Ok(WebhookOutcome::Forward),
            Some(ChallengeOutcome::Respond(answer)) => return Ok(WebhookOutcome::Respond(answer)),
            None => {}
        }
        let claim = self.claim(&head);
        // Xero's challenge may have a wrong signature and is recognized by its body; no other body needs to be read.
        let is_xero_challenge = self.challenge == Challenge::Xero
            && context.body.size_hint().exact().is_some_and(|length| length <= challenge::MAX_XERO_CHALLENGE_BYTES);
        if !is_xero_challenge {
            claim.as_ref().map_err(Rejection::clone)?;
        }
        let body = context.body.buffer(&self.shared.room).await?;
        let message = WebhookRequest { head: &head, body: &body, limit: self.shared.room.max_body() };
        let verdict = match claim {
            Ok(claim) => self.verify_body(claim.as_ref(), &message).await,
            Err(reason) => Err(reason),
        };
        match challenge::signed(self.challenge, &self.secret, &message, verdict)? {
            Some(ChallengeOutcome::Respond(answer)) => Ok(WebhookOutcome::Respond(answer)),
            Some(ChallengeOutcome::Forward) | None => Ok(WebhookOutcome::Forward),
        }
    }

    /// Verifies the head. For table-driven schemes, returns the values that the body must match.
    fn claim(&self, head: &RequestHead<'_>) -> Result<Option<ReceivedSignature<'_>>, Rejection> {
        match &self.method {
            VerificationMethod::Schemes(checks) => return ReceivedSignature::first(checks, head).map(Some),
            VerificationMethod::Contentful(_) => contentful::head(head)?,
            VerificationMethod::GraphCms(_) => graphcms::head(head)?,
            // The body contains everything.
            VerificationMethod::Mailgun(..) | VerificationMethod::Sns => {}
            VerificationMethod::Plivo(_) => plivo::head(head)?,
            VerificationMethod::SendGrid(key) => sendgrid::head(key.as_ref(), head)?,
            VerificationMethod::Twilio(_) => twilio::head(head)?,
            VerificationMethod::VMware(credentials) => vmware::head(credentials.as_ref(), head)?,
        }
        Ok(None)
    }

    async fn verify_body(
        &self,
        claim: Option<&ReceivedSignature<'_>>,
        message: &WebhookRequest<'_>,
    ) -> Result<(), Rejection> {
        match &self.method {
            VerificationMethod::Schemes(_) => {
                claim.map_or(Err(Rejection::WrongSignature), |claim| claim.verify(message))
            }
            VerificationMethod::Contentful(key) => contentful::verify(key, message),
            VerificationMethod::GraphCms(key) => graphcms::verify(key, message),
            VerificationMethod::Mailgun(key, used) => mailgun::verify(key, used, message),
            VerificationMethod::Plivo(key) => plivo::verify(key, message),
            VerificationMethod::SendGrid(key) => sendgrid::verify(key.as_ref(), message),
            VerificationMethod::Sns => sns::verify(sns::read(message)?, &self.shared.certificates, message).await,
            VerificationMethod::Twilio(key) => twilio::verify(key, message),
            // The head contains everything.
            VerificationMethod::VMware(credentials) => vmware::head(credentials.as_ref(), message.head),
        }
    }
}

/// Reason why a request is refused.
enum VerifyError {
    /// The provider did not send it.
    Rejected(Rejection),
    /// Its body cannot be buffered.
    Body(Refusal),
}

impl From<Rejection> for VerifyError {
    fn from(reason: Rejection) -> Self {
        VerifyError::Rejected(reason)
    }
}

impl From<Refusal> for VerifyError {
    fn from(refusal: Refusal) -> Self {
        VerifyError::Body(refusal)
    }
}

/// Verifies one request.
pub(super) async fn stage(
    verifier: Option<&Verifier>,
    context: &mut RequestContext<'_>,
) -> Result<WebhookOutcome, Refusal> {
    let Some(verifier) = verifier else { return Ok(WebhookOutcome::Forward) };
    let began = Instant::now();
    let outcome = verifier.verify_request(context).await;
    let name = verifier.provider.name();
    context.trace.record(NAME, Some(name.to_owned()), outcome.is_ok(), began);
    outcome.map_err(|refused| match refused {
        VerifyError::Body(refusal) => refusal,
        VerifyError::Rejected(reason) => {
            let message = format!("This is not a webhook of `{name}` for this address: {reason}.");
            Refusal::new(Fault::Route, Error::new(Code::WebhookRefused, message))
        }
    })
}
