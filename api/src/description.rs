//! The description of the management API, as every build of this version serves it.

/// The OpenAPI 3.1 document, without the address of a server.
pub const OPENAPI: &str = include_str!("../openapi.json");
