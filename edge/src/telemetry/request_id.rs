//! Request ids.

use postern_api::id::ksuid;

/// Names a request in the log, and to the visitor when it is refused: `op_…`.
pub(crate) fn request_id() -> String {
    format!("op_{}", ksuid(postern_api::clock::now().as_second(), rand::random()))
}
