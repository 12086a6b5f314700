//! Restriction of visitors by the address of their connection and its country, never by a header.

use super::Trace;
use crate::{
    geo::Geo,
    refusal::{Fault, Refusal},
};
use postern_api::{
    Code, Error,
    ip_rules::{IpRules, IpVerdict},
};
use std::net::IpAddr;
use tokio::time::Instant;

const NAME: &str = "ip_restriction";

/// Checks one visitor. Without the module, every visitor passes and the trace stays empty.
pub(crate) fn stage(rules: Option<&IpRules>, visitor: IpAddr, geo: &Geo, trace: &mut Trace) -> Result<(), Refusal> {
    let Some(rules) = rules else { return Ok(()) };
    let began = Instant::now();
    let (passed, rule) = match rules.judge(visitor, geo) {
        IpVerdict::Allowed(rule) => (true, Some(rule.to_string())),
        IpVerdict::Denied(rule) => (false, Some(rule.to_string())),
        IpVerdict::Unmatched => (false, None),
    };
    trace.record(NAME, rule, passed, began);
    if passed {
        return Ok(());
    }
    let message = format!("The address {} is not allowed here.", visitor.to_canonical());
    Err(Refusal::new(Fault::Route, Error::new(Code::AddressDenied, message)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use postern_api::ip_rules::{Action, IpRule, parse_cidr};

    fn rules(list: &[(&str, Action)]) -> IpRules {
        let rule = |(cidr, action): &(&str, Action)| IpRule {
            network: parse_cidr(cidr).expect("a CIDR"),
            action: *action,
            id: format!("ipr_{cidr}").into(),
        };
        IpRules::new(list.iter().map(rule))
    }

    fn judged(rules: Option<&IpRules>, visitor: &str) -> (bool, String) {
        let mut trace = Trace::default();
        let passed = stage(rules, visitor.parse().expect("an address"), &Geo::default(), &mut trace).is_ok();
        (passed, trace.to_string())
    }

    #[test]
    fn a_denied_address_is_refused_and_the_trace_names_the_rule() {
        let rules = rules(&[("0.0.0.0/0", Action::Allow), ("203.0.113.0/24", Action::Deny)]);
        let (passed, trace) = judged(Some(&rules), "::ffff:203.0.113.9");
        assert!(!passed && trace.starts_with("ip_restriction refused by ipr_203.0.113.0/24"), "{trace}");
        let (passed, trace) = judged(Some(&rules), "198.51.100.1");
        assert!(passed && trace.starts_with("ip_restriction passed by ipr_0.0.0.0/0"), "{trace}");
    }

    #[test]
    fn zero_rules_deny_everyone_and_an_unset_module_no_one() {
        assert!(!judged(Some(&rules(&[])), "127.0.0.1").0);
        assert_eq!(judged(None, "127.0.0.1"), (true, String::new()));
    }
}
