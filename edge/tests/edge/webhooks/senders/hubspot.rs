//! HubSpot: version 3 of its signature, and the two before it.

use super::{Hook, JSON, Sending, b64, hex};
use aws_lc_rs::digest;

pub(super) fn forms(sending: &Sending<'_>) -> Vec<Hook> {
    let Sending { secret, .. } = sending;
    vec![
        third(sending, "?a=b", "?a=b"),
        // The provider does not percent-encode some characters.
        third(sending, "?a=%40b%2Fc%20d", "?a=@b/c%20d"),
        older("v2", &format!("{secret}POST{}{JSON}", sending.address())),
        older("v1", &format!("{secret}{JSON}")),
    ]
}

fn third(sending: &Sending<'_>, query: &str, signed_query: &str) -> Hook {
    let moment = sending.millisecond();
    let signature = b64(sending.sha256(format!("POST{}{signed_query}{JSON}{moment}", sending.address())));
    Hook::json("X-HubSpot-Signature-v3", signature)
        .with("X-HubSpot-Request-Timestamp", moment.to_string())
        .at(query)
        .within(300)
}

fn older(version: &str, text: &str) -> Hook {
    Hook::json("X-HubSpot-Signature", hex(digest::digest(&digest::SHA256, text.as_bytes())))
        .with("X-HubSpot-Signature-Version", version)
}
