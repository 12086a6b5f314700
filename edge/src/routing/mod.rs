//! From a name and a path to an edge and its route: a table made of what is published, read without locks.

mod endpoint;
mod matcher;
mod table;

pub(crate) use endpoint::{HttpsEndpoint, Route, TlsEndpoint};
pub(crate) use matcher::PathMatcher;
pub(crate) use table::{NamedEdge, Routing};
