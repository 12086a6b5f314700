//! Mailchimp (Mandrill): the address and the decoded fields of a form are signed.

use super::{Hook, Sending, b64};

pub(super) fn forms(sending: &Sending<'_>) -> Vec<Hook> {
    let text = format!("{}a1mandrill_events[{{\"event\":\"CHANGE\"}}]", sending.address());
    let hook = Hook::form().with("X-Mandrill-Signature", b64(sending.sha1(text)));
    vec![Hook { body: b"mandrill_events=%5B%7B%22event%22%3A%22CHANGE%22%7D%5D&a=1".to_vec(), ..hook }]
}
