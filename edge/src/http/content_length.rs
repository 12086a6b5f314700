//! `Content-Length`, read by one rule (RFC 9110, section 8.6).

use hyper::{HeaderMap, header};

/// The greatest length: programs that count in signed 64 bits understand it too.
const MAX_LENGTH: u64 = i64::MAX as u64;
/// Digits of the greatest length: so many never overflow 64 bits.
const MAX_DIGITS: usize = 19;

/// The length that one value gives. `None` unless it consists of digits only and is below 2^63.
pub(crate) fn parse(value: &[u8]) -> Option<u64> {
    if value.is_empty() || value.len() > MAX_DIGITS {
        return None;
    }
    let append = |length, digit: &u8| digit.is_ascii_digit().then(|| length * 10 + u64::from(digit - b'0'));
    value.iter().try_fold(0, append).filter(|length| *length <= MAX_LENGTH)
}

/// `Content-Length` values that differ, or are no numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct InvalidLength;

/// The one length that all values give: those that are all the same are read as one (RFC 9110, section 8.6).
///
/// # Errors
/// If they differ or one is no number.
pub(crate) fn of(headers: &HeaderMap) -> Result<Option<u64>, InvalidLength> {
    let values = headers.get_all(header::CONTENT_LENGTH).iter();
    let mut lengths = values.flat_map(|value| value.as_bytes().split(|byte| *byte == b',')).map(<[u8]>::trim_ascii);
    let Some(first) = lengths.next() else { return Ok(None) };
    let length = parse(first).ok_or(InvalidLength)?;
    if lengths.all(|other| parse(other) == Some(length)) { Ok(Some(length)) } else { Err(InvalidLength) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_length_is_a_number_below_two_to_the_sixty_third() {
        for (value, expected) in [
            ("0", Some(0)),
            ("007", Some(7)),
            ("9223372036854775807", Some(MAX_LENGTH)),
            ("9223372036854775808", None),
            ("9999999999999999999", None),
            ("18446744073709551616", None),
            ("+1", None),
            ("1 1", None),
            ("1, 1", None),
            ("0x1", None),
            ("", None),
        ] {
            assert_eq!(parse(value.as_bytes()), expected, "{value}");
        }
    }
}
