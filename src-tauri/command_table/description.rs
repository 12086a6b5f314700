//! The description of commands and events, from which the web app's types are made, and the test that compares it with the
//! committed file.

use super::describe;
use crate::{
    error::Result,
    ipc::{Arguments, Bytes, WindowEvent},
    state_events::DESKTOP_STATE,
    windows::{GO_TO, INSPECTOR_TARGET},
};
use schemars::{
    JsonSchema, Schema, SchemaGenerator, generate::SchemaSettings, json_schema, transform::RecursiveTransform,
};
use serde_json::{Map, Value as Json, json};
use std::{borrow::Cow, future::Future};
use tauri::{AppHandle, State};

const FILE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/api/desktop-commands.json");
/// Set to write the file instead of comparing it, as `make gen` does.
const WRITE: &str = "POSTERN_WRITE_DESCRIPTION";

#[test]
fn the_committed_description_is_up_to_date() {
    let mut description = Description::new();
    describe(&mut description);
    description.event(&DESKTOP_STATE);
    description.event(&GO_TO);
    description.event(&INSPECTOR_TARGET);
    let made = serde_json::to_string_pretty(&description.document()).expect("JSON") + "\n";
    if std::env::var_os(WRITE).is_some() {
        std::fs::write(FILE, &made).expect("api/desktop-commands.json can be written");
    }
    let committed = std::fs::read_to_string(FILE).unwrap_or_default();
    assert!(made == committed, "api/desktop-commands.json is stale: run `make gen` and commit the file");
}

/// Collects schemas from the signatures of commands and from events.
pub(super) struct Description {
    generator: SchemaGenerator,
    commands: Map<String, Json>,
    events: Map<String, Json>,
}

impl Description {
    fn new() -> Self {
        let settings = SchemaSettings::draft2020_12().with(|settings| {
            settings.meta_schema = None;
            settings.definitions_path = "/components/schemas".into();
            settings.transforms = vec![Box::new(RecursiveTransform(without_default))];
        });
        Description { generator: settings.for_serialize().into_generator(), commands: Map::new(), events: Map::new() }
    }

    pub(super) fn command<Parameters>(&mut self, name: &str, command: impl Command<Parameters>) {
        let described = command.signature(&mut self.generator);
        self.commands.insert(name.to_owned(), object(described));
    }

    fn event<T: JsonSchema>(&mut self, event: &WindowEvent<T>) {
        self.events.insert(event.name.to_owned(), self.generator.subschema_for::<T>().to_value());
    }

    fn document(mut self) -> Json {
        let mut schemas = self.generator.take_definitions(true);
        schemas.sort_keys();
        schemas.insert("Commands".to_owned(), object(self.commands));
        schemas.insert("Events".to_owned(), object(self.events));
        json!({
            "openapi": "3.1.0",
            "info": {
                "title": "Postern desktop app",
                "description": "Commands that the windows call, and events that they listen to.",
                "version": env!("CARGO_PKG_VERSION"),
            },
            "paths": {},
            "components": {"schemas": schemas},
        })
    }
}

/// A schema of an object whose members are always present.
fn object(properties: Map<String, Json>) -> Json {
    let required: Vec<&String> = properties.keys().collect();
    json!({"type": "object", "required": required, "properties": properties})
}

fn without_default(schema: &mut Schema) {
    schema.remove("default");
}

/// A function that windows can call.
pub(super) trait Command<Parameters> {
    /// The schemas of `arguments`, if there are any, and of the `result`.
    fn signature(&self, generator: &mut SchemaGenerator) -> Map<String, Json>;
}

macro_rules! command {
    ($($parameter:ident),*) => {
        impl<F, Output, Response, $($parameter),*> Command<($($parameter,)*)> for F
        where
            F: Fn($($parameter),*) -> Output,
            Output: Future<Output = Result<Response>>,
            Response: JsonSchema,
            $($parameter: Parameter,)*
        {
            fn signature(&self, generator: &mut SchemaGenerator) -> Map<String, Json> {
                let arguments: [Option<Schema>; _] = [$($parameter::arguments(generator)),*];
                let arguments = arguments.into_iter().flatten().map(|schema| ("arguments", schema));
                let members: Vec<_> = arguments.chain([("result", generator.subschema_for::<Response>())]).collect();
                members.into_iter().map(|(name, schema)| (name.to_owned(), schema.to_value())).collect()
            }
        }
    };
}

command!(A);
command!(A, B);
command!(A, B, C);

/// A parameter of a command.
pub(super) trait Parameter {
    /// The schema of what windows send. Parts of the app are not sent.
    fn arguments(_: &mut SchemaGenerator) -> Option<Schema> {
        None
    }
}

impl Parameter for AppHandle {}
impl<T: Send + Sync + 'static> Parameter for State<'_, T> {}
impl<T: JsonSchema> Parameter for Arguments<T> {
    fn arguments(generator: &mut SchemaGenerator) -> Option<Schema> {
        Some(generator.subschema_for::<T>())
    }
}

impl JsonSchema for Bytes {
    fn inline_schema() -> bool {
        true
    }
    fn schema_name() -> Cow<'static, str> {
        "Bytes".into()
    }
    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({"type": "string", "format": "binary"})
    }
}
