//! What local services are told about a visitor who has logged in.

use http::{HeaderMap, HeaderName, HeaderValue};
use postern_api::published::{Person, Tokens};

/// The longest value of such a header, in bytes; what is longer is cut.
pub const MAX_VALUE: usize = 1024;

/// The headers' names. What visitors send under such a name never reaches a local service.
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
    /// Headers whose names begin with a prefix, such as `X-Auth`; `None` if no header can be called so.
    pub fn new(prefix: &str) -> Option<Self> {
        let prefix = prefix.trim_end_matches('-').to_ascii_lowercase();
        let fine =
            (1..=64).contains(&prefix.len()) && prefix.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
        fine.then(|| IdentityHeaders { prefix: format!("{prefix}-") })
    }

    /// What the names begin with, in lower case.
    pub fn prefix(&self) -> &str {
        &self.prefix
    }

    /// Takes out what a visitor sent under these names, with underscores too: many programs take both for the same.
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

    /// The headers about a person, with the provider's tokens where local services may have them.
    pub(crate) fn of(&self, person: &Person, tokens: Option<&Tokens>) -> Vec<(HeaderName, HeaderValue)> {
        let own = [("user-id", &person.id), ("user-name", self.name(person)), ("user-email", &person.email)];
        let refresh = tokens.and_then(|tokens| tokens.refresh.as_ref());
        let secret = [
            ("oauth-access-token", tokens.map_or("", |tokens| tokens.access.reveal())),
            ("oauth-refresh-token", refresh.map_or("", |token| token.reveal())),
        ];
        let told = own.into_iter().chain(person.told.iter().map(|(name, value)| (name.as_str(), value)));
        let told = told.map(|(name, value)| (name, HeaderValue::from_bytes(&plain(value))));
        // A token that is cut is of no use.
        let secret = secret.map(|(name, value)| (name, HeaderValue::from_str(value)));
        told.chain(secret)
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

/// The text without what cannot stand in a header, cut at the end of a character.
fn plain(text: &str) -> Vec<u8> {
    let mut plain = String::new();
    for letter in text.chars().filter(|letter| !letter.is_control()) {
        if plain.len() + letter.len_utf8() > MAX_VALUE {
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
    fn local_services_are_told_who_it_is_and_nothing_that_is_not_known() {
        let person = Person {
            id: "248289761001".to_owned(),
            name: "Jörg \r\nX-Admin: yes".to_owned(),
            told: [("user-groups".to_owned(), "a, b".to_owned())].into(),
            ..Person::default()
        };
        let headers = IdentityHeaders::default().of(&person, None);
        let text = |name: &str| {
            let found = headers.iter().find(|(found, _)| found == name)?;
            Some(String::from_utf8_lossy(found.1.as_bytes()).into_owned())
        };
        assert_eq!(text("postern-auth-user-id").as_deref(), Some("248289761001"));
        assert_eq!(text("postern-auth-user-name").as_deref(), Some("Jörg X-Admin: yes"));
        assert_eq!(text("postern-auth-user-groups").as_deref(), Some("a, b"));
        assert_eq!(text("postern-auth-user-email"), None);
        let long = Person { id: "é".repeat(MAX_VALUE), ..Person::default() };
        assert_eq!(IdentityHeaders::default().of(&long, None)[0].1.len(), MAX_VALUE);
    }

    #[test]
    fn what_visitors_claim_is_taken_out_in_every_spelling() {
        let mut headers = HeaderMap::new();
        for name in ["postern-auth-user-id", "postern_auth_user_id", "Postern-Auth-Anything", "postern-author", "x"] {
            headers.append(HeaderName::try_from(name).expect("a name"), HeaderValue::from_static("v"));
        }
        IdentityHeaders::default().strip(&mut headers);
        let mut left: Vec<_> = headers.keys().map(HeaderName::as_str).collect();
        left.sort_unstable();
        assert_eq!(left, ["postern-author", "x"]);
        assert!(IdentityHeaders::new("X Auth").is_none() && IdentityHeaders::new("-").is_none());
        let own = IdentityHeaders::new("X-Auth").expect("a prefix");
        let person = Person { id: "1".to_owned(), ..Person::default() };
        assert_eq!(own.of(&person, None)[0].0, "x-auth-user-id");
    }
}
