//! The body of every error of the local API.

use super::ConfigurationProblem;
use crate::{Code, Error};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// An error. `error_code` has the numbers that existing client libraries know; `details.code` is the code to act on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct LocalApiError {
    /// The number.
    pub error_code: u16,
    /// The status of the response.
    pub status_code: u16,
    /// A short text.
    pub msg: String,
    /// The code, the whole sentence and further facts.
    pub details: LocalErrorDetails,
}

/// The details of an error.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct LocalErrorDetails {
    /// The sentence for a person.
    pub err: String,
    /// The stable code to act on, such as `ERR_POSTERN_8120`.
    pub code: String,
    /// Further facts, such as the key or the position.
    #[serde(flatten)]
    pub facts: Map<String, Value>,
    /// The problems of a configuration file that was not saved.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub problems: Option<Vec<ConfigurationProblem>>,
}

impl From<LocalApiError> for Error {
    /// The code and the sentence; a code of a newer agent becomes [`Code::Internal`].
    fn from(error: LocalApiError) -> Self {
        Error::new(error.details.code.parse().unwrap_or(Code::Internal), error.details.err)
    }
}
