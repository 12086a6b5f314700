//! The error of the desktop app: a stable code and a sentence for the person or page that reads it.

use postern_api::{Code, Error};
use schemars::JsonSchema;
use serde::Serialize;

/// `{code, message}`: the error of every command, also carried in the desktop state.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema, thiserror::Error)]
#[error("{message} ({code})")]
pub(crate) struct DesktopError {
    #[schemars(with = "String")]
    pub(crate) code: Code,
    pub(crate) message: String,
}

pub(crate) type Result<T, E = DesktopError> = std::result::Result<T, E>;

impl DesktopError {
    pub(crate) fn new(code: Code, message: impl Into<String>) -> Self {
        DesktopError { code, message: message.into() }
    }

    /// An error of this computer: a file, a program or a socket. The message reads `{what}: {cause}`.
    pub(crate) fn local(what: impl std::fmt::Display, cause: impl std::fmt::Display) -> Self {
        DesktopError::new(Code::Unavailable, format!("{what}: {cause}"))
    }
}

impl From<Error> for DesktopError {
    fn from(error: Error) -> Self {
        DesktopError { code: error.code, message: error.message }
    }
}
