//! A request or connection that an edge refused, and the reason.

use crate::{Timestamp, resource::Ref, trace::Decision};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A refused request or connection. The server keeps the last ones of each edge in memory.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RefusedVisit {
    /// Operation id on the visitor's error page and in the access log, `op_…`.
    pub id: String,
    /// Start time.
    pub at: Timestamp,
    /// The address of the visitor.
    pub ip: String,
    /// `https` for requests, `tls` or `tcp` for connections.
    pub scheme: String,
    /// Requested host; empty for TCP edges.
    pub host: String,
    /// The method of the request; empty for connections.
    pub method: String,
    /// The path of the request, without its query; empty for connections.
    pub path: String,
    /// The status of the answer; 0 for connections, which are closed without one.
    pub status: u16,
    /// Why, as a code.
    pub error_code: String,
    /// Why, in a sentence.
    pub msg: String,
    /// The route of the edge; null if none was reached.
    pub route: Option<Ref>,
    /// Decisions of modules and restrictions, in order. The last one has refused, unless none did.
    pub decisions: Vec<Decision>,
    /// Time until the refusal.
    pub duration_microseconds: u64,
}
