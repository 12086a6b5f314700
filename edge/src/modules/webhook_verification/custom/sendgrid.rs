//! SendGrid: ECDSA on P-256; the secret is the public key.

use super::{DEFAULT_TOLERANCE, Encoding, Rejection, RequestHead, WebhookRequest, signature, timestamp, verified};
use aws_lc_rs::{
    digest,
    signature::{ECDSA_P256_SHA256_ASN1, ParsedPublicKey},
};
use base64::{Engine, prelude::BASE64_STANDARD};
use postern_api::Secret;

const SIGNATURE_HEADER: &str = "X-Twilio-Email-Event-Webhook-Signature";
const TIMESTAMP_HEADER: &str = "X-Twilio-Email-Event-Webhook-Timestamp";

/// The public key in the secret; `None` if there is none.
pub(in super::super) fn key(secret: &Secret) -> Option<ParsedPublicKey> {
    let der = BASE64_STANDARD.decode(secret.reveal()).ok()?;
    ParsedPublicKey::new(&ECDSA_P256_SHA256_ASN1, &der).ok()
}

pub(in super::super) fn head(key: Option<&ParsedPublicKey>, head: &RequestHead<'_>) -> Result<(), Rejection> {
    key.ok_or(Rejection::InvalidSecret("the secret of the route is not a public key of this provider"))?;
    signature(head, SIGNATURE_HEADER, Encoding::Base64)?;
    timestamp::check(head.single(TIMESTAMP_HEADER)?, DEFAULT_TOLERANCE, head.now)
}

pub(in super::super) fn verify(key: Option<&ParsedPublicKey>, message: &WebhookRequest<'_>) -> Result<(), Rejection> {
    let given = signature(message.head, SIGNATURE_HEADER, Encoding::Base64)?;
    let mut hash = digest::Context::new(&digest::SHA256);
    hash.update(message.head.single(TIMESTAMP_HEADER)?.as_bytes());
    hash.update(message.body);
    let hash = hash.finish();
    verified(key.is_some_and(|key| key.verify_digest_sig(&hash, &given).is_ok()))
}
