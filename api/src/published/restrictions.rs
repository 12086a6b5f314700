//! Evaluation of IP restrictions, shared by the management API, the console, agents and visitors.

use crate::{
    Code, Error,
    ip_rules::{IpRules, IpVerdict, Locate},
    resource::RestrictionType,
};
use std::{net::IpAddr, sync::Arc};

/// Addresses that may use a part of the service. Every enforced restriction of a part must allow an address.
#[derive(Clone, Debug, PartialEq)]
pub struct IpRestriction {
    /// Its id, `ipx_…`.
    pub id: String,
    /// The part.
    pub guards: RestrictionType,
    /// Whether it is enforced; if not, it only logs warnings.
    pub enforced: bool,
    /// Rules of all its policies; a deleted policy adds none.
    pub rules: Arc<IpRules>,
}

/// Decision of one restriction about an address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ruling {
    /// The address is allowed.
    Passes,
    /// The address passes only because the restriction is not enforced.
    Warns,
    /// The address is refused.
    Refuses,
}

impl IpRestriction {
    fn judge(&self, address: IpAddr, countries: &dyn Locate) -> (Ruling, Option<Arc<str>>) {
        let against = if self.enforced { Ruling::Refuses } else { Ruling::Warns };
        match self.rules.judge(address, countries) {
            IpVerdict::Allowed(rule) => (Ruling::Passes, Some(rule)),
            IpVerdict::Denied(rule) => (against, Some(rule)),
            IpVerdict::Unmatched => (against, None),
        }
    }
}

/// Evaluates an address by the restrictions of a part, in creation order, until one refuses it. `heard` receives
/// the decision of each and the id of the deciding rule.
pub fn admits<'a>(
    restrictions: &'a [Arc<IpRestriction>],
    part: RestrictionType,
    address: IpAddr,
    countries: &dyn Locate,
    mut heard: impl FnMut(&'a IpRestriction, Ruling, Option<Arc<str>>),
) -> bool {
    restrictions.iter().filter(|restriction| restriction.guards == part).all(|restriction| {
        let (ruling, rule) = restriction.judge(address, countries);
        heard(restriction, ruling, rule);
        ruling != Ruling::Refuses
    })
}

/// Error for an address that is not allowed.
pub fn denied(part: RestrictionType, address: IpAddr) -> Error {
    let address = address.to_canonical();
    let rescue = "If you are locked out, run `postern-server unlock` on the server's own machine.";
    let (code, message) = match part {
        RestrictionType::Api => {
            (Code::ApiAddressDenied, format!("The address {address} may not use the management API. {rescue}"))
        }
        RestrictionType::Dashboard => {
            (Code::ConsoleAddressDenied, format!("The address {address} may not use the console. {rescue}"))
        }
        RestrictionType::Agent => (
            Code::AgentAddressDenied,
            format!(
                "Agents may not start sessions from the address {address}. An administrator can change the IP \
                 restrictions of type `agent`."
            ),
        ),
        RestrictionType::Endpoints => {
            (Code::EndpointAddressDenied, format!("The address {address} is not allowed on this server."))
        }
    };
    Error::new(code, message)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ip_rules::{Action, IpRule, NoCountries, parse_cidr};

    fn restriction(guards: RestrictionType, enforced: bool, allowed: &[&str]) -> Arc<IpRestriction> {
        let rule = |cidr: &&str| IpRule {
            network: parse_cidr(cidr).expect("a CIDR"),
            action: Action::Allow,
            id: format!("ipr_{cidr}").into(),
        };
        let rules = Arc::new(IpRules::new(allowed.iter().map(rule)));
        Arc::new(IpRestriction { id: "ipx_1".to_owned(), guards, enforced, rules })
    }

    #[test]
    fn each_enforced_restriction_of_the_part_must_let_the_address_pass() {
        use RestrictionType::{Agent, Api};
        type Case<'a> = (&'a [(RestrictionType, bool, &'a [&'a str])], bool, usize);
        let (here, elsewhere, no_network): (&[&str], &[&str], &[&str]) = (&["10.0.0.0/8"], &["192.0.2.0/24"], &[]);
        let table: &[Case<'_>] = &[
            (&[], true, 0),
            (&[(Api, true, here)], true, 0),
            (&[(Api, true, no_network)], false, 0),
            (&[(Api, true, here), (Api, true, elsewhere)], false, 0),
            (&[(Api, false, elsewhere), (Api, true, here), (Api, false, no_network)], true, 2),
            (&[(Agent, true, no_network)], true, 0),
        ];
        for (list, expected, warnings) in table {
            let restrictions: Vec<_> =
                list.iter().map(|(part, enforced, rules)| restriction(*part, *enforced, rules)).collect();
            let mut warned = 0;
            let passed = admits(&restrictions, Api, [10, 1, 2, 3].into(), &NoCountries, |_, ruling, _| {
                warned += usize::from(ruling == Ruling::Warns);
            });
            assert_eq!((passed, warned), (*expected, *warnings), "{list:?}");
        }
    }

    #[test]
    fn each_part_has_its_code() {
        let code = |part| denied(part, [10, 0, 0, 1].into()).code;
        let codes = RestrictionType::ALL.map(code);
        assert_eq!(
            codes,
            [Code::ConsoleAddressDenied, Code::ApiAddressDenied, Code::AgentAddressDenied, Code::EndpointAddressDenied]
        );
    }
}
