//! Plivo: address, query and fields are signed, together with a nonce.

use super::{FIELDS, Hook, Sending, b64};

pub(super) fn forms(sending: &Sending<'_>) -> Vec<Hook> {
    vec![with_fields(sending), without_body(sending), second_version(sending)]
}

fn with_fields(sending: &Sending<'_>) -> Hook {
    let text = format!("{}?b=1&b=2&c=d e.{FIELDS}.{}", sending.address(), sending.number);
    Hook::form()
        .with("X-Plivo-Signature-V3", format!("{},{}", b64([4; 32]), b64(sending.sha256(text))))
        .with("X-Plivo-Signature-V3-Nonce", sending.number.to_string())
        .at("?b=2&c=d%20e&b=1")
}

fn without_body(sending: &Sending<'_>) -> Hook {
    let text = format!("{}?b=1.{}", sending.address(), sending.number);
    let hook = Hook::post("")
        .with("X-Plivo-Signature-V3", b64(sending.sha256(text)))
        .with("X-Plivo-Signature-V3-Nonce", sending.number.to_string())
        .at("?b=1");
    Hook { method: "GET", ..hook }
}

fn second_version(sending: &Sending<'_>) -> Hook {
    Hook::form()
        .with("X-Plivo-Signature-V2", b64(sending.sha256(format!("{}{}", sending.address(), sending.number))))
        .with("X-Plivo-Signature-V2-Nonce", sending.number.to_string())
        .at("?b=1")
        .uncovered()
}
