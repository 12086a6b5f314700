//! Verification of ID tokens (OpenID Connect Core, section 3.1.3.7). The library checks signature, issuer, audience
//! and nonce; this file checks the times, by this server's clock and with some tolerance.

use jiff::Timestamp;
use openidconnect::{
    AdditionalClaims, ClaimsVerificationError, ClientId, IdToken, IdTokenClaims, IdTokenVerifier, IssuerUrl, Nonce,
    SignatureVerificationError,
    core::{CoreGenderClaim, CoreJsonWebKeySet, CoreJweContentEncryptionAlgorithm, CoreJwsSigningAlgorithm},
};
use postern_api::{Code, Error};
use serde::{Deserialize, Serialize};
use std::str::FromStr;

/// Tolerated difference between the issuer's clock and this server's, in seconds.
const CLOCK_SKEW_SECONDS: i64 = 60;

/// Claims that the library does not know.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub(super) struct ExtraClaims {
    #[serde(default)]
    nbf: Option<f64>,
    #[serde(default)]
    pub(super) sid: Option<String>,
}
impl AdditionalClaims for ExtraClaims {}

pub(super) type ProviderIdToken =
    IdToken<ExtraClaims, CoreGenderClaim, CoreJweContentEncryptionAlgorithm, CoreJwsSigningAlgorithm>;
pub(super) type ProviderClaims = IdTokenClaims<ExtraClaims, CoreGenderClaim>;

/// The values that an ID token must match.
pub(super) struct ExpectedClaims<'a> {
    pub(super) issuer: &'a IssuerUrl,
    pub(super) client: &'a ClientId,
    pub(super) algorithms: &'a [CoreJwsSigningAlgorithm],
    pub(super) nonce: &'a Nonce,
    pub(super) now: Timestamp,
}

/// Reason why a token is not accepted.
pub(super) enum IdTokenError {
    /// None of the known keys made the signature; a newer one may have.
    UnknownKey,
    /// The token is invalid.
    Rejected(Error),
}

/// Parses a token.
pub(super) fn parse(text: &str) -> Result<ProviderIdToken, Error> {
    ProviderIdToken::from_str(text)
        .map_err(|_| error(Code::IdTokenUnreadable, "The provider's ID token cannot be parsed."))
}

/// Verifies a token.
pub(super) fn verify<'a>(
    token: &'a ProviderIdToken,
    keys: CoreJsonWebKeySet,
    expected: &ExpectedClaims<'_>,
) -> Result<&'a ProviderClaims, IdTokenError> {
    let verifier = IdTokenVerifier::new_public_client(expected.client.clone(), expected.issuer.clone(), keys)
        .set_allowed_algs(expected.algorithms.iter().cloned())
        // The library would use the system clock; the times are checked below.
        .set_time_fn(|| chrono::DateTime::UNIX_EPOCH);
    let claims = token.claims(&verifier, expected.nonce).map_err(verification_error)?;
    let now = expected.now.as_second();
    if claims.expiration().timestamp() + CLOCK_SKEW_SECONDS <= now {
        return Err(rejection(
            Code::IdTokenExpired,
            "The provider's ID token has expired. Check the clocks of both machines.",
        ));
    }
    let begins = claims.additional_claims().nbf.map_or(i64::MIN, |nbf| nbf as i64).max(claims.issue_time().timestamp());
    if begins - CLOCK_SKEW_SECONDS > now {
        let message = "The provider's ID token is not valid yet. Check the clocks of both machines.";
        return Err(rejection(Code::IdTokenNotYet, message));
    }
    if claims.authorized_party().is_some_and(|party| party != expected.client) {
        return Err(rejection(Code::IdTokenAudience, "The provider's ID token was issued to another client."));
    }
    Ok(claims)
}

fn verification_error(error: ClaimsVerificationError) -> IdTokenError {
    use ClaimsVerificationError as Failed;
    use SignatureVerificationError as Signature;
    match error {
        Failed::InvalidIssuer(_) => {
            rejection(Code::IdTokenIssuer, "The provider's ID token comes from another issuer.")
        }
        Failed::InvalidAudience(_) => {
            rejection(Code::IdTokenAudience, "The provider's ID token was issued to another client.")
        }
        Failed::InvalidNonce(_) => rejection(Code::IdTokenNonce, "The provider's ID token belongs to another login."),
        Failed::SignatureVerification(Signature::NoMatchingKey | Signature::AmbiguousKeyId(_)) => {
            IdTokenError::UnknownKey
        }
        // A replaced key may have kept its id.
        Failed::SignatureVerification(Signature::CryptoError(_)) => IdTokenError::UnknownKey,
        Failed::SignatureVerification(_) | Failed::Unsupported(_) => IdTokenError::Rejected(invalid_signature()),
        _ => rejection(Code::IdTokenUnreadable, "The provider's ID token lacks required claims."),
    }
}

/// The error if no key matches the signature.
pub(super) fn invalid_signature() -> Error {
    error(
        Code::IdTokenSignature,
        "The signature of the provider's ID token is missing, wrong or of an unsupported kind.",
    )
}

fn rejection(code: Code, message: &str) -> IdTokenError {
    IdTokenError::Rejected(error(code, message))
}

fn error(code: Code, message: &str) -> Error {
    Error::new(code, format!("{message} Log in again; if it happens again, tell the operator."))
}
