//! Box: body and time, with two keys during a rotation.

use super::{Hook, JSON, Sending, b64, signing::iso};

pub(super) fn forms(sending: &Sending<'_>) -> Vec<Hook> {
    let mut rotating = signed(sending, "BOX-SIGNATURE-SECONDARY");
    // During a key rotation, one of the two signatures has an unknown key.
    rotating.headers.push(("BOX-SIGNATURE-PRIMARY".to_owned(), b64([1; 32])));
    vec![signed(sending, "BOX-SIGNATURE-PRIMARY"), signed(sending, "BOX-SIGNATURE-SECONDARY"), rotating]
}

fn signed(sending: &Sending<'_>, header: &str) -> Hook {
    let moment = format!("{}-07:00", iso(sending.second - 7 * 3600).trim_end_matches('Z'));
    Hook::json(header, b64(sending.sha256(format!("{JSON}{moment}"))))
        .with("BOX-DELIVERY-TIMESTAMP", moment)
        .with("BOX-SIGNATURE-VERSION", "1")
        .with("BOX-SIGNATURE-ALGORITHM", "HmacSHA256")
        .within(600)
}
