//! The API's OpenAPI description, made of the same types and the same registration as its routes.

mod operations;
mod parts;
mod schemas;
mod words;

use schemas::Schemas;
use serde_json::{Map, Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// Collects what every registration says about its operations.
pub(crate) struct Description {
    schemas: Schemas,
    paths: BTreeMap<String, Map<String, Value>>,
    operation_ids: BTreeSet<String>,
    families: BTreeMap<&'static str, &'static str>,
}

impl Description {
    /// The document that these registrations come to, without the address of a server.
    ///
    /// # Panics
    ///
    /// When two operations or two schemas would have the same name: that is a mistake in the types.
    pub(super) fn of(registrations: &[fn(&mut Description)]) -> Value {
        let mut description = Description {
            schemas: Schemas::new(),
            paths: BTreeMap::new(),
            operation_ids: BTreeSet::new(),
            families: BTreeMap::new(),
        };
        for describe in registrations {
            describe(&mut description);
        }
        description.document()
    }

    fn document(self) -> Value {
        let tags: Vec<Value> =
            self.families.iter().map(|(name, about)| json!({ "name": name, "description": about })).collect();
        let paths: Map<String, Value> =
            self.paths.into_iter().map(|(path, operations)| (path, Value::Object(operations))).collect();
        let mut schemas = self.schemas.into_components();
        let clash = schemas.insert("Error".to_owned(), parts::error());
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
                "parameters": parts::parameters(),
                "headers": parts::headers(),
                "responses": parts::refusals(),
                "securitySchemes": parts::security_schemes(),
            },
        })
    }
}
