//! A configuration file as text for somebody to edit in a page: its secrets stay here, and a note stands for each.
//!
//! The notes come back with the edited text, wherever they were moved to, and become what they stood for.

use super::{
    Place, Problems,
    tree::{Node, Value},
};
use postern_api::{Code, Error};
use std::collections::BTreeSet;

/// Keys whose value is a secret, wherever they stand.
const SECRETS: &[&str] = &["authtoken", "api_key", "secret", "client_secret", "password", "token"];
/// Keys of one `user:password` or a list of them.
const USERS: &[&str] = &["basic_auth", "auth", "credentials"];
const NOTE: &str = "(kept secret ";

/// A text without its secrets.
pub struct Offered {
    /// What may be shown.
    pub text: String,
    /// What was written in the place of each note, quotes included.
    kept: Vec<String>,
}

impl std::fmt::Debug for Offered {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Offered").field("kept", &self.kept.len()).finish_non_exhaustive()
    }
}

impl Offered {
    /// Takes the secrets out.
    ///
    /// # Errors
    /// What is wrong with a text that cannot be read: then nobody knows where its secrets stand.
    pub fn of(text: &str) -> Result<Offered, Error> {
        let root = Node::parse(text, None).map_err(|problems| cannot_be_read(&problems))?;
        if text.contains(NOTE) {
            return Err(untouchable());
        }
        let mut places = BTreeSet::new();
        secrets(&root, false, &mut |node| {
            places.insert((node.span.start, node.span.end));
        });
        let mut shown = String::with_capacity(text.len());
        let mut kept = Vec::new();
        let mut done = 0;
        for (begin, end) in places {
            let begin = with_indicator(text, begin);
            let (Some(before), Some(secret)) = (text.get(done..begin.max(done)), text.get(begin..end)) else {
                return Err(untouchable());
            };
            // Text of several lines takes the end of its last line with it.
            let secret = secret.trim_end();
            let end = begin + secret.len();
            kept.push(secret.to_owned());
            shown.push_str(before);
            shown.push_str(&note(kept.len()));
            done = end;
        }
        shown.push_str(text.get(done..).unwrap_or_default());
        let offered = Offered { text: shown, kept };
        if offered.is_clean() && offered.restored(&offered.text)? == text { Ok(offered) } else { Err(untouchable()) }
    }

    /// How many secrets were taken out.
    pub fn kept(&self) -> usize {
        self.kept.len()
    }

    /// Puts the secrets back into an edited text.
    ///
    /// # Errors
    /// `ConfigInvalid` for a note that stands for nothing.
    pub fn restored(&self, edited: &str) -> Result<String, Error> {
        let mut restored = edited.to_owned();
        for (index, secret) in self.kept.iter().enumerate() {
            restored = restored.replace(&note(index + 1), secret);
        }
        match restored.find(NOTE) {
            None => Ok(restored),
            Some(at) => {
                let line = restored[..at].matches('\n').count() + 1;
                let message = format!(
                    "Line {line}: this note stands for no secret of the file. Write the secret itself, in quotes."
                );
                Err(Error::new(Code::ConfigInvalid, message).with("line", line))
            }
        }
    }

    /// Whether every place of a secret holds a note.
    fn is_clean(&self) -> bool {
        let Ok(root) = Node::parse(&self.text, None) else { return false };
        let mut clean = true;
        secrets(&root, false, &mut |node| {
            clean &= matches!(&node.value, Value::Text(text) if text.starts_with(NOTE));
        });
        clean
    }
}

/// Text of several lines is announced by `|` or `>` behind its key, which goes with it.
fn with_indicator(text: &str, begin: usize) -> usize {
    let before = text.get(..begin).unwrap_or_default().trim_end();
    let word = before.rfind(char::is_whitespace).map_or(before, |space| &before[space + 1..]);
    let announces = word.starts_with(['|', '>']) && word[1..].chars().all(|c| c.is_ascii_digit() || "+-".contains(c));
    if announces { before.len() - word.len() } else { begin }
}

fn note(number: usize) -> String {
    format!("\"{NOTE}{number})\"")
}

/// Calls with every scalar that is a secret.
fn secrets<'a>(node: &'a Node, secret: bool, call: &mut impl FnMut(&'a Node)) {
    match &node.value {
        Value::Mapping(pairs) => {
            for pair in pairs {
                let key = pair.key.as_str();
                // `auth` may also be a group of its own, with secrets below.
                let scalars = USERS.contains(&key) && pair.value.pairs().is_none();
                secrets(&pair.value, SECRETS.contains(&key) || scalars, call);
            }
        }
        Value::Sequence(items) => items.iter().for_each(|item| secrets(item, secret, call)),
        Value::Null | Value::Bool(_) => {}
        Value::Integer(_) if secret => call(node),
        Value::Text(text) if secret || names_a_password(text) => call(node),
        Value::Integer(_) | Value::Text(_) => {}
    }
}

/// An address such as `http://user:password@proxy:3128`.
fn names_a_password(text: &str) -> bool {
    text.split_once("://").is_some_and(|(_, rest)| {
        let authority = rest.split(['/', '?', '#']).next().unwrap_or(rest);
        authority.rsplit_once('@').is_some_and(|(user, _)| user.contains(':'))
    })
}

fn cannot_be_read(problems: &Problems) -> Error {
    let place = problems.0.first().map_or_else(Place::default, |problem| problem.place.clone());
    let why = problems.0.first().map_or_else(String::new, |problem| problem.message.clone());
    Error::new(
        Code::ConfigInvalid,
        format!(
            "Line {} of the configuration file cannot be read, so its secrets cannot be told from the rest and it is not shown. {why} Mend it with `postern config edit`.",
            place.line
        ),
    )
    .with("line", place.line)
}

fn untouchable() -> Error {
    Error::new(
        Code::ConfigInvalid,
        "The configuration file is written in a way whose secrets cannot be taken out. Edit it with `postern config edit`.",
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const FILE: &str = "version: 2\nauthtoken: planted-1 # mine\napi_key: 'planted-2'\ntunnels:\n  site: {proto: http, addr: 80, basic_auth: [\"ada:planted-3\", bob:planted-4]}\n  hook:\n    verify_webhook:\n      provider: github\n      secret: |\n        planted-5\n    addr: http://u:planted-6@localhost:1\n";

    #[test]
    fn nothing_secret_is_shown_and_what_comes_back_is_whole() {
        let offered = Offered::of(FILE).expect("shown");
        assert!(!offered.text.contains("planted"), "{}", offered.text);
        assert!(offered.text.contains("# mine") && offered.text.contains("provider: github"));
        assert_eq!(offered.kept(), 6);
        assert_eq!(offered.restored(&offered.text).expect("restored"), FILE);
        assert!(!format!("{offered:?}").contains("planted"));
    }

    #[test]
    fn notes_may_be_moved_and_removed_but_not_invented() {
        let offered = Offered::of("version: 2\nauthtoken: planted\n").expect("shown");
        let moved = offered.restored("version: 2\ntunnels: {a: {secret: \"(kept secret 1)\"}}\n").expect("restored");
        assert_eq!(moved, "version: 2\ntunnels: {a: {secret: planted}}\n");
        assert_eq!(offered.restored("version: 2\n").expect("restored"), "version: 2\n");
        let invented = offered.restored("version: 2\nauthtoken: \"(kept secret 2)\"\n").expect_err("refused");
        assert!(invented.message.starts_with("Line 2"), "{}", invented.message);
    }

    #[test]
    fn a_broken_file_is_not_shown() {
        let error = Offered::of("authtoken: planted\n bad: [\n").expect_err("refused");
        assert!(!error.message.contains("planted") && error.message.contains("postern config edit"));
    }

    proptest! {
        #[test]
        fn whatever_a_secret_is_it_is_not_shown(secret in "[A-Za-z0-9#:_ äß'\"\\\\-]{0,24}") {
            let quoted = serde_json::Value::from(secret.clone()).to_string();
            let text = format!("version: 2\nauthtoken: {quoted}\ntunnels:\n  ä:\n    basic_auth: [{quoted}]\n    addr: 1\n");
            let offered = Offered::of(&text).expect("shown");
            prop_assert!(offered.kept() == 2 && !offered.text.contains(&quoted));
            prop_assert_eq!(offered.restored(&offered.text).expect("restored"), text);
        }
    }
}
