//! OpenAPI description of the API, from the same types and registrations as its routes.

mod components;
mod naming;
mod operations;
mod schemas;

use schemas::Schemas;
use serde_json::{Map, Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// Collects the operations of all registrations.
pub(crate) struct Description {
    schemas: Schemas,
    paths: BTreeMap<String, Map<String, Value>>,
    operation_ids: BTreeSet<String>,
    tags: BTreeMap<&'static str, &'static str>,
}

impl Description {
    /// Builds the document, without the URL of a server.
    ///
    /// # Panics
    ///
    /// If two operations or two schemas have the same name: a mistake in the types.
    pub(super) fn build(registrations: &[fn(&mut Description)]) -> Value {
        let mut description = Description {
            schemas: Schemas::new(),
            paths: BTreeMap::new(),
            operation_ids: BTreeSet::new(),
            tags: BTreeMap::new(),
        };
        for describe in registrations {
            describe(&mut description);
        }
        description.document()
    }

    fn document(self) -> Value {
        let tags: Vec<Value> =
            self.tags.iter().map(|(name, about)| json!({ "name": name, "description": about })).collect();
        let paths: Map<String, Value> =
            self.paths.into_iter().map(|(path, operations)| (path, Value::Object(operations))).collect();
        let mut schemas = self.schemas.into_components();
        let clash = schemas.insert("Error".to_owned(), components::error());
        assert!(clash.is_none(), "the name `Error` belongs to the body of refusals");
        json!({
            "openapi": "3.1.0",
            "info": {
                "title": "Postern management API",
                "description": "Everything that can be configured on a Postern server.",
                "version": env!("CARGO_PKG_VERSION"),
                "license": { "name": env!("CARGO_PKG_LICENSE"), "identifier": env!("CARGO_PKG_LICENSE") },
            },
            "security": [{ "bearer": [] }, { "basic": [] }],
            "tags": tags,
            "paths": paths,
            "components": {
                "schemas": schemas.into_iter().collect::<Map<String, Value>>(),
                "parameters": components::parameters(),
                "headers": components::headers(),
                "responses": components::refusals(),
                "securitySchemes": components::security_schemes(),
            },
        })
    }
}
