//! Patterns for a visitor's `User-Agent`, compiled the same way where they are stored and where they are applied.

use crate::{Code, Error, Result};
use regex::bytes::{Regex, RegexBuilder};

/// Limit of patterns in one list.
pub const COUNT_LIMIT: usize = 100;
/// Longest pattern in bytes.
pub const LENGTH_LIMIT: usize = 1024;
/// Memory limit of one compiled pattern in bytes.
const SIZE_LIMIT: usize = 256 << 10;

/// Compiles a pattern that matches anywhere in the header. Matching is linear in the length of the header,
/// for every pattern.
///
/// # Errors
/// [`Code::PatternLength`] or [`Code::PatternInvalid`].
pub fn compile(pattern: &str) -> Result<Regex> {
    let shown: String = pattern.chars().take(64).collect();
    if pattern.len() > LENGTH_LIMIT {
        let sentence =
            format!("The pattern `{shown}…` has {} bytes; at most {LENGTH_LIMIT} are allowed.", pattern.len());
        return Err(Error::new(Code::PatternLength, sentence));
    }
    RegexBuilder::new(pattern).size_limit(SIZE_LIMIT).dfa_size_limit(SIZE_LIMIT).build().map_err(|error| {
        let reason = match &error {
            regex::Error::CompiledTooBig(_) => {
                "compiled, it is too large; repeat less, or write several patterns".to_owned()
            }
            // The last line of the parser's output names the mistake.
            error => {
                let drawing = error.to_string();
                let last = drawing.lines().last().unwrap_or_default();
                last.trim().trim_start_matches("error: ").trim_end_matches('.').to_owned()
            }
        };
        Error::new(Code::PatternInvalid, format!("`{shown}` is not a regular expression that can be used: {reason}."))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn patterns_are_looked_for_anywhere() {
        for (pattern, agent, found) in [
            ("(?i)bot", "Googlebot/2.1", true),
            ("^curl/", "curl/8.5", true),
            ("^curl/", "libcurl/8.5", false),
            ("^$", "", true),
            ("^$", "x", false),
            (r"Firefox/(4[0-9]|5\d)\.", "Mozilla/5.0 Firefox/42.0", true),
            (r"[[:digit:]]{2}\z", "x12", true),
        ] {
            assert_eq!(compile(pattern).expect(pattern).is_match(agent.as_bytes()), found, "{pattern} in {agent}");
        }
    }

    #[test]
    fn what_cannot_be_used_is_refused_with_a_reason() {
        for pattern in ["(", "[z-a]", "a{2,1}", r"\1", "(?=x)", "*", r"(\w{100}){100}", "((a{100}){100}){100}"] {
            let error = compile(pattern).expect_err(pattern);
            assert_eq!(error.code, Code::PatternInvalid, "{pattern}");
            assert!(!error.message.contains('\n') && error.message.len() < 300, "{}", error.message);
        }
        let error = compile("(abc").expect_err("refused");
        assert_eq!(error.message, "`(abc` is not a regular expression that can be used: unclosed group.");
        assert_eq!(compile(&"x".repeat(LENGTH_LIMIT)).map(|_| ()), Ok(()));
        assert_eq!(compile(&"x".repeat(LENGTH_LIMIT + 1)).expect_err("too long").code, Code::PatternLength);
        assert_eq!(compile(&"ä".repeat(LENGTH_LIMIT)).expect_err("too long").code, Code::PatternLength);
    }

    proptest! {
        #[test]
        fn any_text_is_judged_without_a_panic(text in "\\PC{0,60}", odd in "[()\\[\\]{}?*+|\\\\^$.a0-9,:<>=!&-]{0,40}") {
            for pattern in [text, odd] {
                if let Ok(regex) = compile(&pattern) {
                    let _ = regex.is_match(b"Mozilla/5.0 \xff");
                }
            }
        }
    }
}
