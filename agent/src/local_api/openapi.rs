//! The OpenAPI description of the local API, made of the registration of its routes and the types of its bodies.

use postern_api::local::{LocalApiError, LocalEvent};
use schemars::{JsonSchema, Schema, SchemaGenerator, generate::SchemaSettings, transform::RecursiveTransform};
use serde_json::{Map, Value as Json, json};
use std::collections::BTreeMap;

const JSON: &str = "application/json";

/// The responses of an operation that has no JSON body.
#[derive(Clone, Copy, Debug)]
pub(super) enum Media {
    /// An empty response.
    Empty,
    /// Bytes.
    Bytes,
    /// Server-sent events.
    Events,
}

/// An operation of the local API.
pub(super) struct Operation {
    method: &'static str,
    path: &'static str,
    id: &'static str,
    summary: &'static str,
    query: &'static [(&'static str, &'static str)],
    request: Option<Json>,
    status: u16,
    response: Option<(&'static str, Json)>,
}

/// Collects the description of every route.
pub(super) struct Description {
    generator: SchemaGenerator,
    paths: BTreeMap<&'static str, Map<String, Json>>,
}

impl Description {
    pub(super) fn new() -> Self {
        let settings = SchemaSettings::draft2020_12().with(|settings| {
            settings.meta_schema = None;
            settings.definitions_path = "/components/schemas".into();
            settings.transforms =
                vec![Box::new(RecursiveTransform(plain_text)), Box::new(RecursiveTransform(optional))];
        });
        Description { generator: settings.for_serialize().into_generator(), paths: BTreeMap::new() }
    }

    fn schema<T: JsonSchema>(&mut self) -> Json {
        self.generator.subschema_for::<T>().to_value()
    }

    /// Begins the description of an operation that responds with JSON.
    pub(super) fn json<T: JsonSchema>(&mut self, method: &'static str, path: &'static str) -> Operation {
        let response = Some((JSON, self.schema::<T>()));
        Operation { method, path, id: "", summary: "", query: &[], request: None, status: 200, response }
    }

    /// Begins the description of an operation that does not respond with JSON.
    pub(super) fn media(&mut self, method: &'static str, path: &'static str, media: Media) -> Operation {
        let (status, response) = match media {
            Media::Empty => (204, None),
            Media::Bytes => (200, Some(("application/octet-stream", json!({"type": "string", "format": "binary"})))),
            Media::Events => (200, Some(("text/event-stream", self.schema::<LocalEvent>()))),
        };
        Operation { method, path, id: "", summary: "", query: &[], request: None, status, response }
    }

    /// Adds the request body of an operation.
    pub(super) fn body<T: JsonSchema>(&mut self, operation: &mut Operation) {
        operation.request = Some(self.schema::<T>());
    }

    pub(super) fn add(&mut self, operation: Operation) {
        let described = operation.describe();
        let taken = self.paths.entry(operation.path).or_default().insert(operation.method.to_owned(), described);
        assert!(taken.is_none(), "{} {} is registered twice", operation.method, operation.path);
    }

    /// The whole document.
    pub(super) fn document(mut self) -> Json {
        let error = self.schema::<LocalApiError>();
        let paths: Map<String, Json> =
            self.paths.into_iter().map(|(path, operations)| (path.to_owned(), Json::Object(operations))).collect();
        let schemas: BTreeMap<String, Json> = self.generator.take_definitions(true).into_iter().collect();
        json!({
            "openapi": "3.1.0",
            "info": {
                "title": "Postern agent API",
                "description": "The local API of the agent. It listens on a loopback address and has no login.",
                "version": env!("CARGO_PKG_VERSION"),
                "license": {"name": env!("CARGO_PKG_LICENSE"), "identifier": env!("CARGO_PKG_LICENSE")},
            },
            "paths": paths,
            "components": {
                "schemas": schemas.into_iter().collect::<Map<String, Json>>(),
                "responses": {"Error": {"description": "An error.", "content": {JSON: {"schema": error}}}},
            },
        })
    }
}

impl Operation {
    pub(super) fn named(self, id: &'static str, summary: &'static str) -> Self {
        Operation { id, summary, ..self }
    }

    /// Query parameters with their descriptions; all are optional.
    pub(super) fn query(self, query: &'static [(&'static str, &'static str)]) -> Self {
        Operation { query, ..self }
    }

    pub(super) fn status(self, status: u16) -> Self {
        Operation { status, ..self }
    }

    fn describe(&self) -> Json {
        let path = self.path.split('/').filter_map(|part| part.strip_prefix('{')?.strip_suffix('}'));
        let path = path.map(|name| json!({"name": name, "in": "path", "required": true, "schema": {"type": "string"}}));
        let query = self.query.iter().map(
            |(name, about)| json!({"name": name, "in": "query", "description": about, "schema": {"type": "string"}}),
        );
        let mut success = json!({"description": "Success."});
        if let Some((media, schema)) = &self.response {
            success["content"] = json!({*media: {"schema": schema}});
        }
        let mut described = json!({
            "operationId": self.id,
            "summary": self.summary,
            "parameters": path.chain(query).collect::<Vec<_>>(),
        });
        if let Some(request) = &self.request {
            described["requestBody"] = json!({"required": true, "content": {JSON: {"schema": request}}});
        }
        described["responses"] =
            json!({self.status.to_string(): success, "default": {"$ref": "#/components/responses/Error"}});
        described
    }
}

/// Removes defaults, which responses do not need, and the null type of members that may be absent: they are never null.
fn optional(schema: &mut Schema) {
    schema.remove("default");
    let required = schema.get("required").and_then(Json::as_array).cloned().unwrap_or_default();
    let Some(Json::Object(properties)) = schema.get_mut("properties") else { return };
    for (_, property) in properties.iter_mut().filter(|(name, _)| !required.iter().any(|known| known == *name)) {
        let null = |value: &Json| value == "null" || value["type"] == "null";
        for member in ["type", "anyOf"] {
            if let Some(Json::Array(types)) = property.get_mut(member) {
                types.retain(|value| !null(value));
                if let [single] = types.as_slice() {
                    let single = single.clone();
                    match single {
                        Json::Object(schema) => {
                            let Some(members) = property.as_object_mut() else { continue };
                            members.remove(member);
                            members.extend(schema);
                        }
                        name => property[member] = name,
                    }
                }
            }
        }
    }
}

/// Removes line breaks and intra-doc links from descriptions.
fn plain_text(schema: &mut Schema) {
    if let Some(Json::String(text)) = schema.get_mut("description") {
        let unwrap = |paragraph: &str| paragraph.replace('\n', " ").replace("[`", "`").replace("`]", "`");
        *text = text.split("\n\n").map(unwrap).collect::<Vec<_>>().join("\n\n");
    }
}
