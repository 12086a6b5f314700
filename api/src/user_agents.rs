//! Patterns for a visitor's `User-Agent`, compiled the same way where they are stored and where they are applied.

use crate::{
    Result,
    patterns::{self, SIZE_LIMIT},
};
use regex::bytes::{Regex, RegexBuilder};

/// Limit of patterns in one list.
pub const COUNT_LIMIT: usize = 100;

/// Compiles a pattern that matches anywhere in the header. Matching is linear in the length of the header,
/// for every pattern.
///
/// # Errors
/// [`Code::PatternLength`] or [`Code::PatternInvalid`].
pub fn compile(pattern: &str) -> Result<Regex> {
    patterns::check_length(pattern)?;
    RegexBuilder::new(pattern)
        .size_limit(SIZE_LIMIT)
        .dfa_size_limit(SIZE_LIMIT)
        .build()
        .map_err(|error| patterns::invalid(pattern, &error))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Code, patterns::LENGTH_LIMIT};
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
