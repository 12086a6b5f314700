//! The description of the management API, as every build of this version serves it.

/// The OpenAPI 3.1 document, without the address of a server.
pub const OPENAPI: &str = include_str!("../openapi.json");

/// The OpenAPI description of the agent's local API, as `make gen` writes it.
pub const AGENT_OPENAPI: &str = include_str!("../agent-openapi.json");
