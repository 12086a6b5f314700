//! Validation of the user agent filter: every pattern must compile within its limits.

use crate::{
    Code, Error, Result,
    module::UserAgentFilter,
    user_agents::{COUNT_LIMIT, compile},
};

/// Validates both lists.
///
/// # Errors
/// [`Code::PatternCount`], [`Code::PatternLength`] or [`Code::PatternInvalid`], with the `field` detail.
pub fn user_agent_filter(module: &UserAgentFilter) -> Result<()> {
    judge(&module.allow, "allow")?;
    judge(&module.deny, "deny")
}

fn judge(patterns: &[String], field: &str) -> Result<()> {
    if patterns.len() > COUNT_LIMIT {
        let sentence = format!("`{field}` has {} patterns; at most {COUNT_LIMIT} are allowed.", patterns.len());
        return Err(Error::new(Code::PatternCount, sentence).with("field", field));
    }
    for (place, pattern) in patterns.iter().enumerate() {
        compile(pattern).map_err(|error| error.with("field", format!("{field}[{place}]")))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_field_that_is_wrong_is_named() {
        let patterns = |list: &[&str]| list.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>();
        assert_eq!(judge(&patterns(&["bot", "^$"]), "allow"), Ok(()));
        assert_eq!(judge(&vec!["x".to_owned(); COUNT_LIMIT], "allow"), Ok(()));
        let error = judge(&patterns(&["bot", "("]), "deny").expect_err("refused");
        assert_eq!((error.code, error.details["field"].as_str()), (Code::PatternInvalid, "deny[1]"));
        let error = judge(&vec!["x".to_owned(); COUNT_LIMIT + 1], "allow").expect_err("refused");
        assert_eq!((error.code, error.details["field"].as_str()), (Code::PatternCount, "allow"));
    }
}
