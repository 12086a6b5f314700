//! VMware: a user and a password. The secret has two colons between them.

use super::{Encoding, Head, Reason, bytes, judged, same_secret};
use postern_api::Secret;

const HEADER: &str = "Authorization";

/// What must be said, ready to be compared.
pub(in super::super) fn credentials(secret: &Secret) -> Option<Secret> {
    let (user, password) = secret.reveal().split_once("::")?;
    Some(Secret::new(format!("{user}:{password}")))
}

pub(in super::super) fn head(credentials: Option<&Secret>, head: &Head<'_>) -> Result<(), Reason> {
    let unusable = Reason::Secret("the secret of the route is not of the form user::password");
    let credentials = credentials.ok_or(unusable)?;
    let said = head.one(HEADER)?;
    let unreadable = || Reason::Unreadable(HEADER.to_owned());
    let (scheme, said) = said.split_once(' ').ok_or_else(unreadable)?;
    if !scheme.eq_ignore_ascii_case("Basic") {
        return Err(unreadable());
    }
    let said = bytes(Encoding::Base64, said).ok_or_else(unreadable)?;
    judged(same_secret(credentials.reveal().as_bytes(), &said))
}
