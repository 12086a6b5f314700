//! The error type shown to users, clients and pages.

use crate::Code;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// An error for the caller: a code for programs, a message for people, and details.
///
/// The message says what is wrong and what to do, and never contains a secret. Information that only the operator
/// may see belongs in the log, next to the operation id.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error, Serialize, Deserialize)]
#[error("{message} ({code})")]
pub struct Error {
    /// Stable code.
    #[serde(rename = "error_code")]
    pub code: Code,
    /// Message: what is wrong and what to do.
    #[serde(rename = "msg")]
    pub message: String,
    /// Details, such as `operation_id` or the name of the field.
    #[serde(default)]
    pub details: BTreeMap<String, String>,
}

/// A result whose error may be shown to the caller.
pub type Result<T, E = Error> = std::result::Result<T, E>;

impl Error {
    /// An error with a message.
    pub fn new(code: Code, message: impl Into<String>) -> Self {
        Error { code, message: message.into(), details: BTreeMap::new() }
    }

    /// Adds a detail.
    #[must_use]
    pub fn with(mut self, name: &str, value: impl std::fmt::Display) -> Self {
        self.details.insert(name.to_owned(), value.to_string());
        self
    }

    /// HTTP status of the code.
    pub fn status(&self) -> u16 {
        self.code.status()
    }

    /// Body of a management API response: `error_code`, `status_code`, `msg`, `details`.
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
