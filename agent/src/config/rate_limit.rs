//! The key `rate_limit`.

use super::fields::Fields;
use postern_api::module::{RATE_INTERVAL_LIMIT, RATE_LIMIT, RateLimit};

/// Reads the requests, the interval, the burst and the key that is counted.
pub(super) fn read(fields: &mut Fields<'_>) -> Option<RateLimit> {
    let mut group = fields.group("rate_limit")?;
    group.check_known(&["requests", "interval", "burst", "key"], &[]);
    for (name, hint) in [("requests", "write how many are admitted, such as 100"), ("interval", "write it like `10s`")]
    {
        group.required_text(name, hint)?;
    }
    let requests = group.number("requests", 1..=i64::from(RATE_LIMIT));
    let interval = seconds(&mut group);
    let burst = match group.pair("burst") {
        Some(_) => group.number("burst", 0..=i64::from(RATE_LIMIT)),
        None => Some(0),
    };
    let key = group.text("key").map_or_else(|| "address".to_owned(), |text| text.value);
    let whole = |number: i64| u32::try_from(number).ok();
    Some(RateLimit { enabled: true, requests: whole(requests?)?, interval: interval?, burst: whole(burst?)?, key })
}

/// The interval: a duration of whole seconds, or their number.
fn seconds(group: &mut Fields<'_>) -> Option<u32> {
    let text = group.text("interval")?;
    let seconds = match text.value.parse::<u64>() {
        Ok(seconds) => Some(seconds),
        Err(_) => postern_config::duration::parse(&text.value)
            .filter(|duration| duration.subsec_nanos() == 0)
            .map(|duration| duration.as_secs()),
    };
    let within = seconds.and_then(|seconds| u32::try_from(seconds).ok());
    let within = within.filter(|seconds| (1..=RATE_INTERVAL_LIMIT).contains(seconds));
    if within.is_none() {
        group.reject("interval", text.location, "Must be whole seconds up to a day, such as `10s`, `5m` or `1h`.");
    }
    within
}
