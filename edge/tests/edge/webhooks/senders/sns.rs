//! Amazon SNS: messages signed with the key of a certificate.

use super::{
    Covers, Hook, Sending, b64,
    keys::{OTHER, TOPIC},
    signing::iso,
};
use aws_lc_rs::{rand, signature::RSA_PKCS1_SHA256};
use std::collections::BTreeMap;

/// A notification with a subject or without, and the two messages that request a confirmation.
const FORMS: [(&str, Option<&str>); 4] = [
    ("Notification", Some("Hello")),
    ("Notification", None),
    ("SubscriptionConfirmation", None),
    ("UnsubscribeConfirmation", None),
];

type Members = BTreeMap<&'static str, String>;

pub(super) fn forms(sending: &Sending<'_>) -> Vec<Hook> {
    FORMS.iter().map(|(kind, subject)| signed(sending, members(sending, kind, *subject))).collect()
}

fn members(sending: &Sending<'_>, kind: &str, subject: Option<&str>) -> Members {
    let mut members: Members = [
        ("Message", "CHANGE \"me\"\nplease".to_owned()),
        ("MessageId", "e1f2a232-e8ce-5f0a-b5d3-fbeb".to_owned()),
        ("Timestamp", iso(sending.second)),
        ("TopicArn", "arn:aws:sns:us-east-1:123456789012:test".to_owned()),
        ("Type", kind.to_owned()),
    ]
    .into();
    members.extend(subject.map(|subject| ("Subject", subject.to_owned())));
    if kind.ends_with("Confirmation") {
        members.insert("Token", "2336412f37f".to_owned());
        members.insert("SubscribeURL", "https://sns.us-east-1.amazonaws.com/?Action=ConfirmSubscription".to_owned());
    }
    members
}

fn signed(sending: &Sending<'_>, members: Members) -> Hook {
    let text: String = members.iter().map(|(name, value)| format!("{name}\n{value}\n")).collect();
    let pair = if sending.secret == "wrong" { &*OTHER } else { &TOPIC.0 };
    let mut signature = vec![0; pair.public_modulus_len()];
    pair.sign(&RSA_PKCS1_SHA256, &rand::SystemRandom::new(), text.as_bytes(), &mut signature).unwrap();
    let mut object: serde_json::Map<_, _> =
        members.into_iter().map(|(name, value)| (name.to_owned(), value.into())).collect();
    object.insert("SignatureVersion".to_owned(), "2".into());
    object.insert("Signature".to_owned(), b64(signature).into());
    let place = "https://sns.us-east-1.amazonaws.com/SimpleNotificationService-0123456789abcdef.pem";
    object.insert("SigningCertURL".to_owned(), place.into());
    let mut hook = Hook::post(serde_json::to_vec(&object).unwrap()).within(180);
    hook.headers[0].1 = "text/plain; charset=UTF-8".to_owned();
    hook.covers = Covers::Members;
    hook
}
