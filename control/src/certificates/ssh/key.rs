//! Key pair of an SSH authority: generation, PKCS#8 encoding and signing, all by aws-lc-rs.

use crate::certificates::issue_error::issue_failed;
use aws_lc_rs::{
    encoding::{AsDer, Pkcs8V1Der},
    rand::SystemRandom,
    rsa::{KeyPair as RsaKeyPair, KeySize},
    signature::{
        ECDSA_P256_SHA256_FIXED_SIGNING, ECDSA_P384_SHA384_FIXED_SIGNING, ECDSA_P521_SHA512_FIXED_SIGNING,
        EcdsaKeyPair, EcdsaSigningAlgorithm, Ed25519KeyPair, KeyPair, RSA_PKCS1_SHA512,
    },
};
use postern_api::{Code, Error, KeyType, Result, Secret};
use signature::Signer;
use ssh_key::{
    Algorithm, EcdsaCurve, HashAlg, Mpint, PublicKey, Signature,
    public::{EcdsaPublicKey, Ed25519PublicKey, KeyData, RsaPublicKey},
};
use zeroize::{Zeroize, Zeroizing};

const TAG: &str = "PRIVATE KEY";

/// Type of a key to generate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SshKeyType {
    Ed25519,
    Ecdsa(EcdsaCurve),
    Rsa(KeySize),
}

impl SshKeyType {
    /// Parses the caller's choice; an empty text and zero stand for the default.
    ///
    /// # Errors
    /// If the choices do not go together, or are not supported.
    pub(crate) fn choose(key_type: Option<KeyType>, curve: &str, bits: i64) -> Result<Self> {
        let key_type = key_type.unwrap_or(KeyType::Ed25519);
        if !curve.is_empty() && key_type != KeyType::Ecdsa {
            let sentence = format!(
                "`elliptic_curve` goes with `private_key_type` `ecdsa` only, and this key is {key_type}. Leave it out."
            );
            return Err(Error::new(Code::SshCurveNotEcdsa, sentence).with("field", "elliptic_curve"));
        }
        if bits != 0 && key_type != KeyType::Rsa {
            let sentence = format!(
                "`key_size` goes with `private_key_type` `rsa` only, and this key is {key_type}. Leave it out."
            );
            return Err(Error::new(Code::SshKeySizeNotRsa, sentence).with("field", "key_size"));
        }
        match key_type {
            KeyType::Ed25519 => Ok(SshKeyType::Ed25519),
            KeyType::Ecdsa => match curve {
                "" | "nistp256" => Ok(SshKeyType::Ecdsa(EcdsaCurve::NistP256)),
                "nistp384" => Ok(SshKeyType::Ecdsa(EcdsaCurve::NistP384)),
                "nistp521" => Ok(SshKeyType::Ecdsa(EcdsaCurve::NistP521)),
                _ => {
                    let sentence = "`elliptic_curve` must be `nistp256`, `nistp384` or `nistp521`.";
                    Err(Error::new(Code::SshCurveUnknown, sentence).with("field", "elliptic_curve"))
                }
            },
            KeyType::Rsa => match bits {
                0 | 4096 => Ok(SshKeyType::Rsa(KeySize::Rsa4096)),
                2048 => Ok(SshKeyType::Rsa(KeySize::Rsa2048)),
                _ => {
                    let sentence = format!("`key_size` must be 2048 or 4096; it is {bits}.");
                    Err(Error::new(Code::SshKeySize, sentence).with("field", "key_size"))
                }
            },
        }
    }
}

/// A key pair that signs SSH certificates. `Debug` omits the private key.
pub(crate) struct AuthorityKey {
    pair: SigningKeyPair,
    public: KeyData,
}

enum SigningKeyPair {
    Ed25519(Ed25519KeyPair),
    Ecdsa(EcdsaKeyPair, EcdsaCurve),
    Rsa(RsaKeyPair),
}

impl AuthorityKey {
    /// Generates a key pair. Blocks for a second or more for RSA.
    pub(crate) fn generate(form: SshKeyType) -> Result<Self> {
        let failed = |_| issue_failed(&"no SSH key could be made");
        match form {
            SshKeyType::Ed25519 => {
                Ed25519KeyPair::generate().map_err(failed).and_then(|pair| Self::of(SigningKeyPair::Ed25519(pair)))
            }
            SshKeyType::Ecdsa(curve) => EcdsaKeyPair::generate(algorithm(curve))
                .map_err(failed)
                .and_then(|pair| Self::of(SigningKeyPair::Ecdsa(pair, curve))),
            SshKeyType::Rsa(size) => {
                RsaKeyPair::generate(size).map_err(failed).and_then(|pair| Self::of(SigningKeyPair::Rsa(pair)))
            }
        }
    }

    /// Decodes the result of [`Self::to_secret`].
    pub(crate) fn from_secret(secret: &Secret) -> Result<Self> {
        let unreadable = || issue_failed(&"the key of an SSH authority could not be read");
        let block = pem::parse(secret.reveal()).map_err(|_| unreadable())?;
        let bytes = Zeroizing::new(block.into_contents());
        if let Ok(pair) = Ed25519KeyPair::from_pkcs8(&bytes) {
            return Self::of(SigningKeyPair::Ed25519(pair));
        }
        for curve in [EcdsaCurve::NistP256, EcdsaCurve::NistP384, EcdsaCurve::NistP521] {
            if let Ok(pair) = EcdsaKeyPair::from_pkcs8(algorithm(curve), &bytes) {
                return Self::of(SigningKeyPair::Ecdsa(pair, curve));
            }
        }
        let pair = RsaKeyPair::from_pkcs8(&bytes).map_err(|_| unreadable())?;
        Self::of(SigningKeyPair::Rsa(pair))
    }

    /// The private key as PKCS#8 in PEM.
    pub(crate) fn to_secret(&self) -> Result<Secret> {
        let failed = |_| issue_failed(&"an SSH key could not be written");
        let bytes = match &self.pair {
            SigningKeyPair::Ed25519(pair) => pair.to_pkcs8().map_err(failed)?.as_ref().to_vec(),
            SigningKeyPair::Ecdsa(pair, _) => pair.to_pkcs8v1().map_err(failed)?.as_ref().to_vec(),
            SigningKeyPair::Rsa(pair) => AsDer::<Pkcs8V1Der<'_>>::as_der(pair).map_err(failed)?.as_ref().to_vec(),
        };
        let block = pem::Pem::new(TAG, bytes);
        let secret = Secret::new(pem::encode(&block));
        block.into_contents().zeroize();
        Ok(secret)
    }

    /// The public key as a line of OpenSSH, without a comment.
    pub(crate) fn public_line(&self) -> Result<String> {
        PublicKey::from(self.public.clone()).to_openssh().map_err(|error| issue_failed(&error))
    }

    pub(crate) fn key_type(&self) -> KeyType {
        match self.pair {
            SigningKeyPair::Ed25519(_) => KeyType::Ed25519,
            SigningKeyPair::Ecdsa(..) => KeyType::Ecdsa,
            SigningKeyPair::Rsa(_) => KeyType::Rsa,
        }
    }

    fn of(pair: SigningKeyPair) -> Result<Self> {
        let public = public(&pair).map_err(|error| issue_failed(&error))?;
        Ok(AuthorityKey { pair, public })
    }
}

impl std::fmt::Debug for AuthorityKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("AuthorityKey").field("key_type", &self.key_type()).finish_non_exhaustive()
    }
}

impl From<&AuthorityKey> for KeyData {
    fn from(key: &AuthorityKey) -> KeyData {
        key.public.clone()
    }
}

impl Signer<Signature> for AuthorityKey {
    fn try_sign(&self, message: &[u8]) -> signature::Result<Signature> {
        let failed = |_| signature::Error::new();
        let (algorithm, bytes) = match &self.pair {
            SigningKeyPair::Ed25519(pair) => {
                (Algorithm::Ed25519, pair.try_sign(message).map_err(failed)?.as_ref().to_vec())
            }
            SigningKeyPair::Ecdsa(pair, curve) => {
                let fixed = pair.sign(&SystemRandom::new(), message).map_err(failed)?;
                let (r, s) = fixed.as_ref().split_at(fixed.as_ref().len() / 2);
                (Algorithm::Ecdsa { curve: *curve }, [encode_mpint(r)?, encode_mpint(s)?].concat())
            }
            // OpenSSH refuses SHA-1 (RFC 8332 defines SHA-2 for RSA keys).
            SigningKeyPair::Rsa(pair) => {
                let mut bytes = vec![0; pair.public_modulus_len()];
                pair.sign(&RSA_PKCS1_SHA512, &SystemRandom::new(), message, &mut bytes).map_err(failed)?;
                (Algorithm::Rsa { hash: Some(HashAlg::Sha512) }, bytes)
            }
        };
        Signature::new(algorithm, bytes).map_err(|_| signature::Error::new())
    }
}

fn algorithm(curve: EcdsaCurve) -> &'static EcdsaSigningAlgorithm {
    match curve {
        EcdsaCurve::NistP256 => &ECDSA_P256_SHA256_FIXED_SIGNING,
        EcdsaCurve::NistP384 => &ECDSA_P384_SHA384_FIXED_SIGNING,
        EcdsaCurve::NistP521 => &ECDSA_P521_SHA512_FIXED_SIGNING,
    }
}

fn public(pair: &SigningKeyPair) -> ssh_key::Result<KeyData> {
    Ok(match pair {
        SigningKeyPair::Ed25519(pair) => KeyData::Ed25519(Ed25519PublicKey::try_from(pair.public_key().as_ref())?),
        SigningKeyPair::Ecdsa(pair, _) => KeyData::Ecdsa(EcdsaPublicKey::from_sec1_bytes(pair.public_key().as_ref())?),
        SigningKeyPair::Rsa(pair) => KeyData::Rsa(RsaPublicKey {
            e: Mpint::from_positive_bytes(pair.public_key().exponent().big_endian_without_leading_zero())?,
            n: Mpint::from_positive_bytes(pair.public_key().modulus().big_endian_without_leading_zero())?,
        }),
    })
}

/// Encodes a positive number as `mpint` (RFC 4251, section 5).
fn encode_mpint(bytes: &[u8]) -> signature::Result<Vec<u8>> {
    let number = Mpint::from_positive_bytes(bytes).map_err(|_| signature::Error::new())?;
    let length = u32::try_from(number.as_bytes().len()).map_err(|_| signature::Error::new())?;
    Ok([&length.to_be_bytes(), number.as_bytes()].concat())
}

#[cfg(test)]
mod tests {
    use super::*;

    const CURVES: [EcdsaCurve; 3] = [EcdsaCurve::NistP256, EcdsaCurve::NistP384, EcdsaCurve::NistP521];

    fn refused(key_type: Option<KeyType>, curve: &str, bits: i64) -> (Code, String) {
        let error = SshKeyType::choose(key_type, curve, bits).expect_err("refused");
        (error.code, error.details["field"].clone())
    }

    #[test]
    fn the_default_is_ed25519_with_default_sizes() {
        assert_eq!(SshKeyType::choose(None, "", 0), Ok(SshKeyType::Ed25519));
        assert_eq!(SshKeyType::choose(Some(KeyType::Ecdsa), "", 0), Ok(SshKeyType::Ecdsa(EcdsaCurve::NistP256)));
        assert_eq!(
            SshKeyType::choose(Some(KeyType::Ecdsa), "nistp521", 0),
            Ok(SshKeyType::Ecdsa(EcdsaCurve::NistP521))
        );
        assert_eq!(SshKeyType::choose(Some(KeyType::Rsa), "", 2048), Ok(SshKeyType::Rsa(KeySize::Rsa2048)));
        assert_eq!(SshKeyType::choose(Some(KeyType::Rsa), "", 0), Ok(SshKeyType::Rsa(KeySize::Rsa4096)));
    }

    #[test]
    fn incompatible_choices_are_refused() {
        let curve = |code| (code, "elliptic_curve".to_owned());
        let size = |code| (code, "key_size".to_owned());
        assert_eq!(refused(None, "nistp256", 0), curve(Code::SshCurveNotEcdsa));
        assert_eq!(refused(Some(KeyType::Rsa), "nistp256", 0), curve(Code::SshCurveNotEcdsa));
        assert_eq!(refused(Some(KeyType::Ecdsa), "secp256k1", 0), curve(Code::SshCurveUnknown));
        assert_eq!(refused(None, "", 2048), size(Code::SshKeySizeNotRsa));
        assert_eq!(refused(Some(KeyType::Ecdsa), "nistp256", 2048), size(Code::SshKeySizeNotRsa));
        for bits in [1024, 3072, 8192, -1, i64::MAX] {
            assert_eq!(refused(Some(KeyType::Rsa), "", bits), size(Code::SshKeySize), "{bits}");
        }
    }

    #[test]
    fn a_key_survives_encoding_and_decoding() {
        let mut forms = vec![SshKeyType::Ed25519, SshKeyType::Rsa(KeySize::Rsa2048)];
        forms.extend(CURVES.map(SshKeyType::Ecdsa));
        for form in forms {
            let key = AuthorityKey::generate(form).expect("a key");
            let secret = key.to_secret().expect("a secret");
            let again = AuthorityKey::from_secret(&secret).expect("the key again");
            let line = key.public_line().expect("a line");
            assert_eq!(again.public_line().expect("a line"), line, "{form:?}");
            assert_eq!(again.key_type(), key.key_type());
            assert_eq!(line.split(' ').count(), 2, "algorithm and key, no comment: {line}");
            let printed = format!("{key:?}");
            assert!(!printed.contains("PRIVATE") && printed.len() < 60, "{printed}");
        }
    }

    #[test]
    fn an_invalid_secret_is_an_error_that_does_not_quote_it() {
        for text in ["", "planted", "-----BEGIN PRIVATE KEY-----\ncGxhbnRlZA==\n-----END PRIVATE KEY-----\n"] {
            let error = AuthorityKey::from_secret(&Secret::new(text)).expect_err("no key");
            assert!(!error.to_string().contains("planted") && !error.to_string().contains("cGxhbnRlZA"), "{error}");
        }
    }
}
