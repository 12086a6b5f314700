//! The configuration file as text.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The configuration file, with placeholders for its secrets.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ConfigurationText {
    /// The file.
    pub path: String,
    /// Further files of the configuration, which are not shown.
    pub other_files: Vec<String>,
    /// The text.
    pub text: String,
    /// The revision to send back with an edit.
    pub revision: String,
    /// The number of placeholders.
    pub kept_secrets: u64,
    /// The path of this resource.
    pub uri: String,
}

/// An edited configuration file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ConfigurationEdit {
    /// The text; placeholders stand for the secrets they replaced.
    pub text: String,
    /// The revision that was read.
    pub revision: String,
}

/// The outcome of checking an edit.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ConfigurationCheck {
    /// The edit could be saved.
    pub valid: bool,
    /// The problems.
    pub problems: Vec<ConfigurationProblem>,
}

/// A problem of a configuration file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ConfigurationProblem {
    /// The line, from 1; 0 if no line is meant.
    pub line: u64,
    /// The column, from 1; 0 if no line is meant.
    pub column: u64,
    /// The key.
    pub key: String,
    /// The sentence for a person.
    pub message: String,
    /// The stable code to act on.
    pub code: String,
}
