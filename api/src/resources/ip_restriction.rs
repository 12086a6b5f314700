//! An IP restriction: guards a part of the service with IP policies.

use crate::{
    id::Kind,
    module::POLICY_LIMIT,
    resource::{Ref, Resource, body},
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The part of the service that a restriction guards.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum RestrictionType {
    /// The console's pages.
    Dashboard,
    /// The management API.
    Api,
    /// Agents that start sessions.
    Agent,
    /// Visitors of all endpoints.
    Endpoints,
}

impl RestrictionType {
    /// All of them.
    pub const ALL: [RestrictionType; 4] =
        [RestrictionType::Dashboard, RestrictionType::Api, RestrictionType::Agent, RestrictionType::Endpoints];

    /// Whether it guards the management API or the console, so that it can shut administrators out.
    pub const fn guards_management(self) -> bool {
        matches!(self, RestrictionType::Api | RestrictionType::Dashboard)
    }

    /// Text form.
    pub const fn as_str(self) -> &'static str {
        match self {
            RestrictionType::Dashboard => "dashboard",
            RestrictionType::Api => "api",
            RestrictionType::Agent => "agent",
            RestrictionType::Endpoints => "endpoints",
        }
    }
}

/// Addresses that may use a part of the service. Every enforced restriction of a type must allow an address.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct IpRestriction {
    /// Whether it is enforced; if not, it only logs warnings.
    pub enforced: bool,
    /// The part of the service that it protects.
    #[serde(rename = "type")]
    pub kind: RestrictionType,
}

/// Fields that the server adds to a restriction.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct IpRestrictionStatus {
    /// Policies that evaluate an address; all their rules apply together. A deleted policy stays listed and counts
    /// as one without rules.
    pub ip_policies: Vec<Ref>,
}

body! {
    /// Body of a create. The type and at least one policy are required.
    IpRestrictionCreate {
        needs {
            /// `dashboard`, `api`, `agent` or `endpoints`.
            #[serde(rename = "type")]
            #[schemars(extend("enum" = RestrictionType::ALL))]
            kind: String,
            /// The ids of the policies.
            #[schemars(length(min = 1, max = POLICY_LIMIT), inner(regex(pattern = "^ipp_[0-9A-Za-z]{27}$")))]
            ip_policy_ids: Vec<String>,
        }
        may {
            /// Default: false.
            enforced: bool,
        }
    }
}

body! {
    /// Body of a change.
    IpRestrictionUpdate {
        needs {}
        may {
            /// Whether it is enforced.
            enforced: bool,
            /// The ids of the policies, replacing all former ones.
            #[schemars(length(min = 1, max = POLICY_LIMIT), inner(regex(pattern = "^ipp_[0-9A-Za-z]{27}$")))]
            ip_policy_ids: Vec<String>,
        }
    }
}

impl Kind for IpRestriction {
    const PREFIX: &'static str = "ipx";
}
impl Resource for IpRestriction {
    const KIND: &'static str = "ip_restriction";
    const PATH: &'static str = "/ip_restrictions";
    const LIST: &'static str = "ip_restrictions";
    type Status = IpRestrictionStatus;
    type Create = IpRestrictionCreate;
    type Update = IpRestrictionUpdate;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_type_is_written_in_one_way() {
        for kind in RestrictionType::ALL {
            assert_eq!(serde_json::to_value(kind).expect("JSON"), kind.as_str());
        }
    }
}
