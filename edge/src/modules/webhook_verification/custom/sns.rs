//! Amazon SNS: members of the JSON object in the body are signed with RSA; the message names the certificate.

use super::{DEFAULT_TOLERANCE, Encoding, Rejection, WebhookRequest, decode_signature, timestamp, verified};
use crate::modules::webhook_verification::{
    certificates::{CertificateUrl, Certificates},
    json::JsonMembers,
};
use aws_lc_rs::signature::{
    RSA_PKCS1_1024_8192_SHA1_FOR_LEGACY_USE_ONLY, RSA_PKCS1_2048_8192_SHA256, UnparsedPublicKey,
};
use std::fmt::Write;

/// A message whose signature is not verified yet.
pub(in super::super) struct Signed {
    certificate_url: CertificateUrl,
    second: bool,
    text: String,
    signature: Vec<u8>,
}

/// Parses a message. One that cannot be valid is refused before its certificate is fetched.
pub(in super::super) fn read(message: &WebhookRequest<'_>) -> Result<Signed, Rejection> {
    let object = message.members()?;
    let said = |name: &str| text(&object, name);
    timestamp::check(said("Timestamp")?, DEFAULT_TOLERANCE, message.head.now)?;
    let second = match said("SignatureVersion")? {
        "1" => false,
        "2" => true,
        _ => return Err(Rejection::InvalidBody("the version of its signature is not supported")),
    };
    let signature = decode_signature(Encoding::Base64, said("Signature")?).ok_or(Rejection::WrongSignature)?;
    let certificate_url = CertificateUrl::parse(said("SigningCertURL")?)
        .ok_or(Rejection::InvalidCertificate("its signing certificate does not belong to this provider"))?;
    Ok(Signed { certificate_url, second, text: signed_text(&object)?, signature })
}

pub(in super::super) async fn verify(
    signed: Signed,
    certificates: &Certificates,
    message: &WebhookRequest<'_>,
) -> Result<(), Rejection> {
    let key = certificates.key(&signed.certificate_url, message.head.now).await?;
    let matches_signature = if signed.second {
        UnparsedPublicKey::new(&RSA_PKCS1_2048_8192_SHA256, &*key).verify(signed.text.as_bytes(), &signed.signature)
    } else {
        let algorithm = &RSA_PKCS1_1024_8192_SHA1_FOR_LEGACY_USE_ONLY;
        UnparsedPublicKey::new(algorithm, &*key).verify(signed.text.as_bytes(), &signed.signature)
    };
    verified(matches_signature.is_ok())
}

fn text<'o>(object: &'o JsonMembers, name: &str) -> Result<&'o str, Rejection> {
    object.text(name).ok_or(Rejection::InvalidBody("its body is not a signed message of this provider"))
}

/// The signed text: names and values, each on its own line, in an order that depends on the type of the message.
fn signed_text(object: &JsonMembers) -> Result<String, Rejection> {
    let names: &[&str] = match text(object, "Type")? {
        "Notification" => &["Message", "MessageId", "Subject", "Timestamp", "TopicArn", "Type"],
        "SubscriptionConfirmation" | "UnsubscribeConfirmation" => {
            &["Message", "MessageId", "SubscribeURL", "Timestamp", "Token", "TopicArn", "Type"]
        }
        _ => return Err(Rejection::InvalidBody("the type of its message is not supported")),
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
