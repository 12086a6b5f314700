//! Validation of the rate limit.

use crate::{
    Code, Error, Result,
    module::{RATE_INTERVAL_LIMIT, RATE_LIMIT, RateKey, RateLimit},
};
use http::HeaderName;

/// Validates the module, and writes the name of a header in lower case.
///
/// # Errors
/// The code of the first value that is not allowed, with the `field` detail.
pub fn rate_limit(module: &mut RateLimit) -> Result<()> {
    let wrong = |code, field, sentence: String| Err(Error::new(code, sentence).with("field", field));
    if !(1..=RATE_LIMIT).contains(&module.requests) {
        let sentence = format!("`requests` is {}; it goes from 1 to {RATE_LIMIT}.", module.requests);
        return wrong(Code::RateRequests, "requests", sentence);
    }
    if !(1..=RATE_INTERVAL_LIMIT).contains(&module.interval) {
        let sentence = format!("`interval` is {}; it goes from 1 to {RATE_INTERVAL_LIMIT} seconds.", module.interval);
        return wrong(Code::RateInterval, "interval", sentence);
    }
    if module.burst > RATE_LIMIT {
        let sentence = format!("`burst` is {}; it goes from 0 to {RATE_LIMIT}.", module.burst);
        return wrong(Code::RateBurst, "burst", sentence);
    }
    match RateKey::parse(&module.key) {
        Some(RateKey::Header(name)) => match HeaderName::try_from(name) {
            Ok(name) if name.as_str().len() <= NAME_LIMIT => module.key = format!("header:{name}"),
            _ => return wrong(Code::RateKey, "key", "`key` names a header that cannot exist.".to_owned()),
        },
        Some(_) => {}
        None => {
            let sentence = "`key` must be `address`, `identity`, `everyone`, or `header:` and the name of a header, such as \
                            `header:x-api-key`.";
            return wrong(Code::RateKey, "key", sentence.to_owned());
        }
    }
    Ok(())
}

/// The longest name of a header, in bytes.
const NAME_LIMIT: usize = 256;

/// Validates the module of an edge or tunnel that sees connections but no requests.
///
/// # Errors
/// [`Code::RateKey`] if its key is a part of requests.
pub fn rate_limit_of_connections(module: &RateLimit) -> Result<()> {
    if module.fits_connections() {
        return Ok(());
    }
    let sentence = format!(
        "`{}` is a part of requests, and here connections are counted. Set `key` to `address` or `everyone`.",
        module.key
    );
    Err(Error::new(Code::RateKey, sentence).with("field", "key"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn usual() -> RateLimit {
        RateLimit { enabled: true, requests: 10, interval: 10, burst: 0, key: "address".to_owned() }
    }

    #[test]
    fn each_limit_has_its_code_and_its_ends_are_within() {
        for fine in [
            RateLimit { requests: 1, interval: 86_400, burst: 1_000_000, ..usual() },
            RateLimit { requests: 1_000_000, interval: 1, ..usual() },
        ] {
            assert_eq!(rate_limit(&mut fine.clone()), Ok(()), "{fine:?}");
        }
        for (wrong, code) in [
            (RateLimit { requests: 0, ..usual() }, Code::RateRequests),
            (RateLimit { requests: 1_000_001, ..usual() }, Code::RateRequests),
            (RateLimit { interval: 0, ..usual() }, Code::RateInterval),
            (RateLimit { interval: 86_401, ..usual() }, Code::RateInterval),
            (RateLimit { burst: 1_000_001, ..usual() }, Code::RateBurst),
            (RateLimit { key: "ip".to_owned(), ..usual() }, Code::RateKey),
            (RateLimit { key: "header:a b".to_owned(), ..usual() }, Code::RateKey),
            (RateLimit { key: format!("header:{}", "x".repeat(257)), ..usual() }, Code::RateKey),
        ] {
            assert_eq!(rate_limit(&mut wrong.clone()).map_err(|error| error.code), Err(code), "{wrong:?}");
        }
    }

    #[test]
    fn names_of_headers_have_no_case_and_connections_have_no_headers() {
        let mut module = RateLimit { key: "header:X-Api-Key".to_owned(), ..usual() };
        assert_eq!(rate_limit(&mut module), Ok(()));
        assert_eq!(module.key, "header:x-api-key");
        for (key, fits) in [("address", true), ("everyone", true), ("identity", false), ("header:x", false)] {
            let module = RateLimit { key: key.to_owned(), ..usual() };
            assert_eq!(rate_limit_of_connections(&module).is_ok(), fits, "{key}");
        }
    }
}
