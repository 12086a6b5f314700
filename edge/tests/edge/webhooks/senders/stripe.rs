//! Stripe: time and body, also with signatures of other keys and versions.

use super::{Hook, JSON, Sending, hex};

pub(super) fn forms(sending: &Sending<'_>) -> Vec<Hook> {
    let Sending { second, .. } = sending;
    let signature = hex(sending.sha256(format!("{second}.{JSON}")));
    let others = format!("v1={},v0={}", hex([5; 32]), hex([6; 32]));
    let among_others = Hook::json("Stripe-Signature", format!("t={second},{others},v1={signature}")).within(300);
    vec![sending.timestamped("Stripe-Signature", "t", "v1", 300), among_others]
}
