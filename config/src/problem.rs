//! Problems of a configuration: location, key, reason, and what to write instead.

use postern_api::{Code, Error};
use std::sync::Arc;

/// A location in a configuration file. Bodies of API calls and command lines have none.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SourceLocation {
    /// The path of the file; `None` outside of files.
    pub file: Option<Arc<str>>,
    /// Line, counted from 1; 0 outside of files.
    pub line: usize,
    /// Column, counted from 1; 0 outside of files.
    pub column: usize,
}

/// A problem. Never contains the value of a secret key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// The location.
    pub location: SourceLocation,
    /// The key with its parents, `tunnels.site.addr`; empty for the whole file.
    pub key: String,
    /// The problem and what to write instead, in sentences.
    pub message: String,
    /// The error code.
    pub code: Code,
}

/// All problems, in the order of the file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Problems(pub Vec<Problem>);

impl std::fmt::Display for SourceLocation {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match (&self.file, self.line) {
            (Some(file), 0) => write!(f, "{file}"),
            (Some(file), line) => write!(f, "{file}:{line}:{}", self.column),
            (None, _) => Ok(()),
        }
    }
}

impl std::fmt::Display for Problem {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if self.location.file.is_some() {
            write!(f, "{}: ", self.location)?;
        }
        if !self.key.is_empty() {
            write!(f, "{}: ", self.key)?;
        }
        f.write_str(&self.message)
    }
}

impl Problems {
    /// Adds a problem with the code `ConfigInvalid`.
    pub fn add(&mut self, location: &SourceLocation, key: &str, message: impl Into<String>) {
        self.add_coded(Code::ConfigInvalid, location, key, message);
    }

    /// Adds a problem with its own code.
    pub fn add_coded(&mut self, code: Code, location: &SourceLocation, key: &str, message: impl Into<String>) {
        self.0.push(Problem { location: location.clone(), key: key.to_owned(), message: message.into(), code });
    }

    /// Whether there are no problems.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// All problems as one error.
    pub fn to_error(&self) -> Error {
        let code = match self.0.as_slice() {
            [only] => only.code,
            _ => Code::ConfigInvalid,
        };
        let text = self.to_string();
        let mut error = Error::new(code, text);
        if let Some(first) = self.0.first() {
            if !first.key.is_empty() {
                error = error.with("key", &first.key);
            }
            if first.location.line > 0 {
                error = error.with("line", first.location.line).with("column", first.location.column);
            }
        }
        error
    }
}

impl std::fmt::Display for Problems {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        for (index, problem) in self.0.iter().enumerate() {
            if index > 0 {
                f.write_str("\n")?;
            }
            problem.fmt(f)?;
        }
        Ok(())
    }
}

impl std::error::Error for Problems {}
