//! Judging ID tokens. Signatures, issuer and audience are the library's work; time and nonce are judged here, by our
//! clock and with some patience for the issuer's.

use jiff::Timestamp;
use openidconnect::{
    AdditionalClaims, ClaimsVerificationError, ClientId, IdToken, IdTokenClaims, IdTokenVerifier, IssuerUrl, Nonce,
    SignatureVerificationError,
    core::{CoreGenderClaim, CoreJsonWebKeySet, CoreJweContentEncryptionAlgorithm, CoreJwsSigningAlgorithm},
};
use postern_api::{Code, Error};
use serde::{Deserialize, Serialize};
use std::str::FromStr;

/// How far the issuer's clock may be from ours, in seconds.
const SKEW_SECONDS: i64 = 60;

/// Claims that the library has no names for.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub(super) struct Further {
    #[serde(default)]
    nbf: Option<f64>,
    #[serde(default)]
    pub(super) sid: Option<String>,
}
impl AdditionalClaims for Further {}

pub(super) type Token = IdToken<Further, CoreGenderClaim, CoreJweContentEncryptionAlgorithm, CoreJwsSigningAlgorithm>;
pub(super) type Claims = IdTokenClaims<Further, CoreGenderClaim>;

/// What an ID token is held against.
pub(super) struct Expected<'a> {
    pub(super) issuer: &'a IssuerUrl,
    pub(super) client: &'a ClientId,
    pub(super) algorithms: &'a [CoreJwsSigningAlgorithm],
    pub(super) nonce: &'a Nonce,
    pub(super) now: Timestamp,
}

/// What is wrong with a token.
pub(super) enum Wrong {
    /// No key that is known made its signature; another may have.
    Key,
    /// It is good for nothing.
    Refused(Error),
}

/// Reads a token.
pub(super) fn read(text: &str) -> Result<Token, Error> {
    Token::from_str(text).map_err(|_| refused(Code::IdTokenUnreadable, "The provider's ID token cannot be read."))
}

/// Judges a token.
pub(super) fn judge<'a>(
    token: &'a Token,
    keys: CoreJsonWebKeySet,
    expected: &Expected<'_>,
) -> Result<&'a Claims, Wrong> {
    let verifier = IdTokenVerifier::new_public_client(expected.client.clone(), expected.issuer.clone(), keys)
        .set_allowed_algs(expected.algorithms.iter().cloned())
        // The library would ask the machine's clock.
        .set_time_fn(|| chrono::DateTime::UNIX_EPOCH);
    let claims = token.claims(&verifier, expected.nonce).map_err(wrong)?;
    let now = expected.now.as_second();
    if claims.expiration().timestamp() + SKEW_SECONDS <= now {
        return Err(refuse(
            Code::IdTokenExpired,
            "The provider's ID token has expired. Is the clock of one of the machines wrong?",
        ));
    }
    let begins = claims.additional_claims().nbf.map_or(i64::MIN, |nbf| nbf as i64).max(claims.issue_time().timestamp());
    if begins - SKEW_SECONDS > now {
        let sentence = "The provider's ID token is not valid yet. Is the clock of one of the machines wrong?";
        return Err(refuse(Code::IdTokenNotYet, sentence));
    }
    if claims.authorized_party().is_some_and(|party| party != expected.client) {
        return Err(refuse(Code::IdTokenAudience, "The provider's ID token was made out to another client."));
    }
    Ok(claims)
}

fn wrong(error: ClaimsVerificationError) -> Wrong {
    use ClaimsVerificationError as Failed;
    use SignatureVerificationError as Signature;
    match error {
        Failed::InvalidIssuer(_) => refuse(Code::IdTokenIssuer, "The ID token comes from another issuer."),
        Failed::InvalidAudience(_) => {
            refuse(Code::IdTokenAudience, "The provider's ID token was made out to another client.")
        }
        Failed::InvalidNonce(_) => refuse(Code::IdTokenNonce, "The provider's ID token belongs to another login."),
        Failed::SignatureVerification(Signature::NoMatchingKey | Signature::AmbiguousKeyId(_)) => Wrong::Key,
        // A key that was replaced may have kept its name.
        Failed::SignatureVerification(Signature::CryptoError(_)) => Wrong::Key,
        Failed::SignatureVerification(_) | Failed::Unsupported(_) => Wrong::Refused(signature()),
        _ => refuse(Code::IdTokenUnreadable, "The provider's ID token lacks what it must have."),
    }
}

/// The refusal where no key fits.
pub(super) fn signature() -> Error {
    refused(
        Code::IdTokenSignature,
        "The signature of the provider's ID token is missing, wrong or of a kind that is not taken.",
    )
}

fn refuse(code: Code, sentence: &str) -> Wrong {
    Wrong::Refused(refused(code, sentence))
}

fn refused(code: Code, sentence: &str) -> Error {
    Error::new(code, format!("{sentence} Log in again; if it happens again, tell the operator."))
}
