//! Reads the operations of the API from its description (OpenAPI).

use postern_api::description::OPENAPI;
use serde_json::Value;

/// An operation of the API.
#[derive(Clone, Debug)]
pub(super) struct ApiOperation {
    /// The words before the verb: `edges`, `tcp`.
    pub(super) words: Vec<String>,
    /// `list`, `create`, `get`, `update`, `delete` or `replace`.
    pub(super) verb: &'static str,
    pub(super) method: http::Method,
    /// The path with its parameters in braces.
    pub(super) path: String,
    /// The parameters of the path, in order.
    pub(super) parameters: Vec<String>,
    /// The parameters of the query.
    pub(super) query: Vec<ApiField>,
    /// The members of the body; `None` if there is no body.
    pub(super) body: Option<Vec<ApiField>>,
    pub(super) summary: String,
}

/// A member of a body, or a parameter of a query.
#[derive(Clone, Debug)]
pub(super) struct ApiField {
    pub(super) name: String,
    pub(super) format: FieldFormat,
    pub(super) help: String,
    /// The valid values, if they are a short list.
    pub(super) choices: Vec<String>,
}

/// The command-line format of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FieldFormat {
    /// As written; `@file` reads a file.
    Text,
    /// `true` or `false`.
    Switch,
    /// A number.
    Number,
    /// A repeated flag, one for each text.
    Texts,
    /// A repeated flag, one for each `key=value`.
    Pairs,
    /// A repeated flag, one for each `key=number`.
    NumberedPairs,
    /// JSON; `@file` reads a file.
    Json,
}

/// All operations of the API.
pub(super) fn operations() -> Vec<ApiOperation> {
    let description: Value = serde_json::from_str(OPENAPI).expect("the description is JSON: a test reads it");
    let mut operations = Vec::new();
    for (path, item) in description["paths"].as_object().into_iter().flatten() {
        for (method, operation) in item.as_object().into_iter().flatten() {
            operations.extend(read(&description, path, method, operation));
        }
    }
    operations
}

fn read(description: &Value, path: &str, method: &str, operation: &Value) -> Option<ApiOperation> {
    let segments: Vec<&str> = path.split('/').filter(|segment| !segment.is_empty()).collect();
    let parameter =
        |segment: &&str| segment.strip_prefix('{').and_then(|rest| rest.strip_suffix('}')).map(str::to_owned);
    let words = segments.iter().filter(|segment| parameter(segment).is_none()).map(|word| word.replace('_', "-"));
    let item = segments.last().is_some_and(|last| parameter(last).is_some());
    let (verb, method) = match (method, item) {
        ("get", true) => ("get", http::Method::GET),
        // A module belongs to an item and has no list.
        ("get", false) if operation["responses"]["200"].is_object() && is_module(description, path) => {
            ("get", http::Method::GET)
        }
        // So does what an item has besides its members: its name begins with `get_`.
        ("get", false)
            if path.contains('{') && operation["operationId"].as_str().is_some_and(|id| id.starts_with("get_")) =>
        {
            ("get", http::Method::GET)
        }
        ("get", false) => ("list", http::Method::GET),
        ("post", _) => ("create", http::Method::POST),
        ("patch", _) => ("update", http::Method::PATCH),
        ("put", _) => ("replace", http::Method::PUT),
        ("delete", _) => ("delete", http::Method::DELETE),
        _ => return None,
    };
    let schema = &operation["requestBody"]["content"]["application/json"]["schema"];
    let query = operation["parameters"].as_array().into_iter().flatten();
    let query = query.map(|parameter| resolve(description, parameter)).filter(|parameter| parameter["in"] == "query");
    Some(ApiOperation {
        words: words.collect(),
        verb,
        method,
        path: path.to_owned(),
        parameters: segments.iter().filter_map(parameter).collect(),
        query: query
            .filter_map(|parameter| Some(field(description, parameter["name"].as_str()?, &parameter["schema"])))
            .collect(),
        body: schema.is_object().then(|| members(description, schema)),
        summary: operation["summary"].as_str().unwrap_or_default().to_owned(),
    })
}

/// Whether a path can be replaced with PUT.
fn is_module(description: &Value, path: &str) -> bool {
    description["paths"][path]["put"].is_object()
}

fn members(description: &Value, schema: &Value) -> Vec<ApiField> {
    let schema = resolve(description, schema);
    let properties = schema["properties"].as_object().into_iter().flatten();
    properties.map(|(name, schema)| field(description, name, schema)).collect()
}

fn field(description: &Value, name: &str, schema: &Value) -> ApiField {
    let said = resolve(description, present(schema));
    let help = [&schema["description"], &said["description"]].into_iter().find_map(Value::as_str).unwrap_or_default();
    let choices = said["enum"].as_array().into_iter().flatten().filter_map(Value::as_str).map(str::to_owned);
    ApiField {
        name: name.to_owned(),
        format: format(description, said),
        help: help.to_owned(),
        choices: choices.collect(),
    }
}

fn format(description: &Value, schema: &Value) -> FieldFormat {
    if schema["enum"].is_array() || schema["const"].is_string() {
        return FieldFormat::Text;
    }
    match kind(schema) {
        "boolean" => FieldFormat::Switch,
        "integer" | "number" => FieldFormat::Number,
        "array" if kind(resolve(description, present(&schema["items"]))) == "string" => FieldFormat::Texts,
        "object" if !schema["properties"].is_object() => {
            match kind(resolve(description, present(&schema["additionalProperties"]))) {
                "string" => FieldFormat::Pairs,
                "integer" | "number" => FieldFormat::NumberedPairs,
                _ => FieldFormat::Json,
            }
        }
        "string" => FieldFormat::Text,
        _ if choices_of_texts(schema) => FieldFormat::Text,
        _ => FieldFormat::Json,
    }
}

/// Whether each alternative is one constant text.
fn choices_of_texts(schema: &Value) -> bool {
    let alternatives = schema["oneOf"].as_array();
    alternatives.is_some_and(|all| !all.is_empty() && all.iter().all(|one| one["const"].is_string()))
}

/// The type of a schema, ignoring null.
fn kind(schema: &Value) -> &str {
    let types = match &schema["type"] {
        Value::Array(types) => types.as_slice(),
        one => std::slice::from_ref(one),
    };
    types.iter().filter_map(Value::as_str).find(|kind| *kind != "null").unwrap_or_default()
}

/// The only alternative that is not null, or the schema itself.
fn present(schema: &Value) -> &Value {
    let alternatives = schema["anyOf"].as_array().or_else(|| schema["oneOf"].as_array());
    let mut present = alternatives.into_iter().flatten().filter(|one| one["type"] != "null" && one["const"].is_null());
    match (present.next(), present.next()) {
        (Some(one), None) => one,
        _ => schema,
    }
}

/// Resolves a reference inside the description.
fn resolve<'a>(description: &'a Value, schema: &'a Value) -> &'a Value {
    let reference = schema["$ref"].as_str().and_then(|reference| reference.strip_prefix('#'));
    reference.and_then(|pointer| description.pointer(pointer)).unwrap_or(schema)
}

/// The placeholder of a value in help texts.
pub(super) fn example(field: &ApiField) -> &'static str {
    match field.format {
        FieldFormat::Text => "TEXT|@FILE",
        FieldFormat::Switch => "true|false",
        FieldFormat::Number => "NUMBER",
        FieldFormat::Texts => "TEXT",
        FieldFormat::Pairs => "KEY=VALUE",
        FieldFormat::NumberedPairs => "KEY=NUMBER",
        FieldFormat::Json => "JSON|@FILE",
    }
}
