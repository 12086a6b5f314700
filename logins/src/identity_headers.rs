//! Headers that tell local services about a visitor who has logged in.

use http::{HeaderMap, HeaderName, HeaderValue};
use postern_api::published::{Person, Tokens};

/// Maximum length of a header value in bytes; longer values are truncated.
pub const MAX_VALUE_BYTES: usize = 1024;

/// Names of the identity headers. Headers of these names that a visitor sends never reach a local service.
#[derive(Clone, Debug)]
pub struct IdentityHeaders {
    /// In lower case, with the last dash: `postern-auth-`.
    prefix: String,
}

impl Default for IdentityHeaders {
    fn default() -> Self {
        IdentityHeaders { prefix: "postern-auth-".to_owned() }
    }
}

impl IdentityHeaders {
    /// Headers whose names begin with a prefix, such as `X-Auth`; `None` if that is not a valid header name.
    pub fn new(prefix: &str) -> Option<Self> {
        let prefix = prefix.trim_end_matches('-').to_ascii_lowercase();
        let valid =
            (1..=64).contains(&prefix.len()) && prefix.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
        valid.then(|| IdentityHeaders { prefix: format!("{prefix}-") })
    }

    /// The common prefix of the names, in lower case.
    pub fn prefix(&self) -> &str {
        &self.prefix
    }

    /// Removes headers of these names. Underscores count as dashes, because many programs treat both alike.
    pub fn strip(&self, headers: &mut HeaderMap) {
        let ours = |name: &HeaderName| {
            let name = name.as_str().as_bytes();
            let same = |(sent, own): (&u8, &u8)| sent == own || (*sent == b'_' && *own == b'-');
            name.len() >= self.prefix.len() && name.iter().zip(self.prefix.as_bytes()).all(same)
        };
        if headers.keys().any(ours) {
            let names: Vec<HeaderName> = headers.keys().filter(|name| ours(name)).cloned().collect();
            for name in names {
                headers.remove(name);
            }
        }
    }

    /// The headers about a person, with the provider's tokens if local services may receive them.
    pub(crate) fn for_person(&self, person: &Person, tokens: Option<&Tokens>) -> Vec<(HeaderName, HeaderValue)> {
        let claims = [("user-id", &person.id), ("user-name", self.name(person)), ("user-email", &person.email)];
        let refresh = tokens.and_then(|tokens| tokens.refresh.as_ref());
        let tokens = [
            ("oauth-access-token", tokens.map_or("", |tokens| tokens.access.reveal())),
            ("oauth-refresh-token", refresh.map_or("", |token| token.reveal())),
        ];
        let claims = claims.into_iter().chain(person.told.iter().map(|(name, value)| (name.as_str(), value)));
        let claims = claims.map(|(name, value)| (name, HeaderValue::from_bytes(&header_text(value))));
        // A truncated token would be useless.
        let tokens = tokens.map(|(name, value)| (name, HeaderValue::from_str(value)));
        claims
            .chain(tokens)
            .filter_map(|(name, value)| {
                let value = value.ok().filter(|value| !value.is_empty())?;
                Some((HeaderName::try_from(format!("{}{name}", self.prefix)).ok()?, value))
            })
            .collect()
    }

    fn name<'a>(&self, person: &'a Person) -> &'a String {
        if person.name.is_empty() { &person.username } else { &person.name }
    }
}

/// The text without control characters, truncated between two characters.
fn header_text(text: &str) -> Vec<u8> {
    let mut plain = String::new();
    for letter in text.chars().filter(|letter| !letter.is_control()) {
        if plain.len() + letter.len_utf8() > MAX_VALUE_BYTES {
            break;
        }
        plain.push(letter);
    }
    plain.into_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_hold_what_is_known_and_nothing_else() {
        let person = Person {
            id: "248289761001".to_owned(),
            name: "Jörg \r\nX-Admin: yes".to_owned(),
            told: [("user-groups".to_owned(), "a, b".to_owned())].into(),
            ..Person::default()
        };
        let headers = IdentityHeaders::default().for_person(&person, None);
        let text = |name: &str| {
            let found = headers.iter().find(|(found, _)| found == name)?;
            Some(String::from_utf8_lossy(found.1.as_bytes()).into_owned())
        };
        assert_eq!(text("postern-auth-user-id").as_deref(), Some("248289761001"));
        assert_eq!(text("postern-auth-user-name").as_deref(), Some("Jörg X-Admin: yes"));
        assert_eq!(text("postern-auth-user-groups").as_deref(), Some("a, b"));
        assert_eq!(text("postern-auth-user-email"), None);
        let long = Person { id: "é".repeat(MAX_VALUE_BYTES), ..Person::default() };
        assert_eq!(IdentityHeaders::default().for_person(&long, None)[0].1.len(), MAX_VALUE_BYTES);
    }

    #[test]
    fn headers_that_visitors_send_are_removed_in_every_spelling() {
        let mut headers = HeaderMap::new();
        for name in ["postern-auth-user-id", "postern_auth_user_id", "Postern-Auth-Anything", "postern-author", "x"] {
            headers.append(HeaderName::try_from(name).expect("a name"), HeaderValue::from_static("v"));
        }
        IdentityHeaders::default().strip(&mut headers);
        let mut left: Vec<_> = headers.keys().map(HeaderName::as_str).collect();
        left.sort_unstable();
        assert_eq!(left, ["postern-author", "x"]);
        assert!(IdentityHeaders::new("X Auth").is_none() && IdentityHeaders::new("-").is_none());
        let renamed = IdentityHeaders::new("X-Auth").expect("a prefix");
        let person = Person { id: "1".to_owned(), ..Person::default() };
        assert_eq!(renamed.for_person(&person, None)[0].0, "x-auth-user-id");
    }
}
