//! The address of a store: `etcd://host:port,host:port/prefix`, or `etcds://` for TLS.

use postern_api::Secret;
use std::path::PathBuf;

const DEFAULT_PORT: u16 = 2379;
const DEFAULT_PREFIX: &str = "/postern";

/// Where a store is that several programs share, and how it is reached.
#[derive(Clone, Debug)]
pub struct SharedLocation {
    /// The address as [`Address::parse`] reads it.
    pub address: Address,
    /// File with the certificates, in PEM, of the authorities that are trusted; needed if connections are encrypted.
    pub authority: Option<PathBuf>,
    /// Files with the certificate of this client and its key, in PEM.
    pub certificate: Option<(PathBuf, PathBuf)>,
    /// Name and password of a user.
    pub user: Option<(String, Secret)>,
}

/// The members of a store, and the prefix of all its keys.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Address {
    /// Hosts with ports.
    members: Vec<String>,
    /// Begins with a slash, and does not end with one.
    prefix: String,
    /// Whether connections are encrypted.
    tls: bool,
}

impl Address {
    /// Reads an address.
    ///
    /// # Errors
    /// A sentence that says what is wrong with it.
    pub fn parse(text: &str) -> Result<Self, String> {
        let form = "it must be `etcd://host:port,host:port/prefix`, or begin with `etcds://` for TLS";
        let (tls, rest) = match (text.strip_prefix("etcd://"), text.strip_prefix("etcds://")) {
            (Some(rest), _) => (false, rest),
            (_, Some(rest)) => (true, rest),
            _ => return Err(form.to_owned()),
        };
        let (members, prefix) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
        let members = members.split(',').map(member).collect::<Option<Vec<_>>>().ok_or(form)?;
        let prefix = if prefix.len() > 1 { prefix.trim_end_matches('/') } else { DEFAULT_PREFIX };
        if prefix.is_empty() || prefix.chars().any(|letter| letter.is_control() || letter.is_whitespace()) {
            return Err("its prefix is empty or has blanks in it".to_owned());
        }
        Ok(Address { members, prefix: prefix.to_owned(), tls })
    }

    /// Hosts with ports.
    pub(in crate::store) fn members(&self) -> &[String] {
        &self.members
    }

    /// The prefix of all keys; it ends with a slash.
    pub(in crate::store) fn prefix(&self) -> String {
        format!("{}/", self.prefix)
    }

    /// Whether connections are encrypted.
    pub fn is_encrypted(&self) -> bool {
        self.tls
    }
}

impl std::fmt::Display for Address {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let scheme = if self.tls { "etcds" } else { "etcd" };
        write!(f, "{scheme}://{}{}", self.members.join(","), self.prefix)
    }
}

/// A host with its port, if the text is one.
fn member(text: &str) -> Option<String> {
    let authority: http::uri::Authority = text.parse().ok()?;
    if authority.host().is_empty() || text.contains('@') {
        return None;
    }
    match text.strip_prefix(authority.host())? {
        "" => Some(format!("{text}:{DEFAULT_PORT}")),
        _ => authority.port_u16().map(|_| text.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_read_with_their_defaults() {
        for (text, shown) in [
            ("etcd://one:1,two:2/team/a/", "etcd://one:1,two:2/team/a"),
            ("etcd://one", "etcd://one:2379/postern"),
            ("etcds://[::1]:5/", "etcds://[::1]:5/postern"),
            ("etcds://[::1]", "etcds://[::1]:2379/postern"),
        ] {
            assert_eq!(Address::parse(text).map(|address| address.to_string()), Ok(shown.to_owned()), "{text}");
        }
        for wrong in [
            "",
            "one:1",
            "http://one:1",
            "etcd://",
            "etcd://one:1,",
            "etcd://one:x",
            "etcd://one:",
            "etcd://a@b:1",
            "etcd://one/a b",
            "etcd://one//",
        ] {
            assert!(Address::parse(wrong).is_err(), "{wrong}");
        }
    }
}
