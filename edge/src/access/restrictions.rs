//! IP restrictions of types `endpoints` and `agent`, which apply to the whole service by the address of the socket.

use crate::{
    geo::Geo,
    refusal::{Fault, Refusal},
    telemetry::{Trace, Verdict, log_sampler::LogSampler, metrics},
};
use arc_swap::ArcSwap;
use postern_api::{
    Error,
    published::{self, IpRestriction, Published, Ruling},
    resource::RestrictionType,
};
use std::{net::IpAddr, sync::Arc};
use tokio::time::Instant;

const NAME: &str = "endpoints_restriction";

/// The published restrictions.
#[derive(Default)]
pub(crate) struct Restrictions {
    now: ArcSwap<Vec<Arc<IpRestriction>>>,
    /// Which warnings about visitors are worth a line; all are counted.
    warned: LogSampler<1>,
    geo: Geo,
}

impl Restrictions {
    pub(crate) fn new(geo: Geo) -> Self {
        Restrictions { geo, ..Restrictions::default() }
    }

    pub(crate) fn follow(&self, published: &Published) {
        self.now.store(published.ip_restrictions.clone());
    }

    /// Judges a visitor of whatever is published here. Without restrictions it leaves no trace.
    pub(crate) fn visitor(&self, address: IpAddr, trace: &mut Trace) -> Result<(), Refusal> {
        let now = self.now.load();
        if now.is_empty() {
            return Ok(());
        }
        let part = RestrictionType::Endpoints;
        let passes = published::admits(&now, part, address, &self.geo, |restriction, ruling, rule| {
            let verdict = match ruling {
                Ruling::Passes => Verdict::Passed,
                Ruling::Warns => Verdict::Warned,
                Ruling::Refuses => Verdict::Refused,
            };
            // Where no rule matched, the restriction itself has decided.
            let rule = rule.as_deref().unwrap_or(&restriction.id);
            trace.note(NAME, Some(rule.to_owned()), verdict, Instant::now());
            if ruling == Ruling::Warns {
                metrics::restriction_warning(part);
                if self.warned.takes() {
                    tracing::warn!(%address, restriction = restriction.id, rule, "a visitor would be refused if the IP restriction were enforced");
                }
            }
        });
        if passes { Ok(()) } else { Err(Refusal::new(Fault::Route, published::denied(part, address))) }
    }

    /// Judges an agent that is about to start a session.
    pub(crate) fn agent(&self, address: IpAddr) -> Result<(), Error> {
        let part = RestrictionType::Agent;
        let passes = published::admits(&self.now.load(), part, address, &self.geo, |restriction, ruling, rule| {
            let (restriction, rule) = (&restriction.id, rule.as_deref());
            match ruling {
                Ruling::Passes => {}
                Ruling::Warns => {
                    metrics::restriction_warning(part);
                    tracing::warn!(%address, restriction, rule, "an agent would be refused if the IP restriction were enforced");
                }
                Ruling::Refuses => tracing::info!(%address, restriction, rule, "an agent's address is not allowed"),
            }
        });
        if passes { Ok(()) } else { Err(published::denied(part, address)) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use postern_api::{
        Code,
        ip_rules::{Action, IpRule, IpRules, parse_cidr},
    };

    fn restrictions(guards: RestrictionType, enforced: bool, denied: &str) -> Restrictions {
        let rule =
            |cidr, action, id: &str| IpRule { network: parse_cidr(cidr).expect("a CIDR"), action, id: id.into() };
        let rules = vec![rule("0.0.0.0/0", Action::Allow, "ipr_all"), rule(denied, Action::Deny, "ipr_denied")];
        let restriction =
            IpRestriction { id: "ipx_1".to_owned(), guards, enforced, rules: Arc::new(IpRules::new(rules)) };
        let restrictions = Restrictions::default();
        let ip_restrictions = Arc::new(vec![Arc::new(restriction)]);
        restrictions.follow(&Published { ip_restrictions, ..Published::default() });
        restrictions
    }

    fn judged(restrictions: &Restrictions, address: [u8; 4]) -> (Option<Code>, String) {
        let mut trace = Trace::default();
        let outcome = restrictions.visitor(address.into(), &mut trace);
        (outcome.err().map(|refusal| refusal.error.code), trace.to_string())
    }

    #[test]
    fn a_visitor_is_judged_and_the_trace_says_by_what() {
        let enforced = restrictions(RestrictionType::Endpoints, true, "203.0.113.0/24");
        let (code, trace) = judged(&enforced, [203, 0, 113, 9]);
        assert_eq!(code, Some(Code::EndpointAddressDenied));
        assert!(trace.starts_with("endpoints_restriction refused by ipr_denied"), "{trace}");
        let (code, trace) = judged(&enforced, [198, 51, 100, 1]);
        assert!(code.is_none() && trace.starts_with("endpoints_restriction passed by ipr_all"), "{trace}");
        assert!(enforced.agent([203, 0, 113, 9].into()).is_ok(), "of another type");
    }

    #[test]
    fn what_is_not_enforced_only_warns() {
        let lenient = restrictions(RestrictionType::Endpoints, false, "203.0.113.0/24");
        let (code, trace) = judged(&lenient, [203, 0, 113, 9]);
        assert!(code.is_none() && trace.starts_with("endpoints_restriction warned by ipr_denied"), "{trace}");
        assert_eq!(judged(&Restrictions::default(), [203, 0, 113, 9]), (None, String::new()));
        let agents = |enforced| {
            let agents = restrictions(RestrictionType::Agent, enforced, "203.0.113.0/24");
            agents.agent([203, 0, 113, 9].into()).map_err(|error| error.code)
        };
        assert_eq!((agents(true), agents(false)), (Err(Code::AgentAddressDenied), Ok(())));
    }
}
