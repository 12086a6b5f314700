//! Lists of IP policies in modules and restrictions.

use postern_api::{Code, Error, Id, Result, module::POLICY_LIMIT, resource::IpPolicy};

/// Parses and deduplicates `ip_policy_ids`.
///
/// # Errors
/// If the list is empty or too long, or an id is not one of an IP policy.
pub(crate) fn parse_policy_ids(ids: &[String]) -> Result<Vec<Id<IpPolicy>>> {
    if ids.len() > POLICY_LIMIT {
        let sentence = format!("`ip_policy_ids` names {} policies; at most {POLICY_LIMIT} are allowed.", ids.len());
        return Err(Error::new(Code::PolicyLimit, sentence).with("field", "ip_policy_ids"));
    }
    let mut policies = Vec::new();
    for id in ids {
        let policy = Id::parse(id).map_err(|error| error.with("field", "ip_policy_ids"))?;
        if !policies.contains(&policy) {
            policies.push(policy);
        }
    }
    if policies.is_empty() {
        let sentence =
            "`ip_policy_ids` is empty: name at least one IP policy. To admit every address, remove the restriction.";
        return Err(Error::new(Code::PolicyCount, sentence).with("field", "ip_policy_ids"));
    }
    Ok(policies)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_policy_counts_once_and_there_is_at_least_one() {
        let ids: Vec<String> =
            (0..=POLICY_LIMIT).map(|_| Id::<IpPolicy>::new(jiff::Timestamp::UNIX_EPOCH).to_string()).collect();
        let twice = [&ids[..2], &ids[..1]].concat();
        let read: Vec<String> = parse_policy_ids(&twice).expect("fine").iter().map(ToString::to_string).collect();
        assert_eq!(read, ids[..2]);
        assert!(parse_policy_ids(&ids[1..]).is_ok());
        assert_eq!(parse_policy_ids(&ids).expect_err("one too many").code, Code::PolicyLimit);
        assert_eq!(parse_policy_ids(&[]).expect_err("none").code, Code::PolicyCount);
        assert_eq!(
            parse_policy_ids(&["ipr_0ujtsYcgvSTl8PAuAdqWYSMnLOv".to_owned()]).expect_err("a rule").code,
            Code::IdShape
        );
    }
}
