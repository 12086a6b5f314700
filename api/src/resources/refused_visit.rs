//! A request or connection that an edge turned away, and why.

use crate::{Timestamp, resource::Ref, trace::Decision};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What is remembered of a visitor who was turned away. The last ones of each edge are kept in the memory of the server.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RefusedVisit {
    /// What names the request on the visitor's error page and in the access log, `op_…`.
    pub id: String,
    /// When it began.
    pub at: Timestamp,
    /// The address of the visitor.
    pub ip: String,
    /// `https` for requests, `tls` or `tcp` for connections.
    pub scheme: String,
    /// The host that was asked for; empty for TCP edges.
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
    /// What each module and restriction said, in order. The last one has refused, unless none did.
    pub decisions: Vec<Decision>,
    /// How long it took to refuse.
    pub duration_microseconds: u64,
}
