//! Host names in canonical form: IDNA (UTS #46) applied, lower case, no trailing dot.

use crate::{Code, Error};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A canonical host name. The first label may be `*`, which matches every name below.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct HostName(Box<str>);

impl HostName {
    /// Parses a host name into its canonical form.
    ///
    /// # Errors
    /// [`Code::NameInvalid`] with the reason.
    pub fn parse(text: &str) -> Result<Self, Error> {
        let refuse = |why: &str| {
            let shown: String = text.chars().take(80).collect();
            Err(Error::new(Code::NameInvalid, format!("`{shown}` is not a host name: {why}.")))
        };
        let trimmed = text.strip_suffix('.').unwrap_or(text);
        let (wildcard, rest) = match trimmed.strip_prefix("*.") {
            Some(rest) => (true, rest),
            None => (false, trimmed),
        };
        if rest.is_empty() {
            return refuse("it is empty");
        }
        let Ok(mut ascii) = idna::domain_to_ascii(rest) else {
            return refuse("it has characters that are not allowed in a name");
        };
        ascii.make_ascii_lowercase();
        if ascii.len() + if wildcard { 2 } else { 0 } > 253 {
            return refuse("it is longer than 253 bytes");
        }
        for label in ascii.split('.') {
            if label.is_empty() {
                return refuse("it has an empty part between two dots");
            }
            if label.len() > 63 {
                return refuse("a part of it is longer than 63 bytes");
            }
            if label.starts_with('-') || label.ends_with('-') {
                return refuse("a part of it starts or ends with a hyphen");
            }
            if label == "*" {
                return refuse("only the first part may be `*`");
            }
            if !label.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-') {
                return refuse("only letters, digits, hyphens and dots are allowed");
            }
        }
        if wildcard {
            ascii.insert_str(0, "*.");
        }
        Ok(HostName(ascii.into_boxed_str()))
    }

    /// Canonical text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The part after `*.`, if this is a wildcard.
    pub fn wildcard_parent(&self) -> Option<&str> {
        self.0.strip_prefix("*.")
    }

    /// Names whose owner also owns this one, most specific first: the name itself, then the wildcard of each parent and the
    /// parent.
    pub fn owned_with(&self) -> impl Iterator<Item = HostName> + '_ {
        let own = self.wildcard_parent().unwrap_or(&self.0);
        let first = self.wildcard_parent().map(|_| self.clone());
        let parents = own.match_indices('.').map(|(dot, _)| &own[dot + 1..]);
        let parents = parents.flat_map(|parent| [format!("*.{parent}"), parent.to_owned()]);
        first.into_iter().chain(std::iter::once(own.to_owned()).chain(parents).map(|name| HostName(name.into())))
    }

    /// Labels in reverse order, `test.shop.a` for `a.shop.test`, so that names below another one share its prefix.
    pub fn reversed(&self) -> String {
        let parts: Vec<&str> = self.0.rsplit('.').collect();
        parts.join(".")
    }

    /// Whether a name equals this one or, for a wildcard, is below it at any depth. A wildcard never
    /// covers its own parent; it covers the literal wildcard of the same or a deeper parent.
    pub fn covers(&self, name: &HostName) -> bool {
        match self.wildcard_parent() {
            None => self == name,
            Some(parent) => name.0.strip_suffix(parent).is_some_and(|head| head.len() > 1 && head.ends_with('.')),
        }
    }
}

/// Whether a name, in lower case, leads to the machine itself (RFC 6761, section 6.3).
pub fn is_localhost(name: &str) -> bool {
    name == "localhost" || name.ends_with(".localhost")
}

impl std::fmt::Display for HostName {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}
impl std::str::FromStr for HostName {
    type Err = Error;
    fn from_str(text: &str) -> Result<Self, Error> {
        HostName::parse(text)
    }
}
impl std::borrow::Borrow<str> for HostName {
    fn borrow(&self) -> &str {
        &self.0
    }
}
impl Serialize for HostName {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.0)
    }
}
impl<'de> Deserialize<'de> for HostName {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        HostName::parse(&text).map_err(|error| serde::de::Error::custom(error.message))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn host(text: &str) -> HostName {
        HostName::parse(text).expect("a host name")
    }

    #[test]
    fn spellings_of_a_name_have_one_canonical_form() {
        assert_eq!(host("Shop.Example.COM."), host("shop.example.com"));
        assert_eq!(host("bücher.example").as_str(), "xn--bcher-kva.example");
    }

    #[test]
    fn invalid_names_are_refused() {
        for wrong in [
            "",
            ".",
            "a..b",
            "-a.b",
            "a-.b",
            "a b",
            "a.*.b",
            "*",
            "*.",
            "a_b.c",
            "[::1]",
            &"a".repeat(64),
            "a/b",
            "a:80",
        ] {
            assert!(HostName::parse(wrong).is_err(), "{wrong} was taken");
        }
    }

    #[test]
    fn a_wildcard_covers_names_below_it_and_never_its_parent() {
        let wildcard = host("*.example.com");
        assert!(wildcard.covers(&host("a.example.com")));
        assert!(wildcard.covers(&host("a.b.example.com")));
        assert!(wildcard.covers(&host("*.example.com")));
        assert!(!wildcard.covers(&host("example.com")));
        assert!(!wildcard.covers(&host("aexample.com")));
        assert!(!host("a.example.com").covers(&host("b.example.com")));
    }

    #[test]
    fn the_owner_of_a_name_owns_the_names_below_it() {
        let owned = |name: &str| host(name).owned_with().map(|name| name.to_string()).collect::<Vec<_>>();
        assert_eq!(owned("a.shop.test"), ["a.shop.test", "*.shop.test", "shop.test", "*.test", "test"]);
        assert_eq!(owned("*.shop.test"), ["*.shop.test", "shop.test", "*.test", "test"]);
        assert_eq!(owned("test"), ["test"]);
        assert_eq!(
            (host("a.shop.test").reversed().as_str(), host("test").reversed().as_str()),
            ("test.shop.a", "test")
        );
    }

    proptest! {
        #[test]
        fn parsing_never_panics_and_is_stable(text in "\\PC{0,80}") {
            if let Ok(name) = HostName::parse(&text) {
                prop_assert_eq!(HostName::parse(name.as_str()).expect("canonical"), name);
            }
        }
    }
}
