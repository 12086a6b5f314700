//! The IP restriction module: which addresses may reach an edge.

use crate::{
    ip_rules::IpRules,
    module::{Module, enabled, yes},
    resource::Ref,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// The most policies one module may name.
pub const POLICY_LIMIT: usize = 100;

/// IP policies that evaluate a visitor's address; all their rules apply together.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct IpRestriction {
    /// Whether the module is enabled.
    #[serde(default = "yes", deserialize_with = "enabled")]
    #[schemars(with = "Option<bool>")]
    pub enabled: bool,
    /// The ids of the policies, 1 to [`POLICY_LIMIT`].
    #[schemars(length(min = 1, max = 100), inner(regex(pattern = "^ipp_[0-9A-Za-z]{27}$")))]
    pub ip_policy_ids: Vec<String>,
}

/// The IP restriction module in responses.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct IpRestrictionView {
    /// Whether the module is enabled.
    pub enabled: bool,
    /// The policies. One that was deleted stays listed and counts as one without rules.
    pub ip_policies: Vec<Ref>,
}

impl IpRestriction {
    /// An enabled module with these policies.
    pub fn by(ids: impl IntoIterator<Item = impl std::fmt::Display>) -> Self {
        IpRestriction { enabled: true, ip_policy_ids: ids.into_iter().map(|id| id.to_string()).collect() }
    }
}

impl Module for IpRestriction {
    const NAME: &'static str = "ip_restriction";
    type View = IpRestrictionView;
    type Published = Arc<IpRules>;

    fn is_enabled(&self) -> bool {
        self.enabled
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn enabled_is_true_unless_said_otherwise() {
        for (text, expected) in [
            (r#"{"ip_policy_ids":[]}"#, true),
            (r#"{"enabled":null,"ip_policy_ids":[]}"#, true),
            (r#"{"enabled":false,"ip_policy_ids":[]}"#, false),
        ] {
            let module: IpRestriction = serde_json::from_str(text).expect(text);
            assert_eq!(module.enabled, expected, "{text}");
        }
    }
}
