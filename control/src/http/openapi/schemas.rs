//! Schemas of all request and response bodies, each under a chosen name.
//!
//! The same type has different schemas in requests and in responses: a member with a default may be omitted in a request and
//! is always present in a response. So there are two generators, whose schemas are merged at the end.

use schemars::{JsonSchema, Schema, SchemaGenerator, generate::SchemaSettings, transform::RecursiveTransform};
use serde_json::{Map, Value, json};
use std::collections::{BTreeMap, BTreeSet};

const SCHEMA_PREFIX: &str = "#/components/schemas/";

pub(super) struct Schemas {
    responses: SchemaSet,
    bodies: SchemaSet,
    /// Schemas composed of others, such as lists.
    composed: BTreeMap<String, Value>,
}

/// One generator, and the names chosen for its schemas.
struct SchemaSet {
    generator: SchemaGenerator,
    /// By the generator's name; a type with two uses has two names.
    chosen: BTreeMap<String, Vec<(String, Option<String>)>>,
}

impl Schemas {
    pub(super) fn new() -> Self {
        let settings = || {
            SchemaSettings::draft2020_12().with(|settings| {
                settings.meta_schema = None;
                settings.definitions_path = "/components/schemas".into();
                settings.transforms =
                    vec![Box::new(RecursiveTransform(plain_text)), Box::new(RecursiveTransform(bounds))];
            })
        };
        let responses = settings().for_serialize().with_transform(RecursiveTransform(no_default));
        let bodies = settings().for_deserialize().with_transform(RecursiveTransform(nulls));
        Schemas { responses: SchemaSet::new(responses), bodies: SchemaSet::new(bodies), composed: BTreeMap::new() }
    }

    /// Reference to the schema of a response; `about` replaces the type's own description.
    pub(super) fn response<T: JsonSchema>(&mut self, name: &str, about: Option<String>) -> Value {
        self.responses.reference::<T>(name, about)
    }

    /// Reference to the schema of a request body.
    pub(super) fn body<T: JsonSchema>(&mut self, name: &str, about: Option<String>) -> Value {
        self.bodies.reference::<T>(name, about)
    }

    /// Reference to a composed schema.
    pub(super) fn composed(&mut self, name: &str, schema: Value) -> Value {
        insert(&mut self.composed, name.to_owned(), schema);
        json!({ "$ref": format!("{SCHEMA_PREFIX}{name}") })
    }

    /// Description of a type.
    pub(super) fn about<T: JsonSchema>(&mut self) -> Option<String> {
        let mut schema = T::json_schema(&mut self.responses.generator);
        plain_text(&mut schema);
        schema.get("description").and_then(Value::as_str).map(str::to_owned)
    }

    /// All schemas by name.
    ///
    /// # Panics
    ///
    /// If different schemas have the same name.
    pub(super) fn into_components(self) -> BTreeMap<String, Value> {
        let (responses, mut bodies) = (self.responses.finish(), self.bodies.finish());
        bodies.rename_different(&responses);
        let mut components = self.composed;
        for (name, schema) in responses.named().chain(bodies.named()) {
            insert(&mut components, name, schema);
        }
        components
    }
}

impl SchemaSet {
    fn new(settings: SchemaSettings) -> Self {
        SchemaSet { generator: settings.into_generator(), chosen: BTreeMap::new() }
    }

    fn reference<T: JsonSchema>(&mut self, name: &str, about: Option<String>) -> Value {
        let schema = self.generator.subschema_for::<T>();
        let made = schema.as_value()["$ref"].as_str().and_then(|reference| reference.strip_prefix(SCHEMA_PREFIX));
        let made = made.unwrap_or_else(|| panic!("`{name}` has no schema of its own"));
        let names = self.chosen.entry(made.to_owned()).or_default();
        if names.iter().all(|(known, _)| known != name) {
            names.push((name.to_owned(), about));
        }
        json!({ "$ref": format!("{SCHEMA_PREFIX}{name}") })
    }

    fn finish(mut self) -> FinishedSchemas {
        let definitions: BTreeMap<String, Value> = self.generator.take_definitions(true).into_iter().collect();
        for name in definitions.keys().filter(|name| !self.chosen.contains_key(*name)) {
            let plain = name.trim_end_matches(|last: char| last.is_ascii_digit());
            assert!(plain == name || !definitions.contains_key(plain), "two types are called `{plain}`: rename one");
        }
        FinishedSchemas { definitions, chosen: self.chosen }
    }
}

/// Schemas of a finished generator.
struct FinishedSchemas {
    definitions: BTreeMap<String, Value>,
    chosen: BTreeMap<String, Vec<(String, Option<String>)>>,
}

impl FinishedSchemas {
    /// Chosen name for a name of the generator.
    fn name<'a>(&'a self, made: &'a str) -> &'a str {
        self.chosen.get(made).and_then(|names| names.first()).map_or(made, |(name, _)| name)
    }

    /// Adds `Input` to the names of schemas that differ from those of responses, and of all that refer to them.
    fn rename_different(&mut self, responses: &FinishedSchemas) {
        let response_schemas: BTreeMap<&str, &Value> =
            responses.definitions.iter().map(|(made, schema)| (responses.name(made), schema)).collect();
        let mut apart = BTreeSet::new();
        loop {
            let before = apart.len();
            for (made, schema) in self.definitions.iter().filter(|(made, _)| !self.chosen.contains_key(*made)) {
                let same = response_schemas.get(made.as_str()).is_none_or(|other| *other == schema);
                if !same || (response_schemas.contains_key(made.as_str()) && refers(schema, &apart)) {
                    apart.insert(made.clone());
                }
            }
            if apart.len() == before {
                break;
            }
        }
        for made in apart {
            let name = format!("{made}Input");
            self.chosen.insert(made, vec![(name, None)]);
        }
    }

    /// All schemas with their final names.
    fn named(&self) -> impl Iterator<Item = (String, Value)> + '_ {
        self.definitions.iter().flat_map(|(made, schema)| {
            let mut schema = schema.clone();
            each_reference(&mut schema, &mut |made| self.name(made).to_owned());
            let plain = [(made.clone(), None)];
            let names = self.chosen.get(made).map_or(&plain[..], Vec::as_slice).to_vec();
            names.into_iter().map(move |(name, about)| {
                let mut schema = schema.clone();
                if let Some(about) = about {
                    schema["description"] = about.into();
                }
                (name, schema)
            })
        })
    }
}

fn insert(components: &mut BTreeMap<String, Value>, name: String, schema: Value) {
    if let Some(other) = components.get(&name) {
        assert_eq!(*other, schema, "two different schemas are called `{name}`: rename one of the types");
    }
    components.insert(name, schema);
}

fn refers(schema: &Value, names: &BTreeSet<String>) -> bool {
    let mut found = false;
    each_reference(&mut schema.clone(), &mut |name| {
        found |= names.contains(name);
        name.to_owned()
    });
    found
}

/// Replaces the name in every reference.
fn each_reference(schema: &mut Value, rename: &mut impl FnMut(&str) -> String) {
    match schema {
        Value::Object(members) => {
            for (member, value) in members {
                match value.as_str().and_then(|text| text.strip_prefix(SCHEMA_PREFIX)) {
                    Some(name) if member == "$ref" => *value = format!("{SCHEMA_PREFIX}{}", rename(name)).into(),
                    _ => each_reference(value, rename),
                }
            }
        }
        Value::Array(items) => items.iter_mut().for_each(|item| each_reference(item, rename)),
        _ => {}
    }
}

/// Removes the links and line breaks of Rust documentation.
fn plain_text(schema: &mut Schema) {
    if let Some(Value::String(text)) = schema.get_mut("description") {
        let text_of = |paragraph: &str| paragraph.replace('\n', " ").replace("[`", "`").replace("`]", "`");
        *text = text.split("\n\n").map(text_of).collect::<Vec<_>>().join("\n\n");
    }
}

/// A response contains every member.
fn no_default(schema: &mut Schema) {
    schema.remove("default");
}

/// Adds the bounds of integer types.
fn bounds(schema: &mut Schema) {
    let (least, most) = match schema.get("format").and_then(Value::as_str) {
        Some("uint32") => (json!(0), json!(u32::MAX)),
        Some("uint64" | "uint") => (json!(0), json!(u64::MAX)),
        Some("int32") => (json!(i32::MIN), json!(i32::MAX)),
        Some("int64" | "int") => (json!(i64::MIN), json!(i64::MAX)),
        _ => return,
    };
    let members = schema.ensure_object();
    members.entry("minimum").or_insert(least);
    members.entry("maximum").or_insert(most);
}

/// Allows null for optional members, because null equals absence. Also for the values of a map, and for unknown members:
/// clients of other versions send all members they know.
fn nulls(schema: &mut Schema) {
    let Some(members) = schema.as_object_mut() else { return };
    let required: BTreeSet<String> = members
        .get("required")
        .and_then(Value::as_array)
        .map(|names| names.iter().filter_map(Value::as_str).map(str::to_owned).collect())
        .unwrap_or_default();
    if let Some(Value::Object(properties)) = members.get_mut("properties") {
        for (_, property) in properties.iter_mut().filter(|(name, _)| !required.contains(*name)) {
            allow_null(property);
        }
    }
    match members.get_mut("additionalProperties") {
        Some(values @ Value::Object(_)) => allow_null(values),
        Some(none @ Value::Bool(false)) => *none = json!({ "type": "null" }),
        _ => {}
    }
}

fn allow_null(property: &mut Value) {
    let Value::Object(members) = property else { return };
    let null = json!("null");
    let alternatives = |members: &Map<String, Value>| -> bool {
        ["anyOf", "oneOf"]
            .iter()
            .filter_map(|name| members.get(*name)?.as_array())
            .flatten()
            .any(|one| one["type"] == null)
    };
    let types = match members.get("type") {
        Some(Value::Array(types)) => types.clone(),
        Some(one) => vec![one.clone()],
        None => Vec::new(),
    };
    match types {
        types if types.contains(&null) => {}
        mut types if !types.is_empty() && !members.contains_key("const") => {
            types.push(null);
            members.insert("type".to_owned(), types.into());
            if let Some(Value::Array(values)) = members.get_mut("enum") {
                values.push(Value::Null);
            }
        }
        _ if members.is_empty() || alternatives(members) => {}
        _ => {
            let about = members.remove("description");
            let mut schema = json!({ "anyOf": [std::mem::take(members), { "type": "null" }] });
            if let Some(about) = about {
                schema["description"] = about;
            }
            *property = schema;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde::{Deserialize, Serialize};

    #[derive(Serialize, Deserialize, JsonSchema)]
    #[serde(deny_unknown_fields)]
    struct Part {
        #[serde(default)]
        number: u32,
    }

    /// Something
    /// [`Whole`].
    #[derive(Serialize, Deserialize, JsonSchema)]
    struct Whole {
        part: Part,
        #[serde(default)]
        labels: BTreeMap<String, String>,
        other: Option<Part>,
    }

    mod elsewhere {
        #[derive(serde::Serialize, schemars::JsonSchema)]
        pub(super) struct Part {
            text: String,
        }
    }

    fn both() -> BTreeMap<String, Value> {
        let mut schemas = Schemas::new();
        schemas.response::<Whole>("Whole", None);
        schemas.body::<Whole>("WholeCreate", None);
        schemas.body::<Whole>("WholeUpdate", Some("a change".to_owned()));
        schemas.into_components()
    }

    #[test]
    fn optional_members_of_a_request_may_be_null_and_are_always_in_a_response() {
        let all = both();
        assert_eq!(all["Whole"]["required"], json!(["part", "labels", "other"]));
        assert_eq!(all["WholeCreate"]["required"], json!(["part"]));
        assert_eq!(all["Part"]["properties"]["number"]["type"], "integer");
        assert_eq!(all["PartInput"]["properties"]["number"]["type"], json!(["integer", "null"]));
        assert_eq!(all["PartInput"]["properties"]["number"]["maximum"], u32::MAX);
        assert_eq!(all["PartInput"]["additionalProperties"], json!({ "type": "null" }));
        assert_eq!(all["WholeCreate"]["properties"]["part"]["$ref"], "#/components/schemas/PartInput");
        assert_eq!(
            all["WholeCreate"]["properties"]["labels"]["additionalProperties"]["type"],
            json!(["string", "null"])
        );
        assert_eq!(all["Whole"]["properties"]["labels"]["additionalProperties"]["type"], "string");
    }

    #[test]
    fn a_type_with_two_uses_has_two_names() {
        let all = both();
        assert_eq!(all.keys().collect::<Vec<_>>(), ["Part", "PartInput", "Whole", "WholeCreate", "WholeUpdate"]);
        assert_eq!(all["WholeCreate"]["description"], "Something `Whole`.");
        assert_eq!(all["WholeUpdate"]["description"], "a change");
        assert_eq!(all["WholeUpdate"]["properties"], all["WholeCreate"]["properties"]);
    }

    #[test]
    #[should_panic(expected = "two types are called `Part`")]
    fn two_types_with_one_name_panic() {
        #[derive(Serialize, JsonSchema)]
        struct Pair {
            one: Part,
            other: elsewhere::Part,
        }
        let mut schemas = Schemas::new();
        schemas.response::<Pair>("Pair", None);
        schemas.into_components();
    }

    #[test]
    #[should_panic(expected = "two different schemas are called `Whole`")]
    fn two_schemas_with_one_name_panic() {
        let mut schemas = Schemas::new();
        schemas.response::<Whole>("Whole", None);
        schemas.response::<Part>("Whole", None);
        schemas.into_components();
    }
}
