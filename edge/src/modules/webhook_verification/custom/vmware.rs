//! VMware: HTTP Basic authentication (RFC 7617). The secret is `user::password`.

use super::{Encoding, Rejection, RequestHead, decode_signature, secrets_match, verified};
use postern_api::Secret;

const HEADER: &str = "Authorization";

/// The expected credentials.
pub(in super::super) fn credentials(secret: &Secret) -> Option<Secret> {
    let (user, password) = secret.reveal().split_once("::")?;
    Some(Secret::new(format!("{user}:{password}")))
}

pub(in super::super) fn head(credentials: Option<&Secret>, head: &RequestHead<'_>) -> Result<(), Rejection> {
    let unusable = Rejection::InvalidSecret("the secret of the route is not of the form user::password");
    let credentials = credentials.ok_or(unusable)?;
    let said = head.single(HEADER)?;
    let unreadable = || Rejection::MalformedHeader(HEADER.to_owned());
    let (scheme, said) = said.split_once(' ').ok_or_else(unreadable)?;
    if !scheme.eq_ignore_ascii_case("Basic") {
        return Err(unreadable());
    }
    let said = decode_signature(Encoding::Base64, said).ok_or_else(unreadable)?;
    verified(secrets_match(credentials.reveal().as_bytes(), &said))
}
