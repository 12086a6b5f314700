//! ACL of a tunnel credential: rules `*` and `bind:<target>`.

use crate::{Code, Error, host::HostName};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// One rule: its text and its parsed form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AclRule {
    text: String,
    target: AclTarget,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum AclTarget {
    Everything,
    Host(HostName),
    Address { host: String, port: u16 },
    Label { key: Option<String>, value: Option<String> },
}

/// Rules of a credential. Without rules everything is permitted; otherwise each bind must match a rule.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Acl(Vec<AclRule>);

impl AclRule {
    /// Parses a rule.
    ///
    /// # Errors
    /// [`Code::AclInvalid`] if the text is not a rule.
    pub fn parse(text: &str) -> Result<Self, Error> {
        let refuse = || {
            let shown: String = text.chars().take(120).collect();
            Error::new(
                Code::AclInvalid,
                format!(
                    "`{shown}` is not an ACL rule. Write `*`, `bind:<host name>`, `bind:*.<domain>`, `bind:<host>:<port>` or `bind:<key>=<value>`."
                ),
            )
        };
        let target = if text == "*" || text == "bind:*" {
            AclTarget::Everything
        } else {
            let target = text.strip_prefix("bind:").ok_or_else(refuse)?;
            if let Some((key, value)) = target.split_once('=') {
                if key.is_empty() || value.contains('=') {
                    return Err(refuse());
                }
                let part = |part: &str| (part != "*").then(|| part.to_owned());
                AclTarget::Label { key: part(key), value: part(value) }
            } else if let Some((host, port)) = target.rsplit_once(':') {
                // `u16::parse` accepts a sign.
                let digits = port.bytes().all(|byte| byte.is_ascii_digit());
                let port = port.parse().ok().filter(|port| digits && *port != 0).ok_or_else(refuse)?;
                let host = canonical_address_host(host).ok_or_else(refuse)?;
                AclTarget::Address { host, port }
            } else {
                AclTarget::Host(HostName::parse(target).map_err(|_| refuse())?)
            }
        };
        Ok(AclRule { text: text.to_owned(), target })
    }
}

/// Host of a TCP address in canonical form: a name or an IP address.
fn canonical_address_host(host: &str) -> Option<String> {
    let bare = host.strip_prefix('[').and_then(|h| h.strip_suffix(']')).unwrap_or(host);
    if let Ok(address) = bare.parse::<std::net::IpAddr>() {
        return Some(address.to_canonical().to_string());
    }
    HostName::parse(host).ok().map(|name| name.as_str().to_owned())
}

impl Acl {
    /// An ACL of these rules.
    pub fn new(rules: Vec<AclRule>) -> Self {
        Acl(rules)
    }

    /// Whether everything is permitted.
    pub fn is_unrestricted(&self) -> bool {
        self.0.is_empty() || self.0.iter().any(|rule| rule.target == AclTarget::Everything)
    }

    /// Whether a host name (wildcards included) may be bound.
    pub fn permits_host(&self, name: &HostName) -> bool {
        self.permits(|target| matches!(target, AclTarget::Host(rule) if rule.covers(name)))
    }

    /// Whether a TCP address may be bound. `hosts` are all names of the server's own host.
    pub fn permits_address<'a>(&self, hosts: impl IntoIterator<Item = &'a str> + Clone, port: u16) -> bool {
        self.permits(|target| match target {
            AclTarget::Address { host, port: rule_port } => {
                *rule_port == port && hosts.clone().into_iter().any(|own| own == host)
            }
            _ => false,
        })
    }

    /// Whether one label may be bound.
    pub fn permits_label(&self, key: &str, value: &str) -> bool {
        let fits = |rule: &Option<String>, given: &str| rule.as_deref().is_none_or(|rule| rule == given);
        self.permits(|target| matches!(target, AclTarget::Label { key: k, value: v } if fits(k, key) && fits(v, value)))
    }

    /// Wildcards below which the server may generate a name.
    pub fn wildcards(&self) -> impl Iterator<Item = &HostName> {
        self.0.iter().filter_map(|rule| match &rule.target {
            AclTarget::Host(host) if host.wildcard_parent().is_some() => Some(host),
            _ => None,
        })
    }

    fn permits(&self, fits: impl Fn(&AclTarget) -> bool) -> bool {
        self.is_unrestricted() || self.0.iter().any(|rule| fits(&rule.target))
    }
}

impl Serialize for AclRule {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.text)
    }
}
impl<'de> Deserialize<'de> for AclRule {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        AclRule::parse(&text).map_err(|error| serde::de::Error::custom(error.message))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn acl(rules: &[&str]) -> Acl {
        Acl::new(rules.iter().map(|rule| AclRule::parse(rule).expect("a rule")).collect())
    }
    fn host(text: &str) -> HostName {
        HostName::parse(text).expect("a name")
    }

    #[test]
    fn an_empty_acl_and_a_star_permit_everything() {
        for rules in [&[][..], &["*"], &["bind:*"], &["bind:a.test", "*"]] {
            let acl = acl(rules);
            assert!(
                acl.permits_host(&host("any.test"))
                    && acl.permits_label("a", "b")
                    && acl.permits_address(["localhost"], 1)
            );
        }
    }

    #[test]
    fn names_labels_and_addresses_are_kept_apart() {
        let acl = acl(&["bind:*.shop.test", "bind:app=*", "bind:*=blue", "bind:localhost:2400"]);
        assert!(acl.permits_host(&host("a.shop.test")) && acl.permits_host(&host("*.shop.test")));
        assert!(!acl.permits_host(&host("shop.test")) && !acl.permits_host(&host("other.test")));
        assert!(acl.permits_label("app", "x") && acl.permits_label("any", "blue") && !acl.permits_label("any", "red"));
        assert!(acl.permits_address(["127.0.0.1", "localhost"], 2400) && !acl.permits_address(["localhost"], 2401));
        assert_eq!(acl.wildcards().count(), 1);
    }

    #[test]
    fn invalid_rules_are_refused() {
        for wrong in [
            "",
            "bind",
            "bind:",
            "bind:a b",
            "dial:x",
            "bind:=x",
            "bind:a=b=c",
            "bind:x:0",
            "bind:x:70000",
            "bind:x:+80",
            "**",
        ] {
            assert_eq!(AclRule::parse(wrong).expect_err("refused").code, Code::AclInvalid, "{wrong}");
        }
    }
}
