//! Twilio: the public address with the fields of the form, or with the hash of any other body in its query.

use super::{Encoding, Field, Head, Message, Reason, judged, signature, signs};
use aws_lc_rs::{constant_time::verify_slices_are_equal, digest, hmac};

const HEADER: &str = "X-Twilio-Signature";
const HASH: &str = "bodySHA256";

pub(in super::super) fn head(head: &Head<'_>) -> Result<(), Reason> {
    signature(head, HEADER, Encoding::Base64).map(|_| ())
}

pub(in super::super) fn judge(key: &hmac::Key, message: &Message<'_>) -> Result<(), Reason> {
    let given = signature(message.head, HEADER, Encoding::Base64)?;
    let fields = if message.body.is_empty() || message.head.is_form() { covered(message.form()?) } else { Vec::new() };
    let parts: Vec<&[u8]> = fields.iter().flat_map(|(name, value)| [name.as_slice(), value.as_slice()]).collect();
    let addresses = message.head.addresses()?;
    let fits = |address: &String| signs(key, std::iter::once(address.as_bytes()).chain(parts.iter().copied()), &given);
    judged(addresses.iter().any(fits))?;
    if message.body.is_empty() || message.head.is_form() {
        return Ok(());
    }
    // The signature covers the address, and the address covers the body.
    let said = message.head.asked(HASH).ok_or(Reason::Body("its address does not name the hash of its body"))?;
    let said = super::bytes(Encoding::Hex, said).ok_or(Reason::Wrong)?;
    let hash = digest::digest(&digest::SHA256, message.body);
    judged(verify_slices_are_equal(hash.as_ref(), &said).is_ok())
}

/// Sorted by name; a value that a name has twice counts once.
fn covered(mut fields: Vec<Field>) -> Vec<Field> {
    fields.sort();
    fields.dedup();
    fields
}
