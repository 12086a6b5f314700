//! A weighted backend: shares its visitors out among other backends.

use crate::{
    id::Kind,
    resource::{Nothing, Resource, body},
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The most backends that one weighted or failover backend may name.
pub const CHILD_LIMIT: usize = 100;
/// The largest weight.
pub const WEIGHT_LIMIT: i64 = 10_000;

/// Routes each visitor to one of these backends, in proportion to their weights.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct WeightedBackend {
    /// Weight of each backend, 0 to 10000; a backend of weight 0 gets no visitors.
    pub backends: BTreeMap<String, i64>,
}

body! {
    /// Body of a create.
    WeightedBackendCreate {
        needs {}
        may {
            /// Ids of tunnel groups, HTTP responses and static backends with their weights. In a change they replace
            /// the whole map.
            #[schemars(extend(
                "maxProperties" = CHILD_LIMIT,
                "propertyNames" = { "pattern": "^bkd(tg|hr|sc)_[0-9A-Za-z]{27}$" },
                "additionalProperties" = { "type": "integer", "format": "int64", "minimum": 0, "maximum": WEIGHT_LIMIT }
            ))]
            backends: BTreeMap<String, i64>,
        }
    }
}

/// Body of a change.
pub type WeightedBackendUpdate = WeightedBackendCreate;

impl Kind for WeightedBackend {
    const PREFIX: &'static str = "bkdwd";
}
impl Resource for WeightedBackend {
    const KIND: &'static str = "weighted_backend";
    const PATH: &'static str = "/backends/weighted";
    const LIST: &'static str = "backends";
    type Status = Nothing;
    type Create = WeightedBackendCreate;
    type Update = WeightedBackendUpdate;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_schema_says_what_is_accepted() {
        let schema = schemars::schema_for!(WeightedBackendCreate).to_value();
        let backends = &schema["properties"]["backends"];
        assert_eq!(backends["additionalProperties"]["maximum"], WEIGHT_LIMIT, "{backends}");
        assert_eq!(backends["maxProperties"], CHILD_LIMIT, "{backends}");
        assert!(backends["propertyNames"]["pattern"].is_string(), "{backends}");
    }
}
