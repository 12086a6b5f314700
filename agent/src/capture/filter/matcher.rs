//! How a text is looked for: contained, equal, or matching a regular expression.

use regex::bytes::{Regex, RegexBuilder};

/// A compiled pattern needs no more memory than this.
const LARGEST: usize = 1 << 20;

/// Judges a text.
#[derive(Clone, Debug)]
pub(super) enum Matcher {
    /// All of it is this.
    Equal(Vec<u8>),
    /// It stands somewhere in it.
    Found(Regex),
}

impl Matcher {
    /// Contains the text; case does not count for ASCII letters, and `*` stands for anything.
    pub(super) fn contains(text: &str) -> Option<Self> {
        let parts: Vec<String> = text.split('*').map(regex::escape).collect();
        Self::compiled(RegexBuilder::new(&parts.join("(?s-u:.*)")).unicode(false)).ok()
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
            Matcher::Found(regex) => regex.is_match(text),
        }
    }
}
