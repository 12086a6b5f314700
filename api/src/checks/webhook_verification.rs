//! Validation of webhook verification: a known provider, and a secret of the required form.

use crate::{
    Code, Error, Result, Secret,
    module::{WEBHOOK_SECRET_LIMIT, WebhookVerification},
    webhooks::{Provider, SecretKind},
};
use aws_lc_rs::signature::{ECDSA_P256_SHA256_ASN1, ParsedPublicKey};
use base64::{Engine, prelude::BASE64_STANDARD};

/// Validates the module.
///
/// # Errors
/// The code of the first invalid member, with the `field` detail.
pub fn webhook_verification(module: &WebhookVerification) -> Result<()> {
    let provider = provider(&module.provider)?;
    let secret = module.secret.as_ref().filter(|secret| !secret.is_empty());
    let (code, sentence) = match (provider.secret(), secret) {
        (SecretKind::None, None) => return Ok(()),
        (SecretKind::None, Some(_)) => {
            let sentence =
                format!("Webhooks of `{}` are verified without a secret: leave `secret` out.", provider.name());
            (Code::WebhookSecretUnwanted, sentence)
        }
        (_, None) => {
            let sentence = format!("`secret` is needed: the one that `{}` signs its webhooks with.", provider.name());
            (Code::WebhookSecretMissing, sentence)
        }
        (_, Some(secret)) if secret.reveal().len() > WEBHOOK_SECRET_LIMIT => {
            let sentence = format!("The secret is too long: at most {WEBHOOK_SECRET_LIMIT} bytes are allowed.");
            (Code::WebhookSecretLength, sentence)
        }
        (SecretKind::PublicKey, Some(secret)) if !is_public_key(secret) => {
            let sentence = format!(
                "The secret of `{}` is its public key as it shows it: ECDSA P-256, DER in base64.",
                provider.name()
            );
            (Code::WebhookSecretKey, sentence)
        }
        (SecretKind::Shared | SecretKind::PublicKey, Some(_)) => return Ok(()),
    };
    Err(Error::new(code, sentence).with("field", "secret"))
}

fn provider(text: &str) -> Result<Provider> {
    if text.is_empty() {
        let sentence = "`provider` is needed: who sends the webhooks, `github` for example.";
        return Err(Error::new(Code::WebhookProviderMissing, sentence).with("field", "provider"));
    }
    Provider::find(text).ok_or_else(|| {
        let shown: String = text.chars().take(64).collect();
        let known: Vec<&str> = Provider::ALL.iter().map(|one| one.name()).collect();
        let sentence = format!("`{shown}` is no webhook provider that is known here. Known are: {}.", known.join(", "));
        Error::new(Code::WebhookProviderUnknown, sentence).with("field", "provider")
    })
}

/// Whether a text is a P-256 public key as SubjectPublicKeyInfo; providers do not show the bare point.
fn is_public_key(text: &Secret) -> bool {
    const SEQUENCE: u8 = 0x30;
    let Ok(bytes) = BASE64_STANDARD.decode(text.reveal()) else { return false };
    bytes.first() == Some(&SEQUENCE) && ParsedPublicKey::new(&ECDSA_P256_SHA256_ASN1, &bytes).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn judged(provider: &str, secret: Option<&str>) -> Result<(), Code> {
        let secret = secret.map(Secret::new);
        let module = WebhookVerification { enabled: true, provider: provider.to_owned(), secret };
        webhook_verification(&module).map_err(|error| {
            // A secret of a few letters may be part of any sentence.
            let told = |secret: Secret| secret.reveal().len() > 6 && error.message.contains(secret.reveal());
            assert!(!module.secret.is_some_and(told), "{error}");
            error.code
        })
    }

    fn key(algorithm: &'static rcgen::SignatureAlgorithm) -> rcgen::KeyPair {
        rcgen::KeyPair::generate_for(algorithm).expect("a key")
    }

    #[test]
    fn providers_are_known_in_any_case() {
        for provider in ["github", "GITHUB", "Twilio", "vmware_workspace", "LaunchDarkly"] {
            assert_eq!(judged(provider, Some("hunter2")), Ok(()), "{provider}");
        }
        assert_eq!(judged("", Some("hunter2")), Err(Code::WebhookProviderMissing));
        for provider in ["githib", " github", "git hub", "GİTHUB"] {
            assert_eq!(judged(provider, Some("hunter2")), Err(Code::WebhookProviderUnknown), "{provider}");
        }
    }

    #[test]
    fn all_but_one_need_a_secret() {
        for provider in Provider::ALL {
            let needed = if *provider == Provider::Sns { Ok(()) } else { Err(Code::WebhookSecretMissing) };
            assert_eq!(judged(provider.name(), None), needed, "{provider:?}");
            assert_eq!(judged(provider.name(), Some("")), needed, "{provider:?}");
        }
        assert_eq!(judged("SNS", Some("hunter2")), Err(Code::WebhookSecretUnwanted));
        let long = "x".repeat(WEBHOOK_SECRET_LIMIT + 1);
        assert_eq!(judged("github", Some(&long[1..])), Ok(()));
        for provider in ["github", "sendgrid"] {
            assert_eq!(judged(provider, Some(&long)), Err(Code::WebhookSecretLength), "{provider}");
        }
    }

    #[test]
    fn one_shows_a_public_key() {
        use rcgen::PublicKeyData;
        let good = key(&rcgen::PKCS_ECDSA_P256_SHA256);
        assert_eq!(judged("sendgrid", Some(&BASE64_STANDARD.encode(good.subject_public_key_info()))), Ok(()));
        let mut off_the_curve = good.subject_public_key_info();
        *off_the_curve.last_mut().expect("a byte") ^= 1;
        for wrong in [
            BASE64_STANDARD.encode(good.der_bytes()),
            BASE64_STANDARD.encode(good.serialize_der()),
            good.public_key_pem(),
            BASE64_STANDARD.encode(key(&rcgen::PKCS_ECDSA_P384_SHA384).subject_public_key_info()),
            BASE64_STANDARD.encode(key(&rcgen::PKCS_ED25519).subject_public_key_info()),
            BASE64_STANDARD.encode(off_the_curve),
            "hunter2".to_owned(),
            "MFkw".to_owned(),
        ] {
            assert_eq!(judged("SendGrid", Some(&wrong)), Err(Code::WebhookSecretKey), "{wrong}");
        }
    }

    proptest! {
        #[test]
        fn any_text_is_judged_without_a_panic(provider in "\\PC{0,20}", secret in "\\PC{0,40}", bytes in any::<[u8; 91]>()) {
            let _ = judged(&provider, Some(&secret));
            let _ = judged("sendgrid", Some(&secret));
            let mut framed = bytes;
            framed[0] = 0x30;
            let _ = judged("sendgrid", Some(&BASE64_STANDARD.encode(framed)));
        }
    }
}
