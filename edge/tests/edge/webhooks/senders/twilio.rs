//! Twilio: the address with the fields of a form, or with the digest of a body in the query.

use super::{FIELDS, HOST, Hook, JSON, Sending, b64, hex};
use aws_lc_rs::digest;

pub(super) fn forms(sending: &Sending<'_>) -> Vec<Hook> {
    let address = sending.address();
    // The usual port may be part of the address.
    let with_port = address.replace(HOST, &format!("{HOST}:443"));
    vec![form(sending, &address), form(sending, &with_port), digest_in_query(sending)]
}

fn form(sending: &Sending<'_>, address: &str) -> Hook {
    let signature = b64(sending.sha1(format!("{address}?foo=1&bar=2{FIELDS}")));
    Hook::form().with("X-Twilio-Signature", signature).at("?foo=1&bar=2")
}

fn digest_in_query(sending: &Sending<'_>) -> Hook {
    let rest = format!("?foo=1&bodySHA256={}", hex(digest::digest(&digest::SHA256, JSON.as_bytes())));
    Hook::json("X-Twilio-Signature", b64(sending.sha1(format!("{}{rest}", sending.address())))).at(&rest)
}
