//! What a person or a page is told when something did not work: a stable code and a sentence.

use postern_api::{Code, Error};
use serde::Serialize;

/// `{code, message}`: what every command answers on failure and what the state carries.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, thiserror::Error)]
#[error("{message} ({code})")]
pub(crate) struct Failure {
    pub(crate) code: Code,
    pub(crate) message: String,
}

pub(crate) type Result<T, E = Failure> = std::result::Result<T, E>;

impl Failure {
    pub(crate) fn new(code: Code, message: impl Into<String>) -> Self {
        Failure { code, message: message.into() }
    }

    /// Something on this computer refused: a file, a program, a socket.
    pub(crate) fn local(what: impl std::fmt::Display, why: impl std::fmt::Display) -> Self {
        Failure::new(Code::Unavailable, format!("{what}: {why}"))
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Failure { code: error.code, message: error.message }
    }
}
