//! Lists of IP policies: those a module or a restriction judges addresses by.

use postern_api::{Code, Error, Id, Result, module::POLICY_LIMIT, resource::IpPolicy};

/// Reads the ids of `ip_policy_ids`, each once, in their order: at least one, and not too many.
pub(crate) fn policies(ids: &[String]) -> Result<Vec<Id<IpPolicy>>> {
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
            "`ip_policy_ids` is empty: name at least one IP policy. To let everybody in, remove what restricts them.";
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
        let read: Vec<String> = policies(&twice).expect("fine").iter().map(ToString::to_string).collect();
        assert_eq!(read, ids[..2]);
        assert!(policies(&ids[1..]).is_ok());
        assert_eq!(policies(&ids).expect_err("one too many").code, Code::PolicyLimit);
        assert_eq!(policies(&[]).expect_err("none").code, Code::PolicyCount);
        assert_eq!(policies(&["ipr_0ujtsYcgvSTl8PAuAdqWYSMnLOv".to_owned()]).expect_err("a rule").code, Code::IdShape);
    }
}
