//! The fields a filter can ask for, and how their values are written.

use super::Bounds;

/// Which of the two messages is meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Half {
    /// One or the other; of sizes the sum.
    Either,
    Request,
    Response,
}

/// A text that every request has.
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

/// What is so or not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Flag {
    Replayed,
    Pinned,
    Imported,
    Cut,
    Pending,
}

/// A field of a filter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Field {
    Text(TextField),
    Method,
    Tunnel,
    Header(Half, String),
    Body(Half),
    Status,
    Duration,
    Size(Half),
    Flag(Flag),
}

/// Every name, as it is offered to who mistyped one.
pub(super) const NAMES: [&str; 17] = [
    "status", "method", "path", "host", "tunnel", "remote", "note", "error", "type", "body", "dur", "size", "replayed",
    "pinned", "imported", "cut", "pending",
];

impl Field {
    /// The field of a name, whatever its case.
    pub(super) fn named(name: &str) -> Option<Self> {
        let name = name.to_ascii_lowercase();
        let (half, rest) = match name.split_once('.') {
            Some(("request", rest)) => (Half::Request, rest),
            Some(("response", rest)) => (Half::Response, rest),
            _ => (Half::Either, name.as_str()),
        };
        if let Some(header) = rest.strip_prefix("header.") {
            return (!header.is_empty()).then(|| Field::Header(half, header.to_owned()));
        }
        match (rest, half) {
            ("body", half) => Some(Field::Body(half)),
            ("size", half) => Some(Field::Size(half)),
            (_, Half::Request | Half::Response) => None,
            ("status", _) => Some(Field::Status),
            ("method", _) => Some(Field::Method),
            ("tunnel", _) => Some(Field::Tunnel),
            ("path", _) => Some(Field::Text(TextField::Path)),
            ("host", _) => Some(Field::Text(TextField::Host)),
            ("remote", _) => Some(Field::Text(TextField::Remote)),
            ("note", _) => Some(Field::Text(TextField::Note)),
            ("error", _) => Some(Field::Text(TextField::Error)),
            ("type", _) => Some(Field::Text(TextField::Type)),
            ("dur", _) => Some(Field::Duration),
            ("replayed", _) => Some(Field::Flag(Flag::Replayed)),
            ("pinned", _) => Some(Field::Flag(Flag::Pinned)),
            ("imported", _) => Some(Field::Flag(Flag::Imported)),
            ("cut", _) => Some(Field::Flag(Flag::Cut)),
            ("pending", _) => Some(Field::Flag(Flag::Pending)),
            _ => None,
        }
    }
}

/// `404`, `5xx` or `400-499`.
pub(super) fn statuses(text: &str) -> Option<Bounds> {
    if let Some(class) = text.strip_suffix("xx").or_else(|| text.strip_suffix("XX")) {
        let class = class.parse::<u64>().ok().filter(|class| (1..=9).contains(class))?;
        return Some(Bounds { least: class * 100, most: class * 100 + 99 });
    }
    if let Some((least, most)) = text.split_once('-') {
        let (least, most) = (status(least)?, status(most)?);
        return (least <= most).then_some(Bounds { least, most });
    }
    status(text).map(|number| Bounds { least: number, most: number })
}

fn status(text: &str) -> Option<u64> {
    let plain = text.len() == 3 && text.bytes().all(|byte| byte.is_ascii_digit());
    text.parse().ok().filter(|_| plain)
}

/// A duration in nanoseconds: `250us`, `500ms`, `1.5s`, `2m`.
pub(super) fn nanoseconds(text: &str) -> Option<u64> {
    measured(
        text,
        &[("ns", 1), ("us", 1000), ("µs", 1000), ("ms", 1_000_000), ("s", 1_000_000_000), ("m", 60_000_000_000)],
    )
}

/// A size in bytes: `100`, `10b`, `4kb`, `1.5mb`, `1gb`; the units are those of memory.
pub(super) fn bytes(text: &str) -> Option<u64> {
    measured(text, &[("", 1), ("b", 1), ("kb", 1 << 10), ("mb", 1 << 20), ("gb", 1 << 30)])
}

fn measured(text: &str, units: &[(&str, u64)]) -> Option<u64> {
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
pub(super) fn truth(text: &str) -> Option<bool> {
    match text.to_ascii_lowercase().as_str() {
        "yes" | "true" => Some(true),
        "no" | "false" => Some(false),
        _ => None,
    }
}
