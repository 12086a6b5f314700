//! How a text is looked for: contained, equal, or matching a regular expression.

use regex::bytes::{Regex, RegexBuilder};

/// A compiled pattern needs no more memory than this.
const LARGEST: usize = 1 << 20;

/// Texts up to this length are looked through byte after byte.
const SHORT: usize = 256;

/// Judges a text.
#[derive(Clone, Debug)]
pub(super) enum Matcher {
    /// All of it is this.
    Equal(Vec<u8>),
    /// This stands somewhere in it, whatever the case of its ASCII letters. The expression says the same: it is faster
    /// in long texts, and slower in the short ones that are asked a hundred thousand times.
    Contains(Vec<u8>, Regex),
    /// It stands somewhere in it.
    Found(Regex),
}

impl Matcher {
    /// Contains the text; case does not count for ASCII letters, and `*` stands for anything.
    pub(super) fn contains(text: &str) -> Option<Self> {
        let parts: Vec<String> = text.split('*').map(regex::escape).collect();
        let compiled = Self::compiled(RegexBuilder::new(&parts.join("(?s-u:.*)")).unicode(false)).ok()?;
        Some(match compiled {
            Matcher::Found(regex) if parts.len() == 1 => Matcher::Contains(text.as_bytes().to_vec(), regex),
            other => other,
        })
    }

    /// Is the text, byte for byte.
    pub(super) fn equal(text: &str) -> Self {
        Matcher::Equal(text.as_bytes().to_vec())
    }

    /// Matches a regular expression somewhere; case does not count.
    pub(super) fn pattern(pattern: &str) -> Result<Self, String> {
        Self::compiled(&mut RegexBuilder::new(pattern))
    }

    fn compiled(builder: &mut RegexBuilder) -> Result<Self, String> {
        let built = builder.case_insensitive(true).size_limit(LARGEST).nest_limit(64).build();
        built.map(Matcher::Found).map_err(|error| match error {
            regex::Error::CompiledTooBig(_) => "it is too large".to_owned(),
            // The library draws the place over several lines; the last one says what it is.
            other => other.to_string().lines().last().unwrap_or_default().trim_start_matches("error: ").to_owned(),
        })
    }

    pub(super) fn matches(&self, text: &[u8]) -> bool {
        match self {
            Matcher::Equal(wanted) => text == wanted,
            Matcher::Contains(needle, _) if text.len() <= SHORT => stands_in(needle, text),
            Matcher::Contains(_, regex) | Matcher::Found(regex) => regex.is_match(text),
        }
    }
}

fn stands_in(needle: &[u8], text: &[u8]) -> bool {
    let Some(first) = needle.first() else { return true };
    text.windows(needle.len()).any(|part| part[0].eq_ignore_ascii_case(first) && part.eq_ignore_ascii_case(needle))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn short_and_long_texts_are_judged_alike(needle in "[abAB. é]{0,4}", text in "[abAB. é]{0,40}") {
            let matcher = Matcher::contains(&needle).expect("short");
            let Matcher::Contains(_, regex) = &matcher else { panic!("{matcher:?}") };
            prop_assert_eq!(matcher.matches(text.as_bytes()), regex.is_match(text.as_bytes()));
            let long = format!("{text}{}", "z".repeat(SHORT));
            prop_assert_eq!(matcher.matches(long.as_bytes()), matcher.matches(text.as_bytes()));
        }
    }
}
