//! SendGrid: an ECDSA signature of time and body.

use super::{
    Hook, JSON, Sending, b64,
    keys::{curve, public_key},
};
use aws_lc_rs::rand;

pub(super) fn forms(sending: &Sending<'_>) -> Vec<Hook> {
    let pair = [curve("right"), curve("wrong")]
        .into_iter()
        .find(|pair| b64(public_key(pair)) == sending.secret)
        .expect("a key of the tests");
    let text = format!("{}{JSON}", sending.second);
    let signature = pair.sign(&rand::SystemRandom::new(), text.as_bytes()).unwrap();
    let hook = Hook::json("X-Twilio-Email-Event-Webhook-Signature", b64(signature))
        .with("X-Twilio-Email-Event-Webhook-Timestamp", sending.second.to_string())
        .within(180);
    vec![hook]
}
