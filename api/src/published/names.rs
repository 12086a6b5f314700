//! Names and ports that agents cannot bind freely.

use super::Map;
use crate::host::HostName;

/// Owners of names and ports.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Names {
    /// Names of HTTPS and TLS edges, with the id of the edge.
    pub edges: Map<HostName, String>,
    /// Reserved domains, with the id of the owner.
    pub domains: Map<HostName, String>,
    /// Ports of reserved addresses, with the id of the owner.
    pub addresses: Map<u16, String>,
}

impl Names {
    /// Owner of the reservation of a name, or of a domain that contains it.
    pub fn owner_of(&self, name: &HostName) -> Option<&str> {
        if self.domains.is_empty() {
            return None;
        }
        name.owned_with().find_map(|name| self.domains.get(&name)).map(String::as_str)
    }

    /// Whether a host is reserved, by its name or by a wildcard.
    pub fn expects(&self, host: &str) -> bool {
        if self.domains.is_empty() {
            return false;
        }
        let Ok(name) = HostName::parse(host) else { return false };
        name.owned_with().any(|owner| owner.covers(&name) && self.domains.contains_key(&owner))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_reserved_covers_what_lies_below_for_agents_and_only_its_own_names_for_visitors() {
        let host = |name: &str| HostName::parse(name).expect("a name");
        let mut names = Names::default();
        assert!(names.owner_of(&host("a.test")).is_none() && !names.expects("a.test"));
        names.domains.insert_mut(host("shop.test"), "usr_1".to_owned());
        names.domains.insert_mut(host("*.wide.test"), "usr_2".to_owned());
        for (name, owner, expected) in [
            ("shop.test", Some("usr_1"), true),
            ("a.shop.test", Some("usr_1"), false),
            ("*.shop.test", Some("usr_1"), false),
            ("a.wide.test", Some("usr_2"), true),
            ("b.a.wide.test", Some("usr_2"), true),
            ("wide.test", None, false),
            ("test", None, false),
        ] {
            assert_eq!((names.owner_of(&host(name)), names.expects(name)), (owner, expected), "{name}");
        }
    }
}
