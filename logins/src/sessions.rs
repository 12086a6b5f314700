//! Sessions as they are published: the edge looks them up and changes none of them.

use crate::attempts::digest;
use postern_api::published::SessionKey;

/// What the session of a route is found by, given the secret in a cookie. One secret serves all routes of a host.
pub(crate) fn key(secret: &[u8], route: &str) -> SessionKey {
    SessionKey(digest(&[secret, route.as_bytes()]))
}
