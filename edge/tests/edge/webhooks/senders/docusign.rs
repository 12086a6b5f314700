//! DocuSign: several signatures, of which any may be the one with the key.

use super::{Hook, Sending, b64};

pub(super) fn forms(sending: &Sending<'_>) -> Vec<Hook> {
    let mut third = sending.base64_sha256("X-DocuSign-Signature-3");
    for other in ["X-DocuSign-Signature-1", "X-DocuSign-Signature-2"] {
        third.headers.push((other.to_owned(), b64([2; 32])));
    }
    vec![sending.base64_sha256("X-DocuSign-Signature-1"), third]
}
