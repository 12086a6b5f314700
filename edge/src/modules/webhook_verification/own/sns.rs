//! Amazon SNS: members of the JSON object in the body, signed with RSA; the message names the certificate.

use super::{Encoding, Message, Reason, USUAL, bytes, judged, moment};
use crate::modules::webhook_verification::{
    certificates::{Certificates, Place},
    json::Members,
};
use aws_lc_rs::signature::{
    RSA_PKCS1_1024_8192_SHA1_FOR_LEGACY_USE_ONLY, RSA_PKCS1_2048_8192_SHA256, UnparsedPublicKey,
};
use std::fmt::Write;

/// A message of which everything but its certificate was looked at.
pub(in super::super) struct Signed {
    place: Place,
    second: bool,
    text: String,
    signature: Vec<u8>,
}

/// Reads a message. What cannot be right is refused before its certificate is asked for.
pub(in super::super) fn read(message: &Message<'_>) -> Result<Signed, Reason> {
    let object = message.members()?;
    let said = |name: &str| text(&object, name);
    moment::judge(said("Timestamp")?, USUAL, message.head.now)?;
    let second = match said("SignatureVersion")? {
        "1" => false,
        "2" => true,
        _ => return Err(Reason::Body("the version of its signature is not known here")),
    };
    let signature = bytes(Encoding::Base64, said("Signature")?).ok_or(Reason::Wrong)?;
    let place = Place::read(said("SigningCertURL")?)
        .ok_or(Reason::Certificate("the certificate that it names is not one of this provider"))?;
    Ok(Signed { place, second, text: covered(&object)?, signature })
}

pub(in super::super) async fn judge(
    signed: Signed,
    certificates: &Certificates,
    message: &Message<'_>,
) -> Result<(), Reason> {
    let key = certificates.key(&signed.place, message.head.now).await?;
    let fits = if signed.second {
        UnparsedPublicKey::new(&RSA_PKCS1_2048_8192_SHA256, &*key).verify(signed.text.as_bytes(), &signed.signature)
    } else {
        let algorithm = &RSA_PKCS1_1024_8192_SHA1_FOR_LEGACY_USE_ONLY;
        UnparsedPublicKey::new(algorithm, &*key).verify(signed.text.as_bytes(), &signed.signature)
    };
    judged(fits.is_ok())
}

fn text<'o>(object: &'o Members, name: &str) -> Result<&'o str, Reason> {
    object.text(name).ok_or(Reason::Body("its body is not a message with a signature of this provider"))
}

/// Names and values, each on a line of its own, in an order that the kind of the message decides.
fn covered(object: &Members) -> Result<String, Reason> {
    let names: &[&str] = match text(object, "Type")? {
        "Notification" => &["Message", "MessageId", "Subject", "Timestamp", "TopicArn", "Type"],
        "SubscriptionConfirmation" | "UnsubscribeConfirmation" => {
            &["Message", "MessageId", "SubscribeURL", "Timestamp", "Token", "TopicArn", "Type"]
        }
        _ => return Err(Reason::Body("the kind of its message is not known here")),
    };
    let mut lines = String::new();
    for name in names {
        if *name == "Subject" && object.text(name).is_none() {
            continue;
        }
        let _ = writeln!(lines, "{name}\n{}", text(object, name)?);
    }
    Ok(lines)
}
