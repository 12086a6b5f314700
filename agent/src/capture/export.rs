//! Captured requests in the formats of other programs: `curl` commands and HAR files.

pub mod curl;
pub mod har;
mod secrets;

pub use secrets::Secrets;
