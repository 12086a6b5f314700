//! Plivo: the signature covers the public URL with the query sorted, the form fields and a nonce. Version 2 covers
//! neither query nor form.

use super::{Encoding, Field, Rejection, RequestHead, WebhookRequest, decode_signature, hmac_matches, verified};
use crate::modules::webhook_verification::request::form_fields;
use aws_lc_rs::hmac;
use hyper::Method;

const V3: (&str, &str) = ("X-Plivo-Signature-V3", "X-Plivo-Signature-V3-Nonce");
const V2: (&str, &str) = ("X-Plivo-Signature-V2", "X-Plivo-Signature-V2-Nonce");

struct SignatureFields<'a> {
    third: bool,
    signatures: Vec<Vec<u8>>,
    nonce: &'a str,
}

pub(in super::super) fn head(head: &RequestHead<'_>) -> Result<(), Rejection> {
    parse(head).map(|_| ())
}

fn parse<'a>(head: &RequestHead<'a>) -> Result<SignatureFields<'a>, Rejection> {
    let third = head.has(V3.0) || !head.has(V2.0);
    let (signature, nonce) = if third { V3 } else { V2 };
    let signatures: Option<Vec<_>> =
        head.single(signature)?.split(',').map(|one| decode_signature(Encoding::Base64, one.trim())).collect();
    let signatures = signatures.ok_or_else(|| Rejection::MalformedHeader(signature.to_owned()))?;
    Ok(SignatureFields { third, signatures, nonce: head.single(nonce)? })
}

pub(in super::super) fn verify(key: &hmac::Key, message: &WebhookRequest<'_>) -> Result<(), Rejection> {
    let fields = parse(message.head)?;
    let mut query = form_fields(message.head.uri.query().unwrap_or_default().as_bytes())?;
    let mut form = message.form()?;
    if *message.head.method == Method::GET {
        query.append(&mut form);
    }
    query.sort();
    form.sort();
    let suffix = if fields.third { signed_text(&query, &form) } else { Vec::new() };
    let gap: &[u8] = if fields.third { b"." } else { b"" };
    let addresses = message.head.public_urls()?;
    let matches_signature = addresses.iter().any(|address| {
        let bare = address.split('?').next().unwrap_or_default();
        let parts = [bare.as_bytes(), &suffix, gap, fields.nonce.as_bytes()];
        fields.signatures.iter().any(|given| hmac_matches(key, parts, given))
    });
    verified(matches_signature)
}

/// The text that version 3 appends to the URL.
fn signed_text(query: &[Field], form: &[Field]) -> Vec<u8> {
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
