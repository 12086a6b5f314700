//! Labels of tunnels and label selectors of tunnel groups.

use crate::{Code, Error};
use std::collections::BTreeMap;

/// Limit of labels of one tunnel or group.
pub const COUNT_LIMIT: usize = 16;
/// Longest key in bytes.
pub const KEY_LIMIT: usize = 128;
/// Longest value in bytes.
pub const VALUE_LIMIT: usize = 256;

/// Validates labels: at least one, keys and values within their limits and without `=` or control characters.
///
/// # Errors
/// [`Code::LabelMissing`], [`Code::LabelCount`], [`Code::LabelKey`] or [`Code::LabelValue`].
pub fn check(labels: &BTreeMap<String, String>) -> Result<(), Error> {
    if labels.is_empty() {
        return Err(Error::new(Code::LabelMissing, "At least one label is needed, for example `app=shop`."));
    }
    if labels.len() > COUNT_LIMIT {
        return Err(Error::new(
            Code::LabelCount,
            format!("There are {} labels; at most {COUNT_LIMIT} are allowed.", labels.len()),
        ));
    }
    for (key, value) in labels {
        let shown: String = key.chars().take(64).collect();
        if key.is_empty() || key.len() > KEY_LIMIT || !plain(key) {
            return Err(Error::new(
                Code::LabelKey,
                format!("`{shown}` is not a label's key: 1 to {KEY_LIMIT} bytes without `=` or control characters."),
            ));
        }
        if value.len() > VALUE_LIMIT || !plain(value) {
            return Err(Error::new(
                Code::LabelValue,
                format!(
                    "The value of the label `{shown}` is not allowed: at most {VALUE_LIMIT} bytes without `=` or control characters."
                ),
            ));
        }
    }
    Ok(())
}

fn plain(text: &str) -> bool {
    !text.contains(|character: char| character == '=' || character.is_control())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(pairs: &[(&str, &str)]) -> BTreeMap<String, String> {
        pairs.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect()
    }

    #[test]
    fn each_limit_has_its_own_code() {
        assert!(check(&labels(&[("app", "shop"), ("empty", "")])).is_ok());
        let long = "x".repeat(300);
        for (given, code) in [
            (labels(&[]), Code::LabelMissing),
            (labels(&[("", "x")]), Code::LabelKey),
            (labels(&[("a=b", "x")]), Code::LabelKey),
            (labels(&[(&long, "x")]), Code::LabelKey),
            (labels(&[("a", "x=y")]), Code::LabelValue),
            (labels(&[("a", &long)]), Code::LabelValue),
            ((0..17).map(|n| (format!("k{n}"), String::new())).collect(), Code::LabelCount),
        ] {
            assert_eq!(check(&given).expect_err("refused").code, code);
        }
    }
}
