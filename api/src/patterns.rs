//! What all regular expressions of modules share: limits of length and memory, and what is said about one that is refused.

use crate::{Code, Error, Result};

/// The longest pattern in bytes.
pub const LENGTH_LIMIT: usize = 1024;
/// Memory limit of one compiled pattern in bytes.
pub(crate) const SIZE_LIMIT: usize = 256 << 10;

/// # Errors
/// [`Code::PatternLength`].
pub(crate) fn check_length(pattern: &str) -> Result<()> {
    if pattern.len() > LENGTH_LIMIT {
        let (shown, length) = (shown(pattern), pattern.len());
        let sentence = format!("The pattern `{shown}…` has {length} bytes; at most {LENGTH_LIMIT} are allowed.");
        return Err(Error::new(Code::PatternLength, sentence));
    }
    Ok(())
}

/// The error for a pattern that cannot be compiled.
pub(crate) fn invalid(pattern: &str, error: &regex::Error) -> Error {
    let drawing = error.to_string();
    let reason = match error {
        regex::Error::CompiledTooBig(_) => "compiled, it is too large; repeat less, or write several patterns",
        // The last line of the parser's output names the mistake.
        _ => drawing.lines().last().unwrap_or_default().trim().trim_start_matches("error: ").trim_end_matches('.'),
    };
    let shown = shown(pattern);
    Error::new(Code::PatternInvalid, format!("`{shown}` is not a regular expression that can be used: {reason}."))
}

fn shown(pattern: &str) -> String {
    pattern.chars().take(64).collect()
}
