//! The fields of filters and the syntax of their values.

use super::NumberRange;

/// The messages that a test applies to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum MessageScope {
    /// Either message; for sizes, the sum of both.
    Either,
    Request,
    Response,
}

/// A text field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TextField {
    Path,
    Host,
    Remote,
    Note,
    Error,
    /// The response's `Content-Type`.
    Type,
}

/// A yes-or-no field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FilterFlag {
    Replayed,
    Pinned,
    Imported,
    Cut,
    Pending,
}

/// A field of a filter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum FilterField {
    Text(TextField),
    Method,
    Tunnel,
    Header(MessageScope, String),
    Body(MessageScope),
    Status,
    Duration,
    Size(MessageScope),
    Flag(FilterFlag),
}

/// All names, for suggestions after a typing error.
pub(super) const FIELD_NAMES: [&str; 17] = [
    "status", "method", "path", "host", "tunnel", "remote", "note", "error", "type", "body", "dur", "size", "replayed",
    "pinned", "imported", "cut", "pending",
];

impl FilterField {
    /// The field with this name, in any case.
    pub(super) fn from_name(name: &str) -> Option<Self> {
        let name = name.to_ascii_lowercase();
        let (scope, rest) = match name.split_once('.') {
            Some(("request", rest)) => (MessageScope::Request, rest),
            Some(("response", rest)) => (MessageScope::Response, rest),
            _ => (MessageScope::Either, name.as_str()),
        };
        if let Some(header) = rest.strip_prefix("header.") {
            return (!header.is_empty()).then(|| FilterField::Header(scope, header.to_owned()));
        }
        match (rest, scope) {
            ("body", scope) => Some(FilterField::Body(scope)),
            ("size", scope) => Some(FilterField::Size(scope)),
            (_, MessageScope::Request | MessageScope::Response) => None,
            ("status", _) => Some(FilterField::Status),
            ("method", _) => Some(FilterField::Method),
            ("tunnel", _) => Some(FilterField::Tunnel),
            ("path", _) => Some(FilterField::Text(TextField::Path)),
            ("host", _) => Some(FilterField::Text(TextField::Host)),
            ("remote", _) => Some(FilterField::Text(TextField::Remote)),
            ("note", _) => Some(FilterField::Text(TextField::Note)),
            ("error", _) => Some(FilterField::Text(TextField::Error)),
            ("type", _) => Some(FilterField::Text(TextField::Type)),
            ("dur", _) => Some(FilterField::Duration),
            ("replayed", _) => Some(FilterField::Flag(FilterFlag::Replayed)),
            ("pinned", _) => Some(FilterField::Flag(FilterFlag::Pinned)),
            ("imported", _) => Some(FilterField::Flag(FilterFlag::Imported)),
            ("cut", _) => Some(FilterField::Flag(FilterFlag::Cut)),
            ("pending", _) => Some(FilterField::Flag(FilterFlag::Pending)),
            _ => None,
        }
    }
}

/// `404`, `5xx` or `400-499`.
pub(super) fn parse_statuses(text: &str) -> Option<NumberRange> {
    if let Some(class) = text.strip_suffix("xx").or_else(|| text.strip_suffix("XX")) {
        let class = class.parse::<u64>().ok().filter(|class| (1..=9).contains(class))?;
        return Some(NumberRange { min: class * 100, max: class * 100 + 99 });
    }
    if let Some((min, max)) = text.split_once('-') {
        let (min, max) = (parse_status(min)?, parse_status(max)?);
        return (min <= max).then_some(NumberRange { min, max });
    }
    parse_status(text).map(|number| NumberRange { min: number, max: number })
}

fn parse_status(text: &str) -> Option<u64> {
    let plain = text.len() == 3 && text.bytes().all(|byte| byte.is_ascii_digit());
    text.parse().ok().filter(|_| plain)
}

/// Parses a duration into nanoseconds: `250us`, `500ms`, `1.5s`, `2m`.
pub(super) fn parse_nanoseconds(text: &str) -> Option<u64> {
    parse_quantity(
        text,
        &[("ns", 1), ("us", 1000), ("µs", 1000), ("ms", 1_000_000), ("s", 1_000_000_000), ("m", 60_000_000_000)],
    )
}

/// Parses a size into bytes: `100`, `10b`, `4kb`, `1.5mb`, `1gb`; units are powers of 1,024.
pub(super) fn parse_bytes(text: &str) -> Option<u64> {
    parse_quantity(text, &[("", 1), ("b", 1), ("kb", 1 << 10), ("mb", 1 << 20), ("gb", 1 << 30)])
}

fn parse_quantity(text: &str, units: &[(&str, u64)]) -> Option<u64> {
    let digits = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let (number, unit) = text.split_at(digits);
    let (_, factor) = units.iter().find(|(name, _)| unit.eq_ignore_ascii_case(name))?;
    if number.len() > 15 || number.starts_with('.') || number.ends_with('.') {
        return None;
    }
    let value = number.parse::<f64>().ok()? * *factor as f64;
    (value < u64::MAX as f64).then_some(value.round() as u64)
}

/// `yes` or `no`.
pub(super) fn parse_flag(text: &str) -> Option<bool> {
    match text.to_ascii_lowercase().as_str() {
        "yes" | "true" => Some(true),
        "no" | "false" => Some(false),
        _ => None,
    }
}
