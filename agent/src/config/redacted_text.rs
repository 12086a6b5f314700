//! A configuration file as editable text, with a placeholder for each secret.
//!
//! The edited text comes back with the placeholders, possibly moved, and gets the secrets back.

use super::{
    Problems, SourceLocation,
    tree::{ConfigNode, ConfigValue},
};
use postern_api::{Code, Error};
use std::collections::BTreeSet;

/// Keys whose value is a secret, at any level.
const SECRET_KEYS: &[&str] = &["authtoken", "api_key", "secret", "client_secret", "password", "token"];
/// Keys of one `user:password` or a list of them.
const CREDENTIAL_KEYS: &[&str] = &["basic_auth", "auth", "credentials"];
const PLACEHOLDER_PREFIX: &str = "(kept secret ";

/// A text without its secrets.
pub struct RedactedText {
    /// The text with placeholders.
    pub text: String,
    /// The original text of each placeholder, quotes included.
    secrets: Vec<String>,
}

impl std::fmt::Debug for RedactedText {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("RedactedText").field("secrets", &self.secrets.len()).finish_non_exhaustive()
    }
}

impl RedactedText {
    /// Replaces the secrets by placeholders.
    ///
    /// # Errors
    /// The text cannot be parsed, so its secrets cannot be found, or they cannot be replaced safely.
    pub fn new(text: &str) -> Result<RedactedText, Error> {
        let root = ConfigNode::parse(text, None).map_err(|problems| cannot_be_read(&problems))?;
        if text.contains(PLACEHOLDER_PREFIX) {
            return Err(untouchable());
        }
        let mut places = BTreeSet::new();
        each_secret(&root, false, &mut |node| {
            places.insert((node.span.start, node.span.end));
        });
        let mut shown = String::with_capacity(text.len());
        let mut secrets = Vec::new();
        let mut done = 0;
        for (begin, end) in places {
            let begin = with_indicator(text, begin);
            let (Some(before), Some(secret)) = (text.get(done..begin.max(done)), text.get(begin..end)) else {
                return Err(untouchable());
            };
            // A block scalar includes the end of its last line.
            let secret = secret.trim_end();
            let end = begin + secret.len();
            secrets.push(secret.to_owned());
            shown.push_str(before);
            shown.push_str(&placeholder(secrets.len()));
            done = end;
        }
        shown.push_str(text.get(done..).unwrap_or_default());
        let redacted = RedactedText { text: shown, secrets };
        if redacted.is_clean() && redacted.restore(&redacted.text)? == text { Ok(redacted) } else { Err(untouchable()) }
    }

    /// Number of secrets.
    pub fn secret_count(&self) -> usize {
        self.secrets.len()
    }

    /// Restores the secrets in an edited text.
    ///
    /// # Errors
    /// `ConfigInvalid` for an unknown placeholder.
    pub fn restore(&self, edited: &str) -> Result<String, Error> {
        let mut restored = edited.to_owned();
        for (index, secret) in self.secrets.iter().enumerate() {
            restored = restored.replace(&placeholder(index + 1), secret);
        }
        match restored.find(PLACEHOLDER_PREFIX) {
            None => Ok(restored),
            Some(at) => {
                let line = restored[..at].matches('\n').count() + 1;
                let message = format!(
                    "Line {line}: this placeholder is not that of a secret in the file. Write the secret itself, in quotes."
                );
                Err(Error::new(Code::ConfigInvalid, message).with("line", line))
            }
        }
    }

    /// Whether every secret is replaced by a placeholder.
    fn is_clean(&self) -> bool {
        let Ok(root) = ConfigNode::parse(&self.text, None) else { return false };
        let mut clean = true;
        each_secret(&root, false, &mut |node| {
            clean &= matches!(&node.value, ConfigValue::Text(text) if text.starts_with(PLACEHOLDER_PREFIX));
        });
        clean
    }
}

/// Includes the indicator of a block scalar (`|` or `>`) after the key.
fn with_indicator(text: &str, begin: usize) -> usize {
    let before = text.get(..begin).unwrap_or_default().trim_end();
    let word = before.rfind(char::is_whitespace).map_or(before, |space| &before[space + 1..]);
    let announces = word.starts_with(['|', '>']) && word[1..].chars().all(|c| c.is_ascii_digit() || "+-".contains(c));
    if announces { before.len() - word.len() } else { begin }
}

fn placeholder(number: usize) -> String {
    format!("\"{PLACEHOLDER_PREFIX}{number})\"")
}

/// Calls `call` with every secret scalar.
fn each_secret<'a>(node: &'a ConfigNode, secret: bool, call: &mut impl FnMut(&'a ConfigNode)) {
    match &node.value {
        ConfigValue::Mapping(pairs) => {
            for pair in pairs {
                let key = pair.key.as_str();
                // `auth` may also be a group with secrets below.
                let scalars = CREDENTIAL_KEYS.contains(&key) && pair.value.pairs().is_none();
                each_secret(&pair.value, SECRET_KEYS.contains(&key) || scalars, call);
            }
        }
        ConfigValue::Sequence(items) => items.iter().for_each(|item| each_secret(item, secret, call)),
        ConfigValue::Null | ConfigValue::Bool(_) => {}
        ConfigValue::Integer(_) if secret => call(node),
        ConfigValue::Text(text) if secret || contains_password(text) => call(node),
        ConfigValue::Integer(_) | ConfigValue::Text(_) => {}
    }
}

/// Whether a text is a URL such as `http://user:password@proxy:3128`.
fn contains_password(text: &str) -> bool {
    text.split_once("://").is_some_and(|(_, rest)| {
        let authority = rest.split(['/', '?', '#']).next().unwrap_or(rest);
        authority.rsplit_once('@').is_some_and(|(user, _)| user.contains(':'))
    })
}

fn cannot_be_read(problems: &Problems) -> Error {
    let location = problems.0.first().map_or_else(SourceLocation::default, |problem| problem.location.clone());
    let why = problems.0.first().map_or_else(String::new, |problem| problem.message.clone());
    Error::new(
        Code::ConfigInvalid,
        format!(
            "Line {} of the configuration file cannot be read, so its secrets cannot be hidden and it is not shown. {why} Fix it with `postern config edit`.",
            location.line
        ),
    )
    .with("line", location.line)
}

fn untouchable() -> Error {
    Error::new(
        Code::ConfigInvalid,
        "The secrets in the configuration file cannot be hidden. Edit it with `postern config edit`.",
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const FILE: &str = "version: 2\nauthtoken: planted-1 # mine\napi_key: 'planted-2'\ntunnels:\n  site: {proto: http, addr: 80, basic_auth: [\"ada:planted-3\", bob:planted-4]}\n  hook:\n    verify_webhook:\n      provider: github\n      secret: |\n        planted-5\n    addr: http://u:planted-6@localhost:1\n";

    #[test]
    fn secrets_are_hidden_and_restored() {
        let redacted = RedactedText::new(FILE).expect("shown");
        assert!(!redacted.text.contains("planted"), "{}", redacted.text);
        assert!(redacted.text.contains("# mine") && redacted.text.contains("provider: github"));
        assert_eq!(redacted.secret_count(), 6);
        assert_eq!(redacted.restore(&redacted.text).expect("restored"), FILE);
        assert!(!format!("{redacted:?}").contains("planted"));
    }

    #[test]
    fn placeholders_may_be_moved_and_removed_but_not_invented() {
        let redacted = RedactedText::new("version: 2\nauthtoken: planted\n").expect("shown");
        let moved = redacted.restore("version: 2\ntunnels: {a: {secret: \"(kept secret 1)\"}}\n").expect("restored");
        assert_eq!(moved, "version: 2\ntunnels: {a: {secret: planted}}\n");
        assert_eq!(redacted.restore("version: 2\n").expect("restored"), "version: 2\n");
        let invented = redacted.restore("version: 2\nauthtoken: \"(kept secret 2)\"\n").expect_err("refused");
        assert!(invented.message.starts_with("Line 2"), "{}", invented.message);
    }

    #[test]
    fn an_invalid_file_is_not_shown() {
        let error = RedactedText::new("authtoken: planted\n bad: [\n").expect_err("refused");
        assert!(!error.message.contains("planted") && error.message.contains("postern config edit"));
    }

    proptest! {
        #[test]
        fn no_secret_is_ever_shown(secret in "[A-Za-z0-9#:_ äß'\"\\\\-]{0,24}") {
            let quoted = serde_json::Value::from(secret.clone()).to_string();
            let text = format!("version: 2\nauthtoken: {quoted}\ntunnels:\n  ä:\n    basic_auth: [{quoted}]\n    addr: 1\n");
            let redacted = RedactedText::new(&text).expect("shown");
            prop_assert!(redacted.secret_count() == 2 && !redacted.text.contains(&quoted));
            prop_assert_eq!(redacted.restore(&redacted.text).expect("restored"), text);
        }
    }
}
