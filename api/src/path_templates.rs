//! Patterns of paths, and texts with the groups of a pattern and with variables, for redirects and rewrites.

use crate::{
    Result,
    headers::variables::{self, Variable},
    patterns::{self, SIZE_LIMIT},
};
use regex::{Regex, RegexBuilder};
use std::fmt::Write;

/// The longest template in bytes.
pub const TEMPLATE_LIMIT: usize = 2048;

/// Compiles a pattern that matches a whole path. Matching is linear in the length of the path, for every pattern.
///
/// # Errors
/// [`Code::PatternLength`] or [`Code::PatternInvalid`].
pub fn compile(pattern: &str) -> Result<Regex> {
    patterns::check_length(pattern)?;
    let invalid = |error| patterns::invalid(pattern, &error);
    // Alone first, so that a pattern cannot close the group that anchors it.
    RegexBuilder::new(pattern).size_limit(SIZE_LIMIT).build().map_err(invalid)?;
    RegexBuilder::new(&format!(r"\A(?:{pattern})\z"))
        .size_limit(SIZE_LIMIT)
        .dfa_size_limit(SIZE_LIMIT)
        .build()
        .map_err(invalid)
}

/// A text with variables, `${req.host}`, and groups of a pattern, `${1}`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Template(Vec<Part>);

/// Part of a template.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Part {
    /// Literal text.
    Text(String),
    /// A fact about the request.
    Variable(Variable),
    /// A group of the pattern; 0 is the whole path.
    Group(usize),
}

impl Template {
    /// Reads a template for a pattern with this number of groups.
    ///
    /// # Errors
    /// A sentence that says what is wrong.
    pub fn parse(text: &str, groups: usize) -> Result<Self, String> {
        if text.len() > TEMPLATE_LIMIT {
            return Err(format!("It has {} bytes; at most {TEMPLATE_LIMIT} are allowed.", text.len()));
        }
        if let Some(wrong) = text.chars().find(|letter| !matches!(letter, '!'..='~')) {
            return Err(format!("It contains {wrong:?}: percent-encode everything but visible ASCII."));
        }
        let mut parts: Vec<Part> = Vec::new();
        let mut rest = text;
        while let Some(at) = rest.find("${") {
            push_text(&mut parts, &rest[..at]);
            let Some((name, after)) = rest[at + 2..].split_once('}') else {
                return Err("It has a `${` without a `}`.".to_owned());
            };
            parts.push(Part::of(name, groups)?);
            rest = after;
        }
        push_text(&mut parts, rest);
        Ok(Template(parts))
    }

    /// The parts in order.
    pub fn parts(&self) -> &[Part] {
        &self.0
    }

    /// The used variables.
    pub fn variables(&self) -> impl Iterator<Item = Variable> {
        self.0.iter().filter_map(|part| match part {
            Part::Variable(variable) => Some(*variable),
            Part::Text(_) | Part::Group(_) => None,
        })
    }

    /// The text with percent-encoded groups, and with variables in which everything is encoded that no URL contains.
    pub fn expand<'g, 'v>(&self, group: impl Fn(usize) -> &'g str, variable: impl Fn(Variable) -> &'v str) -> String {
        let mut expanded = String::new();
        for part in &self.0 {
            match part {
                Part::Text(text) => expanded.push_str(text),
                Part::Variable(name) => encode(variable(*name), is_of_url, &mut expanded),
                Part::Group(number) => encode(group(*number), is_of_path, &mut expanded),
            }
        }
        expanded
    }
}

impl Part {
    fn of(name: &str, groups: usize) -> Result<Self, String> {
        if let Ok(number) = name.parse::<usize>() {
            return match number {
                number if number <= groups => Ok(Part::Group(number)),
                _ => Err(format!("It names group {number}, but the pattern has {groups}.")),
            };
        }
        match variables::pieces(&format!("${{{name}}}")).next() {
            Some(variables::Piece::Variable(Some(variable))) if variable != Variable::Status => {
                Ok(Part::Variable(variable))
            }
            _ => {
                let shown: String = name.chars().take(40).collect();
                Err(format!("`${{{shown}}}` is not a variable of requests."))
            }
        }
    }
}

fn push_text(parts: &mut Vec<Part>, text: &str) {
    if !text.is_empty() {
        parts.push(Part::Text(text.to_owned()));
    }
}

/// Percent-encodes a decoded path.
pub fn encode_path(path: &str) -> String {
    let mut encoded = String::with_capacity(path.len());
    encode(path, is_of_path, &mut encoded);
    encoded
}

fn encode(text: &str, may_stay: fn(u8) -> bool, into: &mut String) {
    for byte in text.bytes() {
        if may_stay(byte) {
            into.push(char::from(byte));
        } else {
            let _ = write!(into, "%{byte:02X}");
        }
    }
}

/// The characters of a path (RFC 3986, section 3.3).
fn is_of_path(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"-._~!$&'()*+,;=:@/".contains(&byte)
}

/// Those, and `?`, `%`, `[` and `]`: not `#`, which begins what no server sees.
fn is_of_url(byte: u8) -> bool {
    is_of_path(byte) || b"?%[]".contains(&byte)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Code;
    use proptest::prelude::*;

    #[test]
    fn a_pattern_matches_the_whole_path() {
        for (pattern, path, expected) in [
            ("/a", "/a", true),
            ("/a", "/ab", false),
            ("/a", "/x/a", false),
            ("/a|/b", "/b", true),
            ("/a|/b", "/bc", false),
            ("/a.*", "/a/b", true),
            ("^/a$", "/a", true),
            ("(?i)/A", "/a", true),
        ] {
            assert_eq!(compile(pattern).expect(pattern).is_match(path), expected, "{pattern} {path}");
        }
        for (wrong, code) in [
            ("(", Code::PatternInvalid),
            ("/a)|(?:.*", Code::PatternInvalid),
            ("(?x)/a #", Code::PatternInvalid),
            ("(.{900}){900}", Code::PatternInvalid),
            (&"x".repeat(1025), Code::PatternLength),
        ] {
            assert_eq!(compile(wrong).map_err(|error| error.code).err(), Some(code), "{wrong}");
        }
    }

    #[test]
    fn templates_have_groups_and_variables_of_requests() {
        let template = Template::parse("/x/${1}?from=${req.path}", 1).expect("valid");
        assert_eq!(template.expand(|_| "ü/b?c%", |_| "/a b"), "/x/%C3%BC/b%3Fc%25?from=/a%20b");
        for wrong in ["/${2}", "/${res.status}", "/${nothing}", "/${", "/ü", "/a b", "/a\r\nb"] {
            assert!(Template::parse(wrong, 1).is_err(), "{wrong}");
        }
    }

    proptest! {
        #[test]
        fn what_is_expanded_is_visible_ascii(text in "[/${}1a.req.pth]{0,30}", group in "\\PC{0,20}", value in "[ -~]{0,20}") {
            if let Ok(template) = Template::parse(&text, 1) {
                let expanded = template.expand(|_| &group, |_| &value);
                prop_assert!(expanded.bytes().all(|byte| matches!(byte, b'!'..=b'~')), "{expanded}");
            }
        }
    }
}
