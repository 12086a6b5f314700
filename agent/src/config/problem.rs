//! What is wrong with a configuration: where, which key, why, and what to write instead.

use postern_api::{Code, Error};
use std::sync::Arc;

/// A place in a configuration file. Bodies of API calls and command lines have none.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Place {
    /// The file's path as it was given, `None` outside files.
    pub file: Option<Arc<str>>,
    /// Counted from 1; 0 where there is no file.
    pub line: usize,
    /// Counted from 1; 0 where there is no file.
    pub column: usize,
}

/// One thing that is wrong. Never holds the value of a secret key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// Where.
    pub place: Place,
    /// The key with its parents, `tunnels.site.addr`; empty for the file as a whole.
    pub key: String,
    /// What is wrong and what to write instead, in sentences.
    pub message: String,
    /// The code for programs.
    pub code: Code,
}

/// Everything that is wrong, in the order of the file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Problems(pub Vec<Problem>);

impl std::fmt::Display for Place {
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
        if self.place.file.is_some() {
            write!(f, "{}: ", self.place)?;
        }
        if !self.key.is_empty() {
            write!(f, "{}: ", self.key)?;
        }
        f.write_str(&self.message)
    }
}

impl Problems {
    /// Adds one more.
    pub fn add(&mut self, place: &Place, key: &str, message: impl Into<String>) {
        self.add_coded(Code::ConfigInvalid, place, key, message);
    }

    /// Adds one more under a code of its own.
    pub fn add_coded(&mut self, code: Code, place: &Place, key: &str, message: impl Into<String>) {
        self.0.push(Problem { place: place.clone(), key: key.to_owned(), message: message.into(), code });
    }

    /// Whether there is nothing wrong.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// All of it as one error for a person or program that asked.
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
            if first.place.line > 0 {
                error = error.with("line", first.place.line).with("column", first.place.column);
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
