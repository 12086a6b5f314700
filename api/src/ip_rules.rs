//! Evaluation of IP rules, shared by edges, the API and agents.

use crate::{Code, Country, Error};
use ipnet::{IpNet, Ipv4Net, Ipv6Net};
use prefix_trie::PrefixMap;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::{collections::BTreeMap, net::IpAddr, sync::Arc};

/// Action of a rule for matching addresses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Action {
    /// Allow, unless another rule denies.
    Allow,
    /// Deny, regardless of other rules.
    Deny,
}

/// A rule with the id of its resource.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IpRule {
    /// Matching addresses.
    pub network: IpNet,
    /// Action for matching addresses.
    pub action: Action,
    /// Id of the rule's resource, for the decision trace.
    pub id: Arc<str>,
}

/// Country of an address, as far as it is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Location {
    /// The address is in this country.
    In(Country),
    /// The database has no country for the address.
    Unlisted,
    /// There is no database, or its entry for the address cannot be read.
    Unavailable,
}

/// Finds the countries of addresses.
pub trait Locate {
    /// Country of an address. Asked only if a rule names a country.
    fn locate(&self, address: IpAddr) -> Location;
}

/// No database of countries.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoCountries;

impl Locate for NoCountries {
    fn locate(&self, _: IpAddr) -> Location {
        Location::Unavailable
    }
}

/// Rules of one policy. A lookup is linear in the bits of an address, independent of the number of rules.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct IpTable {
    v4: PrefixMap<Ipv4Net, NetworkActions>,
    v6: PrefixMap<Ipv6Net, NetworkActions>,
    countries: BTreeMap<Country, NetworkActions>,
}

/// Rules of one network or country; a policy may have several.
type NetworkActions = Vec<(Action, Arc<str>)>;

/// Union of the rules of several policies. Policies are shared, not copied.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct IpRules(Vec<Arc<IpTable>>);

/// Result of an evaluation, with the id of the deciding rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum IpVerdict {
    /// An allow rule matched and no deny rule did.
    Allowed(Arc<str>),
    /// A deny rule matched.
    Denied(Arc<str>),
    /// No allow rule matched; also the result without rules.
    Unmatched,
}

impl IpTable {
    /// Adds a rule.
    pub fn insert(&mut self, rule: IpRule) {
        let verdicts = match rule.network {
            IpNet::V4(network) => self.v4.entry(network).or_default(),
            IpNet::V6(network) => self.v6.entry(network).or_default(),
        };
        verdicts.push((rule.action, rule.id));
    }

    /// Adds a rule for a country.
    pub fn insert_country(&mut self, country: Country, action: Action, id: Arc<str>) {
        self.countries.entry(country).or_default().push((action, id));
    }

    /// Removes the rule with this country and id.
    pub fn remove_country(&mut self, country: Country, id: &str) {
        if self.countries.get_mut(&country).is_some_and(|verdicts| is_empty_without(verdicts, id)) {
            self.countries.remove(&country);
        }
    }

    /// Removes the rule with this network and id.
    pub fn remove(&mut self, network: IpNet, id: &str) {
        let without = |verdicts: &mut NetworkActions| is_empty_without(verdicts, id);
        match network {
            IpNet::V4(network) => {
                if self.v4.get_mut(&network).is_some_and(without) {
                    self.v4.remove(&network);
                }
            }
            IpNet::V6(network) => {
                if self.v6.get_mut(&network).is_some_and(without) {
                    self.v6.remove(&network);
                }
            }
        }
    }

    /// Whether there are no rules.
    pub fn is_empty(&self) -> bool {
        self.v4.is_empty() && self.v6.is_empty() && self.countries.is_empty()
    }

    /// Evaluates an address, given the result of other policies: a deny rule decides, else the first allow rule is kept.
    fn judge(&self, address: IpAddr, so_far: IpVerdict) -> IpVerdict {
        match address {
            IpAddr::V4(address) => judge(self.v4.cover_values(&Ipv4Net::from(address)), so_far),
            IpAddr::V6(address) => judge(self.v6.cover_values(&Ipv6Net::from(address)), so_far),
        }
    }

    /// Evaluates a country in the same way. Where it cannot be found out, the address may be in any of the countries
    /// that are denied, so each rule that denies one decides, and no rule allows.
    fn judge_country(&self, location: Location, so_far: IpVerdict) -> IpVerdict {
        match location {
            Location::In(country) => judge(self.countries.get(&country).into_iter(), so_far),
            Location::Unlisted => so_far,
            Location::Unavailable => {
                let mut denying = self.countries.values().flatten().filter(|(action, _)| *action == Action::Deny);
                denying.next().map_or(so_far, |(_, rule)| IpVerdict::Denied(rule.clone()))
            }
        }
    }
}

/// Removes the rule with this id; says whether none is left.
fn is_empty_without(verdicts: &mut NetworkActions, id: &str) -> bool {
    verdicts.retain(|(_, rule)| **rule != *id);
    verdicts.is_empty()
}

fn judge<'a>(matching: impl Iterator<Item = &'a NetworkActions>, so_far: IpVerdict) -> IpVerdict {
    let mut verdict = so_far;
    for (action, rule) in matching.flatten() {
        match action {
            Action::Deny => return IpVerdict::Denied(rule.clone()),
            Action::Allow if verdict == IpVerdict::Unmatched => verdict = IpVerdict::Allowed(rule.clone()),
            Action::Allow => {}
        }
    }
    verdict
}

impl FromIterator<IpRule> for IpTable {
    fn from_iter<I: IntoIterator<Item = IpRule>>(rules: I) -> Self {
        let mut table = IpTable::default();
        rules.into_iter().for_each(|rule| table.insert(rule));
        table
    }
}

impl IpRules {
    /// Union of these policies. The order of policies and rules does not matter.
    pub fn of(policies: impl IntoIterator<Item = Arc<IpTable>>) -> Self {
        IpRules(policies.into_iter().collect())
    }

    /// Rules of a single, unshared policy.
    pub fn new(rules: impl IntoIterator<Item = IpRule>) -> Self {
        IpRules::of([Arc::new(rules.into_iter().collect())])
    }

    /// Evaluates an address: allowed if at least one allow rule matches and no deny rule does.
    /// An IPv4-mapped IPv6 address is evaluated as IPv4. The country is looked up once, and only if a rule names one.
    pub fn judge(&self, address: IpAddr, countries: &dyn Locate) -> IpVerdict {
        let address = address.to_canonical();
        let (mut verdict, mut location) = (IpVerdict::Unmatched, None);
        for policy in &self.0 {
            verdict = policy.judge(address, verdict);
            if !policy.countries.is_empty() && !matches!(verdict, IpVerdict::Denied(_)) {
                let location = *location.get_or_insert_with(|| countries.locate(address));
                verdict = policy.judge_country(location, verdict);
            }
            if matches!(verdict, IpVerdict::Denied(_)) {
                break;
            }
        }
        verdict
    }

    /// Whether the address is allowed where no countries are known.
    pub fn allows(&self, address: IpAddr) -> bool {
        matches!(self.judge(address, &NoCountries), IpVerdict::Allowed(_))
    }
}

/// Parses a CIDR: a bare address becomes a /32 or /128, host bits are refused with the right
/// network in the message, an IPv4-mapped network becomes the IPv4 network.
///
/// # Errors
/// [`Code::CidrInvalid`] or [`Code::CidrHostBits`].
pub fn parse_cidr(text: &str) -> Result<IpNet, Error> {
    let shown: String = text.chars().take(80).collect();
    let network = match text.split_once('/') {
        Some((address, length)) => prefix(address, length),
        None => text.parse::<IpAddr>().ok().map(IpNet::from),
    };
    let network = network.ok_or_else(|| {
        Error::new(
            Code::CidrInvalid,
            format!(
                "`{shown}` is not an IP range. Write it in CIDR notation, such as `203.0.113.0/24` or `2001:db8::/32`."
            ),
        )
    })?;
    let lowest = network.trunc();
    if lowest != network {
        return Err(Error::new(
            Code::CidrHostBits,
            format!("`{shown}` has bits set behind its mask. The network is `{lowest}`."),
        ));
    }
    Ok(canonical_network(network))
}

/// Refuses leading zeros, which some programs interpret as octal numbers.
fn prefix(address: &str, length: &str) -> Option<IpNet> {
    let digits = length.bytes().all(|byte| byte.is_ascii_digit()) && (length == "0" || !length.starts_with('0'));
    let length = length.parse().ok().filter(|_| digits)?;
    IpNet::new(address.parse().ok()?, length).ok()
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
    use proptest::prelude::*;

    fn rules(list: &[(&str, Action)]) -> IpRules {
        let rule = |(cidr, action): &(&str, Action)| IpRule {
            network: parse_cidr(cidr).expect("a CIDR"),
            action: *action,
            id: (*cidr).into(),
        };
        IpRules::new(list.iter().map(rule))
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
    fn a_rule_that_was_taken_out_says_nothing_and_the_others_of_its_network_still_do() {
        let rule =
            |id: &str, action| IpRule { network: parse_cidr("10.0.0.0/8").expect("a CIDR"), action, id: id.into() };
        let mut table: IpTable = [rule("one", Action::Allow), rule("two", Action::Deny)].into_iter().collect();
        let allows = |table: &IpTable| IpRules::of([Arc::new(table.clone())]).allows([10, 1, 2, 3].into());
        assert!(!allows(&table));
        table.remove(rule("two", Action::Deny).network, "two");
        assert!(allows(&table));
        table.remove(rule("one", Action::Allow).network, "one");
        assert_eq!(table, IpTable::default());
    }

    /// A database that chooses the country by the last byte.
    struct LastByte;

    impl Locate for LastByte {
        fn locate(&self, address: IpAddr) -> Location {
            match address {
                IpAddr::V4(address) if address.octets()[3] == 1 => Location::In(country("DE")),
                IpAddr::V4(address) if address.octets()[3] == 2 => Location::In(country("FR")),
                _ => Location::Unlisted,
            }
        }
    }

    fn country(code: &str) -> Country {
        Country::parse(code).expect("a country")
    }

    #[test]
    fn countries_are_judged_like_networks_and_never_allow_unknown_ones() {
        use Action::{Allow, Deny};
        /// Networks, countries, and which addresses pass: one of Germany, France, an unlisted address, an address without a database.
        type Case<'a> = (&'a [(&'a str, Action)], &'a [(&'a str, Action)], [bool; 4]);
        let table: &[Case<'_>] = &[
            (&[], &[("DE", Allow)], [true, false, false, false]),
            (&[], &[("DE", Allow), ("FR", Allow)], [true, true, false, false]),
            (&[], &[("DE", Deny)], [false, false, false, false]),
            (&[("0.0.0.0/0", Allow)], &[("DE", Deny)], [false, true, true, false]),
            (&[("10.0.0.0/8", Deny)], &[("DE", Allow)], [false, false, false, false]),
            (&[("10.0.0.0/8", Allow)], &[("DE", Allow)], [true, true, true, true]),
            (&[], &[("DE", Allow), ("DE", Deny)], [false, false, false, false]),
        ];
        for (networks, countries, expected) in table {
            let rule = |(cidr, action): &(&str, Action)| IpRule {
                network: parse_cidr(cidr).expect("a CIDR"),
                action: *action,
                id: (*cidr).into(),
            };
            let mut of_countries = IpTable::default();
            for (code, action) in *countries {
                of_countries.insert_country(country(code), *action, (*code).into());
            }
            let of_networks = Arc::new(networks.iter().map(rule).collect::<IpTable>());
            let of_countries = Arc::new(of_countries);
            for policies in [[of_networks.clone(), of_countries.clone()], [of_countries.clone(), of_networks]] {
                let rules = IpRules::of(policies);
                let passes = |last: u8, countries: &dyn Locate| {
                    matches!(rules.judge([10, 0, 0, last].into(), countries), IpVerdict::Allowed(_))
                };
                let passed =
                    [passes(1, &LastByte), passes(2, &LastByte), passes(3, &LastByte), passes(1, &NoCountries)];
                assert_eq!(passed, *expected, "{networks:?} {countries:?}");
            }
        }
    }

    #[test]
    fn a_rule_for_a_country_is_taken_out_and_named_by_the_verdict() {
        let mut table = IpTable::default();
        table.insert_country(country("DE"), Action::Allow, "one".into());
        table.insert_country(country("DE"), Action::Deny, "two".into());
        let verdict = |table: &IpTable| IpRules::of([Arc::new(table.clone())]).judge([10, 0, 0, 1].into(), &LastByte);
        assert_eq!(verdict(&table), IpVerdict::Denied("two".into()));
        table.remove_country(country("DE"), "two");
        assert_eq!(verdict(&table), IpVerdict::Allowed("one".into()));
        table.remove_country(country("FR"), "one");
        assert!(!table.is_empty());
        table.remove_country(country("DE"), "one");
        assert_eq!(table, IpTable::default());
    }

    proptest! {
        /// Reference implementation: checks every rule.
        #[test]
        fn the_table_agrees_with_a_search_through_all(
            rules in proptest::collection::vec((any::<u32>(), 0u8..=32, any::<bool>(), any::<bool>()), 0..40),
            address in any::<u32>(),
        ) {
            // Half of the networks contain the address, so that many match.
            let rules: Vec<IpRule> = rules
                .into_iter()
                .map(|(bits, length, near, allow)| {
                    let bits = if near { address } else { bits };
                    let network = Ipv4Net::new(bits.into(), length).expect("a length").trunc();
                    let action = if allow { Action::Allow } else { Action::Deny };
                    IpRule { network: network.into(), action, id: "a rule".into() }
                })
                .collect();
            let address = IpAddr::V4(address.into());
            let matches = |action| rules.iter().any(|rule| rule.action == action && rule.network.contains(&address));
            let expected = matches(Action::Allow) && !matches(Action::Deny);
            prop_assert_eq!(IpRules::new(rules.clone()).allows(address), expected);
        }
    }

    #[test]
    fn cidrs_are_checked_and_made_canonical() {
        assert_eq!(parse_cidr("1.2.3.4").expect("bare").to_string(), "1.2.3.4/32");
        assert_eq!(parse_cidr("2001:db8::1").expect("bare").to_string(), "2001:db8::1/128");
        let error = parse_cidr("10.1.2.3/8").expect_err("host bits");
        assert_eq!(error.code, Code::CidrHostBits);
        assert!(error.message.contains("10.0.0.0/8"));
        for wrong in
            ["", "10.0.0.0/33", "abc", "10.0.0/8", "10.0.0.0/", "::/129", "010.0.0.0/8", "10.0.0.0/08", "10.0.0.0/+8"]
        {
            assert_eq!(parse_cidr(wrong).expect_err("refused").code, Code::CidrInvalid, "{wrong}");
        }
    }
}
