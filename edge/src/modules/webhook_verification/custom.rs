//! Providers whose signatures need code of their own.

pub(super) mod contentful;
pub(super) mod graphcms;
pub(super) mod mailgun;
pub(super) mod plivo;
pub(super) mod sendgrid;
pub(super) mod sns;
pub(super) mod twilio;
pub(super) mod vmware;

use super::{
    rejection::Rejection,
    request::{Field, RequestHead, WebhookRequest},
    signature::{decode_signature, secrets_match},
    signature_scheme::{DEFAULT_TOLERANCE, Encoding},
    timestamp,
};
use aws_lc_rs::{constant_time::verify_slices_are_equal, hmac};

/// Decodes the signature that is the whole value of a header.
fn signature(head: &RequestHead<'_>, header: &str, encoding: Encoding) -> Result<Vec<u8>, Rejection> {
    decode_signature(encoding, head.single(header)?).ok_or_else(|| Rejection::MalformedHeader(header.to_owned()))
}

/// Whether the HMAC of the parts equals a signature, in constant time.
fn hmac_matches<'a>(key: &hmac::Key, parts: impl IntoIterator<Item = &'a [u8]>, signature: &[u8]) -> bool {
    let mut context = hmac::Context::with_key(key);
    for part in parts {
        context.update(part);
    }
    verify_slices_are_equal(context.sign().as_ref(), signature).is_ok()
}

fn verified(matches_signature: bool) -> Result<(), Rejection> {
    if matches_signature { Ok(()) } else { Err(Rejection::WrongSignature) }
}
