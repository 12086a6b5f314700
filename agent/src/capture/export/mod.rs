//! Captured requests in the forms that other programs read: a command for `curl`, and HAR files.

pub mod curl;
pub mod har;
mod parts;

pub use parts::Secrets;
