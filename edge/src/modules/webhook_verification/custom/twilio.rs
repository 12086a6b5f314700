//! Twilio: the signature covers the public URL with the form fields, or with the hash of any other body in the query.

use super::{Encoding, Field, Rejection, RequestHead, WebhookRequest, hmac_matches, signature, verified};
use aws_lc_rs::{constant_time::verify_slices_are_equal, digest, hmac};

const HEADER: &str = "X-Twilio-Signature";
const HASH: &str = "bodySHA256";

pub(in super::super) fn head(head: &RequestHead<'_>) -> Result<(), Rejection> {
    signature(head, HEADER, Encoding::Base64).map(|_| ())
}

pub(in super::super) fn verify(key: &hmac::Key, message: &WebhookRequest<'_>) -> Result<(), Rejection> {
    let given = signature(message.head, HEADER, Encoding::Base64)?;
    let fields =
        if message.body.is_empty() || message.head.is_form() { signed_fields(message.form()?) } else { Vec::new() };
    let parts: Vec<&[u8]> = fields.iter().flat_map(|(name, value)| [name.as_slice(), value.as_slice()]).collect();
    let addresses = message.head.public_urls()?;
    let matches_signature =
        |address: &String| hmac_matches(key, std::iter::once(address.as_bytes()).chain(parts.iter().copied()), &given);
    verified(addresses.iter().any(matches_signature))?;
    if message.body.is_empty() || message.head.is_form() {
        return Ok(());
    }
    // The signature covers the URL, and the URL contains the hash of the body.
    let said = message
        .head
        .query_value(HASH)
        .ok_or(Rejection::InvalidBody("its URL does not contain the hash of its body"))?;
    let said = super::decode_signature(Encoding::Hex, said).ok_or(Rejection::WrongSignature)?;
    let hash = digest::digest(&digest::SHA256, message.body);
    verified(verify_slices_are_equal(hash.as_ref(), &said).is_ok())
}

/// Sorted by name; a repeated pair of name and value counts once.
fn signed_fields(mut fields: Vec<Field>) -> Vec<Field> {
    fields.sort();
    fields.dedup();
    fields
}
