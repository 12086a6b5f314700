//! Checks of this crate's fuzz targets. Compiled for tests and the fuzzer only.

use crate::{
    Code,
    acl::{Acl, AclRule},
    host::HostName,
    ip_rules::{Action, IpRule, IpRules, IpTable, IpVerdict, NoCountries, parse_cidr},
};
use ipnet::IpNet;
use std::{collections::BTreeSet, net::IpAddr, sync::Arc};

/// Every check compares each pair of lines.
const MOST_LINES: usize = 24;

/// ACL rules, one per line, are evaluated for everything that the lines can be parsed as: they permit exactly what a
/// reading of their texts permits, and serialize to the same text.
pub fn acl(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let lines: Vec<&str> = text.lines().take(MOST_LINES).collect();
    let mut rules = Vec::new();
    for line in &lines {
        match AclRule::parse(line) {
            Ok(rule) => {
                let written = serde_json::to_string(&rule).expect("a rule is a text");
                assert_eq!(serde_json::from_str::<AclRule>(&written).expect("own text"), rule);
                rules.push((*line, rule));
            }
            Err(error) => assert_eq!(error.code, Code::AclInvalid),
        }
    }
    let acl = Acl::new(rules.iter().map(|(_, rule)| rule.clone()).collect());
    let permitted = |fits: &dyn Fn(&str) -> bool| {
        rules.is_empty()
            || rules.iter().any(|(text, _)| matches!(*text, "*" | "bind:*") || fits(&text["bind:".len()..]))
    };
    for line in lines {
        let asked = line.strip_prefix("bind:").unwrap_or(line);
        if let Ok(name) = HostName::parse(asked) {
            assert_eq!(HostName::parse(name.as_str()).as_ref(), Ok(&name), "a canonical name stays one");
            assert_eq!(acl.permits_host(&name), permitted(&|rule| covers(rule, name.as_str())), "{name}");
        }
        if let Some((host, port)) = asked.rsplit_once(':')
            && let Ok(port) = port.parse::<u16>()
        {
            let expected = permitted(&|rule| is_address(rule, host, port));
            assert_eq!(acl.permits_address([host], port), expected, "{host} {port}");
        }
        if let Some((key, value)) = asked.split_once('=') {
            assert_eq!(acl.permits_label(key, value), permitted(&|rule| is_label(rule, key, value)), "{key} {value}");
        }
    }
}

fn covers(rule: &str, name: &str) -> bool {
    // A text with a colon or an equals sign is not a name.
    let Ok(rule) = HostName::parse(rule) else { return false };
    match rule.as_str().strip_prefix('*') {
        Some(below) => name.len() > below.len() && name.ends_with(below),
        None => name == rule.as_str(),
    }
}

fn is_address(rule: &str, host: &str, port: u16) -> bool {
    let Some((rule_host, rule_port)) = rule.rsplit_once(':').filter(|_| !rule.contains('=')) else { return false };
    let bare = rule_host.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')).unwrap_or(rule_host);
    let canonical = match bare.parse::<IpAddr>() {
        Ok(address) => Ok(address.to_canonical().to_string()),
        Err(_) => HostName::parse(rule_host).map(|name| name.to_string()),
    };
    canonical.is_ok_and(|own| own == host) && rule_port.trim_start_matches('0') == port.to_string()
}

fn is_label(rule: &str, key: &str, value: &str) -> bool {
    let Some((rule_key, rule_value)) = rule.split_once('=') else { return false };
    (rule_key == "*" || rule_key == key) && (rule_value == "*" || rule_value == value)
}

/// Networks are parsed as a reference parser does. Rules, one per line (`+` allows, `-` denies, an empty
/// line starts another policy), evaluate the addresses on the other lines as a search through all rules does.
pub fn networks(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let mut policies: Vec<Vec<IpRule>> = vec![Vec::new()];
    let mut asked = BTreeSet::new();
    for (number, line) in text.lines().take(MOST_LINES).enumerate() {
        let action = match line.bytes().next() {
            None => {
                policies.push(Vec::new());
                continue;
            }
            Some(b'+') => Some(Action::Allow),
            Some(b'-') => Some(Action::Deny),
            Some(_) => None,
        };
        let said = line.strip_prefix(['+', '-']).unwrap_or(line);
        let network = network(said);
        if let (Some(action), Some(network), Some(policy)) = (action, network, policies.last_mut()) {
            policy.push(IpRule { network, action, id: number.to_string().into() });
        }
        asked.extend(said.parse::<IpAddr>());
        asked.extend(network.map(|network| network.addr()));
    }
    let tables: Vec<IpTable> = policies.iter().map(|rules| rules.iter().cloned().collect()).collect();
    let judges = IpRules::of(tables.iter().cloned().map(Arc::new));
    let backwards = IpRules::of(policies.iter().rev().map(|rules| Arc::new(rules.iter().rev().cloned().collect())));
    for address in asked {
        let verdict = judges.judge(address, &NoCountries);
        let plain = address.to_canonical();
        let matching: Vec<&IpRule> = policies.iter().flatten().filter(|rule| holds(rule.network, plain)).collect();
        let by = |action, id: &str| matching.iter().any(|rule| rule.action == action && *rule.id == *id);
        let says = |action| matching.iter().any(|rule| rule.action == action);
        match &verdict {
            IpVerdict::Denied(id) => assert!(by(Action::Deny, id), "{address} {verdict:?}"),
            IpVerdict::Allowed(id) => assert!(by(Action::Allow, id) && !says(Action::Deny), "{address} {verdict:?}"),
            IpVerdict::Unmatched => assert!(matching.is_empty(), "{address}"),
        }
        let again = backwards.judge(address, &NoCountries);
        assert_eq!(std::mem::discriminant(&again), std::mem::discriminant(&verdict), "the order does not matter");
    }
    for (rules, mut table) in policies.iter().zip(tables) {
        for rule in rules {
            table.remove(rule.network, &rule.id);
        }
        assert_eq!(table, IpTable::default(), "what was taken out is gone");
    }
}

/// Parses a network with both parsers.
fn network(text: &str) -> Option<IpNet> {
    let plain = plain_network(text);
    match parse_cidr(text) {
        Ok(network) => {
            let (address, length) = plain.expect("what is taken is a network");
            assert_eq!(parse_cidr(&network.to_string()).as_ref(), Ok(&network), "a canonical network stays one");
            let (address, length) = match (address, address.to_canonical()) {
                (IpAddr::V6(_), IpAddr::V4(mapped)) if length >= 96 => (IpAddr::V4(mapped), length - 96),
                _ => (address, length),
            };
            assert_eq!((network.addr(), network.prefix_len()), (address, length));
            assert!(network.trunc() == network);
            Some(network)
        }
        Err(error) => {
            match error.code {
                Code::CidrInvalid => assert_eq!(plain, None, "{text}"),
                Code::CidrHostBits => {
                    let shown = error.message.rsplit('`').nth(1).expect("the network stands in the message");
                    let (address, length) = plain.expect("it is a network");
                    assert!(parse_cidr(shown).is_ok(), "{shown} is taken");
                    let meant: IpNet = shown.parse().expect("a network");
                    assert!(meant.prefix_len() == length && holds(meant, address), "{text}: {shown}");
                }
                code => panic!("{text}: {code}"),
            }
            None
        }
    }
}

/// An address and its prefix length, host bits included.
fn plain_network(text: &str) -> Option<(IpAddr, u8)> {
    let (address, length) = match text.split_once('/') {
        Some((address, length)) => (address.parse::<IpAddr>().ok()?, Some(length)),
        None => (text.parse::<IpAddr>().ok()?, None),
    };
    let bits = if address.is_ipv4() { 32 } else { 128 };
    let length = match length {
        None => bits,
        // Numbers have no leading zeros.
        Some(text) if text.parse::<u8>().is_ok_and(|length| length.to_string() == text) => text.parse().ok()?,
        Some(_) => return None,
    };
    (length <= bits).then_some((address, length))
}

/// Whether the first bits of an address are those of the network.
fn holds(network: IpNet, address: IpAddr) -> bool {
    let bits = |address: IpAddr| match address {
        IpAddr::V4(address) => (32, u128::from(u32::from(address))),
        IpAddr::V6(address) => (128, u128::from(address)),
    };
    let ((room, own), (other, given)) = (bits(network.addr()), bits(address));
    let beyond = u32::from(room - network.prefix_len());
    let first = |bits: u128| bits.checked_shr(beyond).unwrap_or(0);
    room == other && first(own) == first(given)
}

#[cfg(test)]
#[path = "../../fuzz/replay.rs"]
mod replay;

#[test]
fn the_corpora_pass() {
    replay::replay("api", &[("acl", acl), ("networks", networks)]);
}
