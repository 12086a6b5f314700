//! A failover backend: the first of several backends that can be reached.

use super::weighted_backend::CHILD_LIMIT;
use crate::{
    id::Kind,
    resource::{Nothing, Resource, body},
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Routes a visitor to the first of these backends that can be reached.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct FailoverBackend {
    /// The ids of the backends, the preferred one first.
    pub backends: Vec<String>,
}

body! {
    /// Body of a create.
    FailoverBackendCreate {
        needs {}
        may {
            /// Ids of tunnel groups, HTTP responses, static and weighted backends, the preferred one first. In a
            /// change they replace the whole list.
            #[schemars(length(max = CHILD_LIMIT), inner(regex(pattern = "^bkd(tg|hr|sc|wd)_[0-9A-Za-z]{27}$")))]
            backends: Vec<String>,
        }
    }
}

/// Body of a change.
pub type FailoverBackendUpdate = FailoverBackendCreate;

impl Kind for FailoverBackend {
    const PREFIX: &'static str = "bkdfo";
}
impl Resource for FailoverBackend {
    const KIND: &'static str = "failover_backend";
    const PATH: &'static str = "/backends/failover";
    const LIST: &'static str = "backends";
    type Status = Nothing;
    type Create = FailoverBackendCreate;
    type Update = FailoverBackendUpdate;
}
