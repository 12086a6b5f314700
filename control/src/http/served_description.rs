//! The description of the API as a server serves it: the committed text with the URL of the server.

use bytes::Bytes;
use postern_api::description::OPENAPI;

/// The text in two parts, because the second is part of the program and need not be in memory.
#[derive(Clone, Debug)]
pub struct ServedDescription {
    beginning: Bytes,
}

impl ServedDescription {
    /// With the URL of a server.
    pub fn new(url: &str) -> Self {
        let servers = serde_json::json!([{ "url": url }]);
        ServedDescription { beginning: format!("{{\n  \"servers\": {servers},").into() }
    }

    /// The parts, one after the other.
    pub fn parts(&self) -> [Bytes; 2] {
        // Its first character opens the object.
        let members = OPENAPI.split_at(1).1;
        [self.beginning.clone(), Bytes::from_static(members.as_bytes())]
    }
}
