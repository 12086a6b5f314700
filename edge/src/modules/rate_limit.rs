//! Limits how many requests or connections are admitted in an interval.
//!
//! Requests are counted in a sliding window of two counts (`window`), which for any number of intervals admits what they
//! allow, and nothing more than the burst beyond it. The counts of all limits are in one table of bounded memory
//! (`table`), found by the id of the owner, so that they outlive changes of other settings. A request takes one of 256
//! locks for a few comparisons, and allocates nothing.

mod table;
mod window;

pub(crate) use table::RateTable;

use super::{RequestContext, Trace, basic_auth};
use crate::refusal::{Fault, Refusal};
use hyper::{
    HeaderMap,
    header::{HeaderName, HeaderValue},
};
use postern_api::{
    Code, Error,
    module::{RateKey, RateLimit},
};
use std::{net::IpAddr, sync::Arc, time::Duration};
use table::Key;
use tokio::time::Instant;
use window::Quota;

const NAME: &str = "rate_limit";
/// The fields of draft-ietf-httpapi-ratelimit-headers-10.
const RATE_LIMIT: HeaderName = HeaderName::from_static("ratelimit");
const RATE_LIMIT_POLICY: HeaderName = HeaderName::from_static("ratelimit-policy");

/// The rate limit of one owner.
pub(crate) struct Limiter {
    /// Tells its counts from those of others, and from its own with other settings.
    scope: Key,
    quota: Quota,
    key: Counted,
    table: Arc<RateTable>,
}

/// What is counted separately.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Counted {
    Address,
    Identity,
    Header(HeaderName),
    Everyone,
}

/// The person of a request, where the rate limit counts persons.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Identity {
    #[default]
    NotCounted,
    /// Wanted, and not known yet.
    Wanted,
    Known(Key),
}

impl Limiter {
    /// # Errors
    /// If the key is not valid.
    pub(super) fn of(owner: &str, module: &RateLimit, table: &Arc<RateTable>) -> Result<Self, Error> {
        let quota = Quota { requests: module.requests.max(1), burst: module.burst, interval: module.interval.max(1) };
        let key = match RateKey::parse(&module.key) {
            Some(RateKey::Address) => Counted::Address,
            Some(RateKey::Identity) => Counted::Identity,
            Some(RateKey::Header(name)) => Counted::Header(HeaderName::try_from(name).map_err(|_| Code::RateKey)?),
            Some(RateKey::Everyone) => Counted::Everyone,
            None => return Err(Code::RateKey.into()),
        };
        Ok(Limiter { scope: table.key((owner, quota, &key)), quota, key, table: table.clone() })
    }

    /// Whether it counts what is known only after the login.
    pub(super) fn counts_identities(&self) -> bool {
        self.key == Counted::Identity
    }

    /// The identity that a request must still prove, by the password it has with it.
    pub(super) fn presented_identity(&self, headers: &HeaderMap) -> Identity {
        basic_auth::presented_user(headers).map_or(Identity::Wanted, |user| self.identity(&user))
    }

    /// A person as it is counted.
    pub(super) fn identity(&self, person: &str) -> Identity {
        Identity::Known(self.table.key((self.scope, person)))
    }

    fn address(&self, address: IpAddr) -> Key {
        match address.to_canonical() {
            IpAddr::V4(address) => self.table.key((self.scope, address.to_bits())),
            // Networks give each of their hosts, or even one host, a prefix of 64 bits (RFC 6177).
            IpAddr::V6(address) => self.table.key((self.scope, (address.to_bits() >> 64) as u64)),
        }
    }

    fn key(&self, context: &RequestContext<'_>) -> Key {
        match &self.key {
            Counted::Everyone => self.scope,
            Counted::Header(name) if context.parts.headers.contains_key(name) => {
                let values = context.parts.headers.get_all(name).iter();
                values.fold(self.scope, |key, value| self.table.key((key, value.as_bytes())))
            }
            Counted::Address | Counted::Header(_) | Counted::Identity => match context.identity {
                Identity::Known(person) => person,
                Identity::NotCounted | Identity::Wanted => self.address(context.visitor.address.ip()),
            },
        }
    }

    fn judge(&self, key: Key, trace: &mut Trace) -> Result<(), Refusal> {
        let now = Instant::now();
        let judged = self.table.admit(key, self.quota, now);
        let rule = judged.is_err().then(|| self.rule());
        trace.record(NAME, rule, judged.is_ok(), now);
        judged.map_err(|wait| self.refusal(wait))
    }

    /// Its key, as the module names it.
    fn rule(&self) -> String {
        match &self.key {
            Counted::Address => "address".to_owned(),
            Counted::Identity => "identity".to_owned(),
            Counted::Header(name) => format!("header:{name}"),
            Counted::Everyone => "everyone".to_owned(),
        }
    }

    fn refusal(&self, wait: Duration) -> Refusal {
        let Quota { requests, interval, .. } = self.quota;
        // Rounded up, so that a retry does not come too early.
        let seconds = wait.as_millis().div_ceil(1000).max(1);
        let message =
            format!("Too many requests: this address admits {requests} in {interval} s. Try again in {seconds} s.");
        let headers = [
            (RATE_LIMIT_POLICY, format!("\"default\";q={requests};w={interval}")),
            (RATE_LIMIT, format!("\"default\";r=0;t={seconds}")),
        ];
        let headers = headers.into_iter().filter_map(|(name, text)| Some((name, HeaderValue::try_from(text).ok()?)));
        Refusal::new(Fault::Visitor, Error::new(Code::RateLimited, message))
            .retry_after(Duration::from_secs(seconds as u64))
            .with_headers(headers)
    }
}

/// Counts one request, or refuses it.
pub(super) fn stage(limiter: &Limiter, context: &mut RequestContext<'_>) -> Result<(), Refusal> {
    let key = limiter.key(context);
    limiter.judge(key, context.trace)
}

/// Counts one request of a person who is known now, or refuses it. It stands at another place in the order of stages,
/// so it has a name of its own.
pub(super) fn identity_stage(limiter: &Limiter, context: &mut RequestContext<'_>) -> Result<(), Refusal> {
    stage(limiter, context)
}

/// Counts one connection, or refuses it.
pub(super) fn connection_stage(limiter: &Limiter, visitor: IpAddr, trace: &mut Trace) -> Result<(), Refusal> {
    let key = if limiter.key == Counted::Everyone { limiter.scope } else { limiter.address(visitor) };
    limiter.judge(key, trace)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::Ipv6Addr;

    fn module(key: &str) -> RateLimit {
        RateLimit { enabled: true, requests: 2, interval: 60, burst: 0, key: key.to_owned() }
    }

    fn limiter(owner: &str, module: &RateLimit, table: &Arc<RateTable>) -> Limiter {
        Limiter::of(owner, module, table).expect("a limiter")
    }

    /// How many of ten connections are admitted.
    fn admitted(limiter: &Limiter, visitor: &str) -> usize {
        let visitor = visitor.parse().expect("an address");
        (0..10).filter(|_| connection_stage(limiter, visitor, &mut Trace::default()).is_ok()).count()
    }

    #[test]
    fn addresses_are_counted_separately_and_networks_of_ipv6_together() {
        let table = Arc::default();
        let limiter = limiter("route", &module("address"), &table);
        assert_eq!(admitted(&limiter, "203.0.113.1"), 2);
        assert_eq!(admitted(&limiter, "::ffff:203.0.113.1"), 0, "the same address");
        assert_eq!(admitted(&limiter, "203.0.113.2"), 2);
        assert_eq!(admitted(&limiter, "2001:db8::1"), 2);
        assert_eq!(admitted(&limiter, "2001:db8::ffff:1"), 0, "the same /64");
        assert_eq!(admitted(&limiter, "2001:db8:0:1::1"), 2);
        let low = Ipv6Addr::from_bits(u128::from(u32::from_be_bytes([203, 0, 113, 1])) << 64).to_string();
        assert_eq!(admitted(&limiter, &low), 2, "an address of IPv6 is never one of IPv4");
    }

    #[test]
    fn everyone_shares_one_count() {
        let limiter = limiter("route", &module("everyone"), &Arc::default());
        assert_eq!((admitted(&limiter, "203.0.113.1"), admitted(&limiter, "203.0.113.2")), (2, 0));
    }

    #[test]
    fn counts_are_those_of_the_owner_and_its_settings() {
        let table = Arc::default();
        assert_eq!(admitted(&limiter("one", &module("address"), &table), "203.0.113.1"), 2);
        assert_eq!(admitted(&limiter("other", &module("address"), &table), "203.0.113.1"), 2);
        assert_eq!(
            admitted(&limiter("one", &module("address"), &table), "203.0.113.1"),
            0,
            "built again, it continues"
        );
        let changed = RateLimit { requests: 3, ..module("address") };
        assert_eq!(admitted(&limiter("one", &changed, &table), "203.0.113.1"), 3, "other settings begin anew");
    }

    #[test]
    fn the_refusal_says_when_to_come_back_and_the_trace_what_was_counted() {
        let limiter = limiter("route", &module("address"), &Arc::default());
        let mut trace = Trace::default();
        let visitor = "203.0.113.1".parse().expect("an address");
        let refusal = (0..3).find_map(|_| connection_stage(&limiter, visitor, &mut trace).err()).expect("refused");
        assert_eq!((refusal.status(), refusal.retry_after), (429, Some(Duration::from_secs(60))));
        let headers: Vec<_> = refusal.headers().map(|(name, value)| format!("{name}: {value:?}")).collect();
        let expected = [r#"ratelimit-policy: "\"default\";q=2;w=60""#, r#"ratelimit: "\"default\";r=0;t=60""#];
        assert_eq!(headers, expected);
        assert!(trace.to_string().contains("rate_limit refused by address"), "{trace}");
    }
}
