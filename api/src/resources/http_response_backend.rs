//! An HTTP response backend: one fixed answer for every request.

use crate::{
    id::Kind,
    resource::{Nothing, Resource, body},
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The longest body, in bytes.
pub const RESPONSE_BODY_LIMIT: usize = 256 << 10;
/// The most headers.
pub const RESPONSE_HEADER_LIMIT: usize = 50;
/// The longest header name, in bytes.
pub const HEADER_NAME_LIMIT: usize = 128;
/// The longest header value, in bytes.
pub const HEADER_VALUE_LIMIT: usize = 4096;

/// The answer that every visitor gets.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct HttpResponseBackend {
    /// Body; may be empty.
    pub body: String,
    /// The headers, names in lower case.
    pub headers: BTreeMap<String, String>,
    /// The status.
    pub status_code: i32,
}

body! {
    /// Body of a create.
    HttpResponseBackendCreate {
        needs {}
        may {
            /// The body, at most 256 KiB.
            #[schemars(length(max = RESPONSE_BODY_LIMIT))]
            body: String,
            /// Headers by name, each name once in whatever case. Those that say how long the body is or how the
            /// connection goes on are the server's own. In a change they replace the whole map.
            #[schemars(extend(
                "maxProperties" = RESPONSE_HEADER_LIMIT,
                "propertyNames" = { "pattern": "^[0-9A-Za-z!#$%&'*+.^_`|~-]{1,128}$" },
                "additionalProperties" = { "type": "string", "pattern": "^[\\t\\x20-\\x7e]{0,4096}$" }
            ))]
            headers: BTreeMap<String, String>,
            /// HTTP status, 200 to 599; default: 200.
            #[schemars(range(min = 200, max = 599))]
            status_code: i32,
        }
    }
}

/// Body of a change.
pub type HttpResponseBackendUpdate = HttpResponseBackendCreate;

impl Kind for HttpResponseBackend {
    const PREFIX: &'static str = "bkdhr";
}
impl Resource for HttpResponseBackend {
    const KIND: &'static str = "http_response_backend";
    const PATH: &'static str = "/backends/http_response";
    const LIST: &'static str = "backends";
    type Status = Nothing;
    type Create = HttpResponseBackendCreate;
    type Update = HttpResponseBackendUpdate;
}
