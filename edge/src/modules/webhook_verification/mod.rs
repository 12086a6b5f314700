//! Lets only those requests in that a provider of webhooks has signed.

mod certificates;
mod challenge;
mod check;
mod fetch;
#[cfg(any(test, fuzzing))]
pub(crate) mod fuzzing;
mod json;
mod message;
mod moment;
mod multipart;
mod own;
mod reason;
mod scheme;
mod shared;
mod table;
#[cfg(test)]
mod tests;

pub use certificates::SigningCertificates;
pub(crate) use fetch::Web;
pub(crate) use shared::Webhooks;

use super::Visit;
use crate::{
    refusal::{Fault, Refusal},
    upstream::ResponseBody,
};
use aws_lc_rs::{hmac, signature::ParsedPublicKey};
use challenge::Asked;
use check::{Check, Claim};
use http_body::Body;
use hyper::Response;
use message::{Head, Message};
use own::{contentful, graphcms, mailgun, plivo, sendgrid, sns, twilio, vmware};
use postern_api::{Code, Error, Secret, module::WebhookVerification, webhooks::Provider};
use reason::Reason;
use scheme::Challenge;
use std::{sync::Arc, time::Instant};
use table::{Row, Scheme};

const NAME: &str = "webhook_verification";

/// Verifies the webhooks of one route.
pub(super) struct Verifier {
    provider: Provider,
    secret: Secret,
    challenge: Challenge,
    means: Means,
    shared: Arc<Webhooks>,
}

/// What requests are verified with.
enum Means {
    Ways(Vec<Check>),
    Contentful(hmac::Key),
    GraphCms(hmac::Key),
    Mailgun(hmac::Key, Arc<mailgun::Used>),
    Plivo(hmac::Key),
    SendGrid(Option<ParsedPublicKey>),
    Sns,
    Twilio(hmac::Key),
    VMware(Option<Secret>),
}

/// Where a request goes that was let in.
pub(super) enum Onward {
    On,
    /// It was a challenge, and this is the answer.
    Answered(Box<Response<ResponseBody>>),
}

impl Verifier {
    /// Fails for a provider or a secret that cannot have been accepted by this version.
    pub(super) fn of(id: &str, module: &WebhookVerification, shared: &Arc<Webhooks>) -> Result<Self, Error> {
        let unknown = || Error::new(Code::WebhookProviderUnknown, "The webhook provider is not known here.");
        let provider = Provider::find(&module.provider).ok_or_else(unknown)?;
        let Row { scheme, challenge } = Row::of(provider).ok_or_else(unknown)?;
        let secret = module.secret.clone().unwrap_or_default();
        if provider.has_secret() && secret.is_empty() {
            return Err(Error::from(Code::WebhookSecretMissing));
        }
        let key = |algorithm| hmac::Key::new(algorithm, secret.reveal().as_bytes());
        let means = match scheme {
            Scheme::Ways(ways) => Means::Ways(ways.iter().map(|way| Check::of(way, &secret)).collect()),
            Scheme::Contentful => Means::Contentful(key(hmac::HMAC_SHA256)),
            Scheme::GraphCms => Means::GraphCms(key(hmac::HMAC_SHA256)),
            Scheme::Mailgun => Means::Mailgun(key(hmac::HMAC_SHA256), shared.used(id)),
            Scheme::Plivo => Means::Plivo(key(hmac::HMAC_SHA256)),
            Scheme::SendGrid => Means::SendGrid(sendgrid::key(&secret)),
            Scheme::Sns => Means::Sns,
            Scheme::Twilio => Means::Twilio(key(hmac::HMAC_SHA1_FOR_LEGACY_USE_ONLY)),
            Scheme::VMware => Means::VMware(vmware::credentials(&secret)),
        };
        Ok(Verifier { provider, secret, challenge: *challenge, means, shared: shared.clone() })
    }

    /// Judges the head, then takes the body in and judges all of it. A request that cannot be right is refused before
    /// its body is read.
    async fn judge(&self, visit: &mut Visit<'_>) -> Result<Onward, Refused> {
        let head = Head {
            method: &visit.parts.method,
            uri: &visit.parts.uri,
            headers: &visit.parts.headers,
            tls: visit.visitor.is_tls(),
            now: self.shared.now(),
        };
        match challenge::unsigned(self.challenge, &self.secret, &head, visit.body.is_empty())? {
            Some(Asked::Passes) => return Ok(Onward::On),
            Some(Asked::Answered(answer)) => return Ok(Onward::Answered(answer)),
            None => {}
        }
        let claim = self.claim(&head);
        // The one challenge that may be signed wrongly is known by its body; no other body is worth the trouble.
        let question = self.challenge == Challenge::Xero
            && visit.body.size_hint().exact().is_some_and(|length| length <= challenge::LONGEST_QUESTION);
        if !question {
            claim.as_ref().map_err(Reason::clone)?;
        }
        let body = visit.body.buffer(&self.shared.room).await?;
        let message = Message { head: &head, body: &body, limit: self.shared.room.max_body() };
        let verdict = match claim {
            Ok(claim) => self.verify(claim.as_ref(), &message).await,
            Err(reason) => Err(reason),
        };
        match challenge::signed(self.challenge, &self.secret, &message, verdict)? {
            Some(Asked::Answered(answer)) => Ok(Onward::Answered(answer)),
            Some(Asked::Passes) | None => Ok(Onward::On),
        }
    }

    /// Reads the head. What is told in data says there what the body must fit.
    fn claim(&self, head: &Head<'_>) -> Result<Option<Claim<'_>>, Reason> {
        match &self.means {
            Means::Ways(checks) => return Claim::first(checks, head).map(Some),
            Means::Contentful(_) => contentful::head(head)?,
            Means::GraphCms(_) => graphcms::head(head)?,
            // All of it stands in the body.
            Means::Mailgun(..) | Means::Sns => {}
            Means::Plivo(_) => plivo::head(head)?,
            Means::SendGrid(key) => sendgrid::head(key.as_ref(), head)?,
            Means::Twilio(_) => twilio::head(head)?,
            Means::VMware(credentials) => vmware::head(credentials.as_ref(), head)?,
        }
        Ok(None)
    }

    async fn verify(&self, claim: Option<&Claim<'_>>, message: &Message<'_>) -> Result<(), Reason> {
        match &self.means {
            Means::Ways(_) => claim.map_or(Err(Reason::Wrong), |claim| claim.judge(message)),
            Means::Contentful(key) => contentful::judge(key, message),
            Means::GraphCms(key) => graphcms::judge(key, message),
            Means::Mailgun(key, used) => mailgun::judge(key, used, message),
            Means::Plivo(key) => plivo::judge(key, message),
            Means::SendGrid(key) => sendgrid::judge(key.as_ref(), message),
            Means::Sns => sns::judge(sns::read(message)?, &self.shared.certificates, message).await,
            Means::Twilio(key) => twilio::judge(key, message),
            // The head says everything.
            Means::VMware(credentials) => vmware::head(credentials.as_ref(), message.head),
        }
    }
}

/// Why a request goes no further.
enum Refused {
    /// It is not the provider's.
    Reason(Reason),
    /// Its body cannot be taken in.
    Body(Refusal),
}

impl From<Reason> for Refused {
    fn from(reason: Reason) -> Self {
        Refused::Reason(reason)
    }
}

impl From<Refusal> for Refused {
    fn from(refusal: Refusal) -> Self {
        Refused::Body(refusal)
    }
}

/// Judges one request.
pub(super) async fn stage(verifier: Option<&Verifier>, visit: &mut Visit<'_>) -> Result<Onward, Refusal> {
    let Some(verifier) = verifier else { return Ok(Onward::On) };
    let began = Instant::now();
    let outcome = verifier.judge(visit).await;
    let name = verifier.provider.name();
    visit.trace.record(NAME, Some(name.to_owned()), outcome.is_ok(), began);
    outcome.map_err(|refused| match refused {
        Refused::Body(refusal) => refusal,
        Refused::Reason(reason) => {
            let message = format!("This is not a webhook of `{name}` for this address: {reason}.");
            Refusal::new(Fault::Route, Error::new(Code::WebhookRefused, message))
        }
    })
}
