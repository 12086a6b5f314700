//! Timestamps as providers write them: seconds or milliseconds since 1970, or a date.

use super::reason::Reason;
use jiff::{Timestamp, civil::DateTime, tz::TimeZone};

/// From here on a number counts milliseconds: as seconds it would be in the year 5138.
const MILLISECONDS_FROM: i64 = 100_000_000_000;

/// Milliseconds since 1970. A date without an offset is in UTC.
pub(super) fn read(text: &str) -> Option<i64> {
    if !text.is_empty() && text.len() <= 16 && text.bytes().all(|byte| byte.is_ascii_digit()) {
        let number: i64 = text.parse().ok()?;
        return Some(if number < MILLISECONDS_FROM { number * 1000 } else { number });
    }
    if text.len() > 40 {
        return None;
    }
    let moment = text.parse::<Timestamp>().ok();
    let moment = moment.or_else(|| {
        let local = text.parse::<DateTime>().ok()?;
        local.to_zoned(TimeZone::UTC).ok().map(|zoned| zoned.timestamp())
    });
    moment.map(Timestamp::as_millisecond)
}

/// Holds a timestamp against the clock.
pub(super) fn judge(text: &str, tolerance: u16, now: Timestamp) -> Result<(), Reason> {
    let moment = read(text).ok_or(Reason::Time)?;
    let away = now.as_millisecond().abs_diff(moment);
    if away > u64::from(tolerance) * 1000 { Err(Reason::Stale(tolerance)) } else { Ok(()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_are_read_in_every_form() {
        for text in [
            "1700000000",
            "1700000000000",
            "2023-11-14T22:13:20Z",
            "2023-11-14T22:13:20.000Z",
            "2023-11-14T15:13:20-07:00",
            "2023-11-14T22:13:20",
            "2023-11-14T22:13:20.000000",
        ] {
            assert_eq!(read(text), Some(1_700_000_000_000), "{text}");
        }
        for text in ["", " 1700000000", "-1700000000", "1.7e9", "99999999999999999", "yesterday", "2023-11-14"] {
            let day = text == "2023-11-14";
            assert_eq!(read(text).is_some(), day, "{text}");
        }
    }

    #[test]
    fn the_tolerance_counts_in_both_directions() {
        let now = Timestamp::from_second(1_700_000_000).expect("a moment");
        for (text, fits) in
            [("1699999700", true), ("1699999699", false), ("1700000300", true), ("1700000301", false), ("0", false)]
        {
            assert_eq!(judge(text, 300, now).is_ok(), fits, "{text}");
        }
    }
}
