//! The rate limit module: how many requests or connections are admitted in an interval.

use crate::module::{Module, enabled, yes};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The most requests that an interval may admit, and the most that may be made at once beyond them.
pub const RATE_LIMIT: u32 = 1_000_000;
/// The longest interval in seconds, a day.
pub const RATE_INTERVAL_LIMIT: u32 = 86_400;
const HEADER_PREFIX: &str = "header:";

/// Rate limit: admits a number of requests in an interval, and refuses more with status 429. TLS and TCP edges count
/// connections.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RateLimit {
    /// Whether the module is enabled.
    #[serde(default = "yes", deserialize_with = "enabled")]
    #[schemars(with = "Option<bool>")]
    pub enabled: bool,
    /// Requests that are admitted in an interval, 1 to [`RATE_LIMIT`].
    #[serde(default = "hundred")]
    #[schemars(range(min = 1, max = 1_000_000))]
    pub requests: u32,
    /// Seconds of the interval, 1 to [`RATE_INTERVAL_LIMIT`].
    #[serde(default = "ten")]
    #[schemars(range(min = 1, max = 86_400))]
    pub interval: u32,
    /// Further requests that are admitted once, up to [`RATE_LIMIT`]. They become available again while fewer requests
    /// are made than the interval admits.
    #[serde(default)]
    #[schemars(range(max = 1_000_000))]
    pub burst: u32,
    /// What is counted separately: `address`, `identity` (the person who has logged in), `header:NAME` or `everyone`
    /// (all visitors together). Visitors without an identity or the header are counted by their address. TLS and TCP
    /// edges support `address` and `everyone`.
    #[serde(default = "address")]
    #[schemars(regex(pattern = "^(address|identity|everyone|header:[!#$%&'*+.^_`|~0-9A-Za-z-]{1,256})$"))]
    pub key: String,
}

/// The rate limit module in responses.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RateLimitView {
    /// Whether the module is enabled.
    pub enabled: bool,
    /// Requests that are admitted in an interval.
    pub requests: u32,
    /// Seconds of the interval.
    pub interval: u32,
    /// Further requests that are admitted once.
    pub burst: u32,
    /// What is counted separately.
    pub key: String,
}

/// What a rate limit counts separately.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RateKey<'a> {
    /// The address of the visitor; of IPv6 its first 64 bits.
    Address,
    /// The person who has logged in.
    Identity,
    /// The values of a header.
    Header(&'a str),
    /// All visitors together.
    Everyone,
}

impl<'a> RateKey<'a> {
    /// Reads the text of the member; `None` if it is none of the four forms.
    pub fn parse(text: &'a str) -> Option<Self> {
        match text {
            "address" => Some(RateKey::Address),
            "identity" => Some(RateKey::Identity),
            "everyone" => Some(RateKey::Everyone),
            _ => text.strip_prefix(HEADER_PREFIX).filter(|name| !name.is_empty()).map(RateKey::Header),
        }
    }

    /// Whether connections without requests can be counted by it.
    pub fn fits_connections(self) -> bool {
        matches!(self, RateKey::Address | RateKey::Everyone)
    }
}

impl RateLimit {
    /// Whether connections without requests can be counted by its key.
    pub fn fits_connections(&self) -> bool {
        RateKey::parse(&self.key).is_some_and(RateKey::fits_connections)
    }
}

impl Module for RateLimit {
    const NAME: &'static str = "rate_limit";
    type View = RateLimitView;
    type Published = Self;

    fn is_enabled(&self) -> bool {
        self.enabled
    }
}

fn hundred() -> u32 {
    100
}

fn ten() -> u32 {
    10
}

fn address() -> String {
    "address".to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_read_from_four_forms() {
        for (text, key) in [
            ("address", Some(RateKey::Address)),
            ("identity", Some(RateKey::Identity)),
            ("everyone", Some(RateKey::Everyone)),
            ("header:x-api-key", Some(RateKey::Header("x-api-key"))),
            ("header:", None),
            ("header", None),
            ("Address", None),
            ("", None),
        ] {
            assert_eq!(RateKey::parse(text), key, "{text}");
        }
    }

    #[test]
    fn what_is_left_out_takes_its_default() {
        let read: RateLimit = serde_json::from_str("{}").expect("nothing is needed");
        let expected = RateLimit { enabled: true, requests: 100, interval: 10, burst: 0, key: "address".to_owned() };
        assert_eq!(read, expected);
    }
}
