//! Timestamps in providers' formats: seconds or milliseconds since 1970, or a date (RFC 3339).

use super::rejection::Rejection;
use jiff::{Timestamp, civil::DateTime, tz::TimeZone};

/// Numbers from here on are milliseconds: as seconds they would be in the year 5138.
const MILLISECONDS_FROM: i64 = 100_000_000_000;

/// Parses a timestamp to milliseconds since 1970. A date without an offset is in UTC.
pub(super) fn parse(text: &str) -> Option<i64> {
    if !text.is_empty() && text.len() <= 16 && text.bytes().all(|byte| byte.is_ascii_digit()) {
        let number: i64 = text.parse().ok()?;
        return Some(if number < MILLISECONDS_FROM { number * 1000 } else { number });
    }
    if text.len() > 40 {
        return None;
    }
    let time = text.parse::<Timestamp>().ok();
    let time = time.or_else(|| {
        let local = text.parse::<DateTime>().ok()?;
        local.to_zoned(TimeZone::UTC).ok().map(|zoned| zoned.timestamp())
    });
    time.map(Timestamp::as_millisecond)
}

/// Whether a timestamp is within the tolerance, in seconds, of the current time.
pub(super) fn check(text: &str, tolerance: u16, now: Timestamp) -> Result<(), Rejection> {
    let time = parse(text).ok_or(Rejection::InvalidTimestamp)?;
    let difference = now.as_millisecond().abs_diff(time);
    if difference > u64::from(tolerance) * 1000 { Err(Rejection::StaleTimestamp(tolerance)) } else { Ok(()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_format_is_parsed() {
        for text in [
            "1700000000",
            "1700000000000",
            "2023-11-14T22:13:20Z",
            "2023-11-14T22:13:20.000Z",
            "2023-11-14T15:13:20-07:00",
            "2023-11-14T22:13:20",
            "2023-11-14T22:13:20.000000",
        ] {
            assert_eq!(parse(text), Some(1_700_000_000_000), "{text}");
        }
        for text in ["", " 1700000000", "-1700000000", "1.7e9", "99999999999999999", "yesterday", "2023-11-14"] {
            let day = text == "2023-11-14";
            assert_eq!(parse(text).is_some(), day, "{text}");
        }
    }

    #[test]
    fn the_tolerance_applies_in_both_directions() {
        let now = Timestamp::from_second(1_700_000_000).expect("a time");
        for (text, fits) in
            [("1699999700", true), ("1699999699", false), ("1700000300", true), ("1700000301", false), ("0", false)]
        {
            assert_eq!(check(text, 300, now).is_ok(), fits, "{text}");
        }
    }
}
