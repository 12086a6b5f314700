//! Durations as text: `500ms`, `15s`, `2m`, `1h`.

use std::time::Duration;

/// Parses a whole number with one of the units `ms`, `s`, `m` and `h`. `None` if the text has another form or the
/// duration overflows 64 bits of milliseconds.
pub fn parse(text: &str) -> Option<Duration> {
    let (number, unit) = text.split_at(text.find(|character: char| !character.is_ascii_digit())?);
    let number: u64 = number.parse().ok()?;
    let milliseconds = match unit {
        "ms" => 1,
        "s" => 1_000,
        "m" => 60_000,
        "h" => 3_600_000,
        _ => return None,
    };
    number.checked_mul(milliseconds).map(Duration::from_millis)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_duration_is_a_whole_number_with_a_unit() {
        for (text, milliseconds) in [("500ms", 500), ("15s", 15_000), ("2m", 120_000), ("1h", 3_600_000), ("0s", 0)] {
            assert_eq!(parse(text), Some(Duration::from_millis(milliseconds)), "{text}");
        }
        for text in ["", "s", "10", "1d", "-1s", "1.5s", "1 s", "99999999999999999999s", "9999999999999999999h"] {
            assert_eq!(parse(text), None, "{text}");
        }
    }
}
