//! The limits of the public side: every one has a default and a setting of its own.

use super::meaning::{Check, duration};
use postern_edge::Limits;
use std::time::Duration;

/// Reads those that were written; the others keep their defaults.
pub(super) fn read(check: &mut Check<'_>) -> Limits {
    let mut limits = Limits::default();
    fn set<T>(place: &mut T, written: Option<T>) {
        if let Some(value) = written {
            *place = value;
        }
    }
    set(&mut limits.handshake, check.value("handshake_timeout", wait));
    set(&mut limits.head, check.value("header_timeout", wait));
    set(&mut limits.idle, check.value("idle_timeout", wait));
    set(&mut limits.stall, check.value("body_timeout", wait));
    set(&mut limits.answer, check.value("answer_timeout", wait));
    set(&mut limits.body_rate, check.value("body_rate", rate));
    set(&mut limits.body_grace, check.value("body_grace", wait));
    set(&mut limits.connections, check.value("max_connections", |text| count(text, 1..=1_000_000)));
    set(
        &mut limits.connections_per_address,
        check.value("max_connections_per_address", |text| count(text, 1..=1_000_000)),
    );
    set(&mut limits.requests, check.value("max_requests", |text| count(text, 1..=10_000_000)));
    set(&mut limits.streams, check.value("max_streams", |text| count(text, 1..=10_000)).map(|count| count as u32));
    set(&mut limits.resets, check.value("max_resets", |text| count(text, 1..=1_000_000)));
    set(&mut limits.head_bytes, check.value("max_header_size", |text| size(text, 1024, 16 << 20)));
    set(&mut limits.headers, check.value("max_headers", |text| count(text, 8..=10_000)));
    set(&mut limits.buffered_body, check.value("max_held_body", |text| size(text, 1024, 1 << 30)));
    set(&mut limits.buffered_bodies, check.value("max_held_bodies", |text| size(text, 1024, 1 << 31)));
    set(&mut limits.buffering, check.value("held_body_timeout", wait));
    set(&mut limits.encoders, check.value("max_encoders", |text| size(text, 1024, 1 << 31)));
    limits
}

fn wait(text: &str) -> Result<Duration, String> {
    duration(text).and_then(|wait| if wait.is_zero() { Err("is no time at all".to_owned()) } else { Ok(wait) })
}

fn rate(text: &str) -> Result<u64, String> {
    let number = text.parse().ok().filter(|rate| *rate <= 1 << 30);
    number.ok_or_else(|| "is not a number of bytes a second from 0 to 1073741824".to_owned())
}

fn count(text: &str, range: std::ops::RangeInclusive<usize>) -> Result<usize, String> {
    let number = text.parse().ok().filter(|count| range.contains(count));
    number.ok_or_else(|| format!("is not a number from {} to {}", range.start(), range.end()))
}

/// `65536`, `64KiB`, `10MiB`, `1GiB`.
fn size(text: &str, least: usize, most: usize) -> Result<usize, String> {
    let digits = text.find(|letter: char| !letter.is_ascii_digit()).unwrap_or(text.len());
    let (number, unit) = text.split_at(digits);
    let unit = match unit.trim_start() {
        "" | "B" => Some(1),
        "KiB" => Some(1_usize << 10),
        "MiB" => Some(1 << 20),
        "GiB" => Some(1 << 30),
        _ => None,
    };
    let bytes = number.parse::<usize>().ok().zip(unit).and_then(|(number, unit)| number.checked_mul(unit));
    let shape = || "is not a size; write a number of bytes, or one with a unit, such as 64KiB or 10MiB".to_owned();
    let bytes = bytes.ok_or_else(shape)?;
    if (least..=most).contains(&bytes) { Ok(bytes) } else { Err(format!("is not between {least} and {most} bytes")) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::configuration::{Configuration, SETTINGS, Written};
    use std::collections::BTreeMap;

    fn configured(flags: &BTreeMap<&'static str, String>) -> Result<Limits, String> {
        let flags = flags.iter().map(|(key, text)| (*key, text.clone())).chain([("data_dir", "/data".to_owned())]);
        let (written, errors) = Written::gather(flags, |_| None, None);
        Configuration::check(&written, errors).map(|found| found.limits).map_err(|error| error.message)
    }

    /// The settings of this file with the defaults that the help names.
    fn documented() -> BTreeMap<&'static str, String> {
        let from = SETTINGS.iter().position(|setting| setting.key == "handshake_timeout").expect("the first one");
        let to = SETTINGS.iter().position(|setting| setting.key == "max_held_bodies").expect("the last one");
        let default = |help: &str| help.split_once("[default: ").map(|(_, rest)| rest.trim_end_matches(']').to_owned());
        SETTINGS[from..=to].iter().map(|setting| (setting.key, default(setting.help).expect("a default"))).collect()
    }

    #[test]
    fn the_help_names_the_defaults() {
        assert_eq!(configured(&documented()), Ok(Limits::default()));
        assert_eq!(configured(&BTreeMap::new()), Ok(Limits::default()));
    }

    #[test]
    fn each_setting_changes_its_own_limit() {
        let mut seen = vec![Limits::default()];
        for (key, default) in documented() {
            let other = if default.ends_with('s') { "7s" } else { "2222" };
            let limits = configured(&[(key, other.to_owned())].into()).expect(key);
            assert!(!seen.contains(&limits), "{key} changes nothing of its own");
            seen.push(limits);
        }
    }

    #[test]
    fn what_makes_no_sense_is_refused_by_name() {
        for (key, wrong) in [
            ("idle_timeout", "0s"),
            ("header_timeout", "20"),
            ("body_rate", "-1"),
            ("max_requests", "0"),
            ("max_streams", "many"),
            ("max_headers", "1"),
            ("max_header_size", "64kb"),
            ("max_header_size", "99999999999999999999GiB"),
            ("max_held_body", "1TiB"),
        ] {
            let message = configured(&[(key, wrong.to_owned())].into()).expect_err(wrong);
            let flag = format!("--{}: `{wrong}`", key.replace('_', "-"));
            assert!(message.contains(&flag), "{message}");
        }
    }
}
