//! The one judgement of IP rules, used by edges, the API and agents alike.

use crate::{Code, Error};
use ipnet::{IpNet, Ipv4Net, Ipv6Net};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::net::IpAddr;

/// What a rule says about the addresses it matches.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Action {
    /// Let them in, unless another rule denies them.
    Allow,
    /// Keep them out, whatever other rules say.
    Deny,
}

/// One rule with the id of the resource it comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IpRule {
    /// The addresses.
    pub network: IpNet,
    /// The verdict.
    pub action: Action,
    /// Where the rule comes from, for the decision trace.
    pub id: String,
}

/// The union of the rules of all policies that guard one thing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct IpRules(Vec<IpRule>);

/// What came out, and which rule said so.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict<'a> {
    /// An allow rule matched and no deny rule did.
    Allowed(&'a IpRule),
    /// A deny rule matched.
    Denied(&'a IpRule),
    /// No allow rule matched; so it is also with zero rules.
    Unmatched,
}

impl IpRules {
    /// Takes the rules; their order does not matter.
    pub fn new(rules: Vec<IpRule>) -> Self {
        IpRules(rules)
    }

    /// Judges an address: allowed if at least one allow rule matches and no deny rule does.
    /// An IPv4 address written as IPv6 is judged as the IPv4 address it is.
    pub fn judge(&self, address: IpAddr) -> Verdict<'_> {
        let address = address.to_canonical();
        let mut allowed = None;
        for rule in self.0.iter().filter(|rule| rule.network.contains(&address)) {
            match rule.action {
                Action::Deny => return Verdict::Denied(rule),
                Action::Allow => allowed = allowed.or(Some(rule)),
            }
        }
        allowed.map_or(Verdict::Unmatched, Verdict::Allowed)
    }

    /// Whether the address may pass.
    pub fn allows(&self, address: IpAddr) -> bool {
        matches!(self.judge(address), Verdict::Allowed(_))
    }
}

/// Reads a CIDR: a bare address becomes a /32 or /128, bits behind the mask are refused with the right
/// network in the message, an IPv4-mapped network becomes the IPv4 network it means.
pub fn parse_cidr(text: &str) -> Result<IpNet, Error> {
    let shown: String = text.chars().take(80).collect();
    let network = if let Ok(address) = text.parse::<IpAddr>() {
        IpNet::from(address)
    } else {
        text.parse::<IpNet>().map_err(|_| {
            Error::new(
                Code::CidrInvalid,
                format!("`{shown}` is not an IP range. Write it in CIDR notation, such as `203.0.113.0/24` or `2001:db8::/32`."),
            )
        })?
    };
    let lowest = network.trunc();
    if lowest != network {
        return Err(Error::new(
            Code::CidrHostBits,
            format!("`{shown}` has bits set behind its mask. The network is `{lowest}`."),
        ));
    }
    Ok(canonical_network(network))
}

fn canonical_network(network: IpNet) -> IpNet {
    match network {
        IpNet::V6(v6) if v6.prefix_len() >= 96 => v6_as_v4(v6).map_or(network, IpNet::V4),
        other => other,
    }
}

fn v6_as_v4(network: Ipv6Net) -> Option<Ipv4Net> {
    let address = network.addr().to_ipv4_mapped()?;
    Ipv4Net::new(address, network.prefix_len() - 96).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rules(list: &[(&str, Action)]) -> IpRules {
        let rule = |(cidr, action): &(&str, Action)| IpRule {
            network: parse_cidr(cidr).expect("a CIDR"),
            action: *action,
            id: (*cidr).to_owned(),
        };
        IpRules::new(list.iter().map(rule).collect())
    }

    #[test]
    fn deny_beats_allow_and_nothing_matched_is_denied() {
        use Action::{Allow, Deny};
        type Case<'a> = (&'a [(&'a str, Action)], &'a str, bool);
        let table: &[Case<'_>] = &[
            (&[], "127.0.0.1", false),
            (&[("10.0.0.0/8", Allow)], "10.1.2.3", true),
            (&[("10.0.0.0/8", Allow)], "11.1.2.3", false),
            (&[("10.0.0.0/8", Allow), ("10.1.0.0/16", Deny)], "10.1.2.3", false),
            (&[("10.1.0.0/16", Deny), ("10.0.0.0/8", Allow)], "10.2.2.3", true),
            (&[("10.1.0.0/16", Deny)], "10.2.2.3", false),
            (&[("0.0.0.0/0", Allow)], "::1", false),
            (&[("0.0.0.0/0", Allow)], "::ffff:10.0.0.1", true),
            (&[("::/0", Allow)], "2001:db8::1", true),
            (&[("::/0", Allow)], "10.0.0.1", false),
            (&[("::ffff:10.0.0.0/104", Allow)], "10.9.9.9", true),
        ];
        for (list, address, expected) in table {
            let address: IpAddr = address.parse().expect("an address");
            assert_eq!(rules(list).allows(address), *expected, "{list:?} {address}");
        }
    }

    #[test]
    fn cidrs_are_checked_and_made_canonical() {
        assert_eq!(parse_cidr("1.2.3.4").expect("bare").to_string(), "1.2.3.4/32");
        assert_eq!(parse_cidr("2001:db8::1").expect("bare").to_string(), "2001:db8::1/128");
        let error = parse_cidr("10.1.2.3/8").expect_err("host bits");
        assert_eq!(error.code, Code::CidrHostBits);
        assert!(error.message.contains("10.0.0.0/8"));
        for wrong in ["", "10.0.0.0/33", "abc", "10.0.0/8", "10.0.0.0/", "::/129"] {
            assert_eq!(parse_cidr(wrong).expect_err("refused").code, Code::CidrInvalid, "{wrong}");
        }
    }
}
