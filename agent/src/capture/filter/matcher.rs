//! Matching of texts: contains, equals, or matches a regular expression.

use regex::bytes::{Regex, RegexBuilder};

/// The most memory of a compiled expression.
const MAX_REGEX_BYTES: usize = 1 << 20;

/// Texts up to this length are searched byte by byte.
const SHORT_TEXT_BYTES: usize = 256;

/// Matches a text.
#[derive(Clone, Debug)]
pub(super) enum TextMatcher {
    /// Equals the bytes.
    Equal(Vec<u8>),
    /// Contains the bytes, with ASCII letters in any case. The equivalent expression is faster on long texts and slower
    /// on the short ones that are searched for every captured request.
    Contains(Vec<u8>, Regex),
    /// Matches the expression somewhere.
    Found(Regex),
}

impl TextMatcher {
    /// Contains the text; ASCII letters match in any case and `*` matches anything.
    pub(super) fn contains(text: &str) -> Option<Self> {
        let parts: Vec<String> = text.split('*').map(regex::escape).collect();
        let compiled = Self::compiled(RegexBuilder::new(&parts.join("(?s-u:.*)")).unicode(false)).ok()?;
        Some(match compiled {
            TextMatcher::Found(regex) if parts.len() == 1 => TextMatcher::Contains(text.as_bytes().to_vec(), regex),
            other => other,
        })
    }

    /// Equals the text byte for byte.
    pub(super) fn equal(text: &str) -> Self {
        TextMatcher::Equal(text.as_bytes().to_vec())
    }

    /// Matches a regular expression somewhere, in any case.
    pub(super) fn pattern(pattern: &str) -> Result<Self, String> {
        Self::compiled(&mut RegexBuilder::new(pattern))
    }

    fn compiled(builder: &mut RegexBuilder) -> Result<Self, String> {
        let built = builder.case_insensitive(true).size_limit(MAX_REGEX_BYTES).nest_limit(64).build();
        built.map(TextMatcher::Found).map_err(|error| match error {
            regex::Error::CompiledTooBig(_) => "it is too large".to_owned(),
            // The message spans several lines; the last one names the problem.
            other => other.to_string().lines().last().unwrap_or_default().trim_start_matches("error: ").to_owned(),
        })
    }

    pub(super) fn matches(&self, text: &[u8]) -> bool {
        match self {
            TextMatcher::Equal(expected) => text == expected,
            TextMatcher::Contains(needle, _) if text.len() <= SHORT_TEXT_BYTES => contains_ignoring_case(needle, text),
            TextMatcher::Contains(_, regex) | TextMatcher::Found(regex) => regex.is_match(text),
        }
    }
}

fn contains_ignoring_case(needle: &[u8], text: &[u8]) -> bool {
    let Some(first) = needle.first() else { return true };
    text.windows(needle.len()).any(|part| part[0].eq_ignore_ascii_case(first) && part.eq_ignore_ascii_case(needle))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn short_and_long_texts_match_alike(needle in "[abAB. é]{0,4}", text in "[abAB. é]{0,40}") {
            let matcher = TextMatcher::contains(&needle).expect("short");
            let TextMatcher::Contains(_, regex) = &matcher else { panic!("{matcher:?}") };
            prop_assert_eq!(matcher.matches(text.as_bytes()), regex.is_match(text.as_bytes()));
            let long = format!("{text}{}", "z".repeat(SHORT_TEXT_BYTES));
            prop_assert_eq!(matcher.matches(long.as_bytes()), matcher.matches(text.as_bytes()));
        }
    }
}
