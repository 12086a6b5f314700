//! Limits of the public side. Each has a setting and a default.

use super::{resolver::Resolver, values::duration};
use postern_edge::Limits;
use std::time::Duration;

/// Resolves the limits. Absent settings keep their defaults.
pub(super) fn resolve(resolver: &mut Resolver<'_>) -> Limits {
    let mut limits = Limits::default();
    fn set<T>(limit: &mut T, value: Option<T>) {
        if let Some(value) = value {
            *limit = value;
        }
    }
    set(&mut limits.handshake, resolver.value("handshake_timeout", timeout));
    set(&mut limits.head, resolver.value("header_timeout", timeout));
    set(&mut limits.idle, resolver.value("idle_timeout", timeout));
    set(&mut limits.stall, resolver.value("body_timeout", timeout));
    set(&mut limits.answer, resolver.value("answer_timeout", timeout));
    set(&mut limits.body_rate, resolver.value("body_rate", rate));
    set(&mut limits.body_grace, resolver.value("body_grace", timeout));
    set(&mut limits.connections, resolver.value("max_connections", |text| count(text, 1..=1_000_000)));
    set(
        &mut limits.connections_per_address,
        resolver.value("max_connections_per_address", |text| count(text, 1..=1_000_000)),
    );
    set(&mut limits.requests, resolver.value("max_requests", |text| count(text, 1..=10_000_000)));
    set(&mut limits.streams, resolver.value("max_streams", |text| count(text, 1..=10_000)).map(|count| count as u32));
    set(&mut limits.resets, resolver.value("max_resets", |text| count(text, 1..=1_000_000)));
    set(&mut limits.head_bytes, resolver.value("max_header_size", |text| size(text, 1024, 16 << 20)));
    set(&mut limits.headers, resolver.value("max_headers", |text| count(text, 8..=10_000)));
    set(&mut limits.buffered_body, resolver.value("max_held_body", |text| size(text, 1024, 1 << 30)));
    set(&mut limits.buffered_bodies, resolver.value("max_held_bodies", |text| size(text, 1024, 1 << 31)));
    set(&mut limits.buffering, resolver.value("held_body_timeout", timeout));
    set(&mut limits.encoders, resolver.value("max_encoders", |text| size(text, 1024, 1 << 31)));
    limits
}

fn timeout(text: &str) -> Result<Duration, String> {
    duration(text)
        .and_then(|timeout| if timeout.is_zero() { Err("must be longer than zero".to_owned()) } else { Ok(timeout) })
}

fn rate(text: &str) -> Result<u64, String> {
    let number = text.parse().ok().filter(|rate| *rate <= 1 << 30);
    number.ok_or_else(|| "is not a number of bytes a second from 0 to 1073741824".to_owned())
}

pub(super) fn count(text: &str, range: std::ops::RangeInclusive<usize>) -> Result<usize, String> {
    let number = text.parse().ok().filter(|count| range.contains(count));
    number.ok_or_else(|| format!("is not a number from {} to {}", range.start(), range.end()))
}

/// `65536`, `64KiB`, `10MiB`, `1GiB`.
fn size(text: &str, min: usize, max: usize) -> Result<usize, String> {
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
    if (min..=max).contains(&bytes) { Ok(bytes) } else { Err(format!("is not between {min} and {max} bytes")) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::configuration::{Configuration, RawSettings, SETTINGS};
    use std::collections::BTreeMap;

    fn configured(flags: &BTreeMap<&'static str, String>) -> Result<Limits, String> {
        let flags = flags.iter().map(|(key, text)| (*key, text.clone())).chain([("data_dir", "/data".to_owned())]);
        let (raw, errors) = RawSettings::gather(flags, |_| None, None);
        Configuration::resolve(&raw, errors).map(|found| found.limits).map_err(|mistakes| mistakes.one_line())
    }

    /// The settings of this file with the defaults that the help names.
    fn documented() -> BTreeMap<&'static str, String> {
        let from = SETTINGS.iter().position(|setting| setting.key == "handshake_timeout").expect("the first one");
        let to = SETTINGS.iter().position(|setting| setting.key == "max_held_bodies").expect("the last one");
        let default = |help: &str| help.split_once("[default: ").map(|(_, rest)| rest.trim_end_matches(']').to_owned());
        SETTINGS[from..=to].iter().map(|setting| (setting.key, default(setting.help).expect("a default"))).collect()
    }

    #[test]
    fn the_help_states_the_defaults() {
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
    fn invalid_values_are_reported_with_their_flag() {
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
