//! Requests to an ACME authority: they are made again while it rejects their nonces, and their errors are texts for the
//! operator.

use super::AcmeError;
use instant_acme::Error;

/// How often a request is made while its nonce is rejected. The client itself sends each up to three times.
const MAX_NONCE_ATTEMPTS: u32 = 8;

/// Makes a request again while the authority rejects its nonce (RFC 8555, section 6.5), as it may after a restart, or when
/// several servers of it respond. Not a function, because a future that borrows from an async closure is not `Send`.
macro_rules! with_valid_nonce {
    ($request:expr) => {{
        let mut attempts = 1;
        loop {
            match $request {
                Err(error) if $crate::acme::requests::is_rejected_nonce(&error, attempts) => attempts += 1,
                outcome => break outcome,
            }
        }
    }};
}
pub(super) use with_valid_nonce;

/// Whether an error after so many attempts is that of a nonce, and there may be one more.
pub(super) fn is_rejected_nonce(error: &Error, attempts: u32) -> bool {
    attempts < MAX_NONCE_ATTEMPTS && is_problem(error, "badNonce")
}

/// Whether the authority says that there is a problem of a type of RFC 8555, section 6.7.
pub(super) fn is_problem(error: &Error, name: &str) -> bool {
    let Error::Api(problem) = error else { return false };
    let kind = problem.r#type.as_deref().and_then(|kind| kind.rsplit_once(':'));
    kind.is_some_and(|(_, last)| last == name)
}

impl AcmeError {
    pub(super) fn from_client(error: Error) -> Self {
        // The cause of a network error is only in its sources.
        let mut text = error.to_string();
        let mut cause = std::error::Error::source(&error);
        while let Some(error) = cause {
            let more = error.to_string();
            if !text.contains(&more) {
                text = format!("{text}: {more}");
            }
            cause = error.source();
        }
        AcmeError(text)
    }
}
