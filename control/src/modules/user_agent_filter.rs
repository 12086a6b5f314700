//! The user agent filter module: every pattern must compile within its limits.

use crate::resources::{KeptModule, ModuleRules, Resources};
use postern_api::{
    AnyId, Code, Error, Result,
    module::{UserAgentFilter, UserAgentFilterView},
    resource::Nothing,
    user_agents::{COUNT_LIMIT, compile},
};

impl ModuleRules for UserAgentFilter {
    type Hidden = Nothing;

    fn check(&mut self, _here: &Resources) -> Result<()> {
        judge(&self.allow, "allow")?;
        judge(&self.deny, "deny")
    }

    fn view(kept: &KeptModule<Self>, _owner: &AnyId, _here: &Resources) -> Result<UserAgentFilterView> {
        let UserAgentFilter { enabled, allow, deny } = kept.module.clone();
        Ok(UserAgentFilterView { enabled, allow, deny })
    }
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
