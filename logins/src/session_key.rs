//! The key under which a session is published.

use crate::crypto::digest;
use postern_api::published::SessionKey;

/// The key of a session, derived from the secret in its cookie and the route. One secret serves all routes of a host.
pub(crate) fn session_key(secret: &[u8], route: &str) -> SessionKey {
    SessionKey(digest(&[secret, route.as_bytes()]))
}
