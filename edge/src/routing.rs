//! From a host name and a path to an edge and its route: a table of the published edges, read without locks.

mod endpoint;
mod matcher;
mod table;

pub(crate) use endpoint::{HttpsEndpoint, Route, TlsEndpoint};
pub(crate) use matcher::PathMatcher;
pub(crate) use table::{NamedEdge, Routing};
