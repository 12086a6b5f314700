//! The one error that people, programs and pages get to see.

use crate::Code;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// What went wrong, for the one who asked: a code to act on, a sentence to read, details to look up.
///
/// The message says what is wrong and what to do. It never holds a secret. What only the operator
/// may read belongs in the log, beside the operation id.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error, Serialize, Deserialize)]
#[error("{message} ({code})")]
pub struct Error {
    /// The stable code.
    #[serde(rename = "error_code")]
    pub code: Code,
    /// What is wrong and what to do about it.
    #[serde(rename = "msg")]
    pub message: String,
    /// Further facts, such as `operation_id` or the name of the field.
    #[serde(default)]
    pub details: BTreeMap<String, String>,
}

/// A result whose error may be shown to the caller.
pub type Result<T, E = Error> = std::result::Result<T, E>;

impl Error {
    /// An error with its sentence.
    pub fn new(code: Code, message: impl Into<String>) -> Self {
        Error { code, message: message.into(), details: BTreeMap::new() }
    }

    /// The same error with one more detail.
    #[must_use]
    pub fn with(mut self, name: &str, value: impl std::fmt::Display) -> Self {
        self.details.insert(name.to_owned(), value.to_string());
        self
    }

    /// The HTTP status that goes with it.
    pub fn status(&self) -> u16 {
        self.code.status()
    }

    /// The body of a management API answer: `error_code`, `status_code`, `msg`, `details`.
    pub fn body(&self) -> serde_json::Value {
        serde_json::json!({
            "error_code": self.code,
            "status_code": self.status(),
            "msg": self.message,
            "details": self.details,
        })
    }
}

impl From<Code> for Error {
    fn from(code: Code) -> Self {
        Error::new(code, code.meaning())
    }
}
