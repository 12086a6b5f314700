//! SendGrid: ECDSA on P-256; the secret is the public key.

use super::{Encoding, Head, Message, Reason, USUAL, judged, moment, signature};
use aws_lc_rs::{
    digest,
    signature::{ECDSA_P256_SHA256_ASN1, ParsedPublicKey},
};
use base64::{Engine, prelude::BASE64_STANDARD};
use postern_api::Secret;

const SIGNATURE: &str = "X-Twilio-Email-Event-Webhook-Signature";
const TIMESTAMP: &str = "X-Twilio-Email-Event-Webhook-Timestamp";

/// The key in the secret; `None` if there is none.
pub(in super::super) fn key(secret: &Secret) -> Option<ParsedPublicKey> {
    let der = BASE64_STANDARD.decode(secret.reveal()).ok()?;
    ParsedPublicKey::new(&ECDSA_P256_SHA256_ASN1, &der).ok()
}

pub(in super::super) fn head(key: Option<&ParsedPublicKey>, head: &Head<'_>) -> Result<(), Reason> {
    key.ok_or(Reason::Secret("the secret of the route is not a public key of this provider"))?;
    signature(head, SIGNATURE, Encoding::Base64)?;
    moment::judge(head.one(TIMESTAMP)?, USUAL, head.now)
}

pub(in super::super) fn judge(key: Option<&ParsedPublicKey>, message: &Message<'_>) -> Result<(), Reason> {
    let given = signature(message.head, SIGNATURE, Encoding::Base64)?;
    let mut hash = digest::Context::new(&digest::SHA256);
    hash.update(message.head.one(TIMESTAMP)?.as_bytes());
    hash.update(message.body);
    let hash = hash.finish();
    judged(key.is_some_and(|key| key.verify_digest_sig(&hash, &given).is_ok()))
}
