//! Plivo: the public address with the query sorted, the fields of the form, and a nonce. The second version covers
//! neither query nor form.

use super::{Encoding, Field, Head, Message, Reason, bytes, judged, signs};
use crate::modules::webhook_verification::message::fields;
use aws_lc_rs::hmac;
use hyper::Method;

const V3: (&str, &str) = ("X-Plivo-Signature-V3", "X-Plivo-Signature-V3-Nonce");
const V2: (&str, &str) = ("X-Plivo-Signature-V2", "X-Plivo-Signature-V2-Nonce");

struct Said<'a> {
    third: bool,
    signatures: Vec<Vec<u8>>,
    nonce: &'a str,
}

pub(in super::super) fn head(head: &Head<'_>) -> Result<(), Reason> {
    read(head).map(|_| ())
}

fn read<'a>(head: &Head<'a>) -> Result<Said<'a>, Reason> {
    let third = head.has(V3.0) || !head.has(V2.0);
    let (signature, nonce) = if third { V3 } else { V2 };
    let signatures: Option<Vec<_>> =
        head.one(signature)?.split(',').map(|one| bytes(Encoding::Base64, one.trim())).collect();
    let signatures = signatures.ok_or_else(|| Reason::Unreadable(signature.to_owned()))?;
    Ok(Said { third, signatures, nonce: head.one(nonce)? })
}

pub(in super::super) fn judge(key: &hmac::Key, message: &Message<'_>) -> Result<(), Reason> {
    let said = read(message.head)?;
    let mut query = fields(message.head.uri.query().unwrap_or_default().as_bytes())?;
    let mut form = message.form()?;
    if *message.head.method == Method::GET {
        query.append(&mut form);
    }
    query.sort();
    form.sort();
    let suffix = if said.third { covered(&query, &form) } else { Vec::new() };
    let gap: &[u8] = if said.third { b"." } else { b"" };
    let addresses = message.head.addresses()?;
    let fits = addresses.iter().any(|address| {
        let bare = address.split('?').next().unwrap_or_default();
        let parts = [bare.as_bytes(), &suffix, gap, said.nonce.as_bytes()];
        said.signatures.iter().any(|given| signs(key, parts, given))
    });
    judged(fits)
}

/// What the third version adds to the address.
fn covered(query: &[Field], form: &[Field]) -> Vec<u8> {
    let mut text = Vec::new();
    if !query.is_empty() || !form.is_empty() {
        text.push(b'?');
    }
    for (index, (name, value)) in query.iter().enumerate() {
        if index > 0 {
            text.push(b'&');
        }
        text.extend_from_slice(name);
        text.push(b'=');
        text.extend_from_slice(value);
    }
    if !query.is_empty() && !form.is_empty() {
        text.push(b'.');
    }
    for (name, value) in form {
        text.extend_from_slice(name);
        text.extend_from_slice(value);
    }
    text
}
