//! Validates every response against the OpenAPI description: status, headers and body.

use axum::{Router, body::Body, extract::Request, middleware, response::Response};
use http::{HeaderMap, Method, StatusCode, header};
use http_body_util::BodyExt;
use jsonschema::Validator;
use serde_json::{Map, Value, json};
use std::{
    collections::{BTreeSet, HashMap},
    sync::{Arc, LazyLock, Mutex, PoisonError},
};

/// Operations by their path templates, with the statuses of their responses.
pub(crate) type OperationCall = (String, String, u16);

/// Operations called on one server.
#[derive(Clone, Default)]
pub(crate) struct OperationLog(Arc<Mutex<BTreeSet<OperationCall>>>);

impl OperationLog {
    /// Wraps a router: a response that does not match the description fails the test.
    pub(crate) fn wrap(&self, router: Router) -> Router {
        let operation_log = self.clone();
        router.layer(middleware::from_fn(move |request: Request, next: middleware::Next| {
            let operation_log = operation_log.clone();
            async move {
                let (method, path) = (request.method().clone(), request.uri().path().to_owned());
                let (parts, body) = next.run(request).await.into_parts();
                let bytes = body.collect().await.expect("a body").to_bytes();
                if let Some(call) = validate(&method, &path, parts.status, &parts.headers, &bytes) {
                    operation_log.0.lock().unwrap_or_else(PoisonError::into_inner).insert(call);
                }
                Response::from_parts(parts, Body::from(bytes))
            }
        }))
    }

    /// Operations called so far.
    pub(crate) fn calls(&self) -> BTreeSet<OperationCall> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// All operations of the description with their success statuses.
pub(crate) fn operations() -> BTreeSet<OperationCall> {
    let done = |status: &String| status.starts_with('2').then(|| status.parse().expect("a status"));
    let mut operations = BTreeSet::new();
    for (path, item) in members(&DESCRIPTION["paths"]) {
        for (method, operation) in members(item) {
            let statuses = members(&operation["responses"]).filter_map(|(status, _)| done(status));
            operations.extend(statuses.map(|status| (method.to_uppercase(), path.clone(), status)));
        }
    }
    operations
}

static DESCRIPTION: LazyLock<Value> = LazyLock::new(|| {
    let mut description = postern_control::description();
    let schemas = description["components"]["schemas"].as_object_mut().expect("schemas");
    schemas.values_mut().for_each(close);
    description
});

/// Forbids unknown members. Callers must accept them from newer servers, but this server must not send any.
fn close(schema: &mut Value) {
    match schema {
        Value::Object(members) => {
            members.values_mut().for_each(close);
            if members.contains_key("properties") && !members.contains_key("additionalProperties") {
                assert!(!members.contains_key("allOf"), "one of several parts cannot be closed");
                members.insert("additionalProperties".to_owned(), false.into());
            }
        }
        Value::Array(items) => items.iter_mut().for_each(close),
        _ => {}
    }
}

/// Panics unless the response matches the description; gives the operation, if there is one.
fn validate(
    method: &Method,
    path: &str,
    status: StatusCode,
    headers: &HeaderMap,
    body: &[u8],
) -> Option<OperationCall> {
    let shown = || format!("{method} {path} was answered with {status}: {}", String::from_utf8_lossy(body));
    let head = method == Method::HEAD;
    let asked = if head { "get".to_owned() } else { method.as_str().to_ascii_lowercase() };
    let Some((template, item)) = find_template(path) else {
        assert!([400, 401, 403, 404, 405].contains(&status.as_u16()), "there is nothing there. {}", shown());
        validate_response(&refusal(), headers, body, head, &shown);
        return None;
    };
    let operation = &item[&asked];
    if operation.is_null() {
        assert!([400, 401, 403, 405].contains(&status.as_u16()), "the method is not described. {}", shown());
        validate_response(&refusal(), headers, body, head, &shown);
        return None;
    }
    let response = &operation["responses"][status.as_str()];
    assert!(!response.is_null(), "the status is not described. {}", shown());
    let response = response["$ref"].as_str().map_or(response, |reference| {
        DESCRIPTION.pointer(reference.trim_start_matches('#')).expect("what is referred to is there")
    });
    validate_response(response, headers, body, head, &shown);
    Some((method.as_str().to_owned(), template.clone(), status.as_u16()))
}

/// Schema of every refusal.
fn refusal() -> Value {
    DESCRIPTION["components"]["responses"]["BadRequest"].clone()
}

/// Panics unless headers and body match the description.
fn validate_response(response: &Value, headers: &HeaderMap, body: &[u8], head: bool, shown: &dyn Fn() -> String) {
    let described = members(&response["headers"]);
    for (name, header) in described.clone() {
        let header = header["$ref"].as_str().map_or(Some(header), |of| DESCRIPTION.pointer(of.trim_start_matches('#')));
        let is_required = header.expect("what is referred to is there")["required"] == true;
        assert!(!is_required || headers.contains_key(name.as_str()), "the header {name} is missing. {}", shown());
    }
    for name in headers.keys().filter(|name| name.as_str().starts_with("postern-")) {
        let is_described = described.clone().any(|(described, _)| described == name.as_str());
        assert!(is_described, "the header {name} is not described. {}", shown());
    }
    let schema = &response["content"]["application/json"]["schema"];
    if head || schema.is_null() {
        assert!(body.is_empty(), "no body is described. {}", shown());
        return;
    }
    assert_eq!(headers[header::CONTENT_TYPE], "application/json", "{}", shown());
    let body: Value = serde_json::from_slice(body).unwrap_or_else(|error| panic!("{error}. {}", shown()));
    let mistakes: Vec<String> =
        validator(schema).iter_errors(&body).map(|error| format!("{}: {error}", error.instance_path())).collect();
    assert!(mistakes.is_empty(), "{}\n{}", mistakes.join("\n"), shown());
}

/// Path template that matches a path.
fn find_template(path: &str) -> Option<(&'static String, &'static Value)> {
    let here: Vec<&str> = path.split('/').collect();
    let matches = |template: &str| {
        let segments: Vec<&str> = template.split('/').collect();
        let same = |(segment, own): (&&str, &&str)| segment == own || (segment.starts_with('{') && !own.is_empty());
        segments.len() == here.len() && segments.iter().zip(&here).all(same)
    };
    members(&DESCRIPTION["paths"]).find(|(template, _)| matches(template))
}

/// Cached, because validators are slow to build.
fn validator(schema: &Value) -> Arc<Validator> {
    static MADE: LazyLock<Mutex<HashMap<String, Arc<Validator>>>> = LazyLock::new(Mutex::default);
    let mut made = MADE.lock().unwrap_or_else(PoisonError::into_inner);
    let validator = made.entry(schema.to_string()).or_insert_with(|| {
        let mut whole = schema.clone();
        whole["components"] = json!({ "schemas": DESCRIPTION["components"]["schemas"] });
        let options = jsonschema::options().with_draft(jsonschema::Draft::Draft202012);
        let validator = options.should_validate_formats(true).build(&whole);
        Arc::new(validator.unwrap_or_else(|error| panic!("{schema} is no schema: {error}")))
    });
    validator.clone()
}

fn members(value: &Value) -> serde_json::map::Iter<'_> {
    static NONE: LazyLock<Map<String, Value>> = LazyLock::new(Map::new);
    value.as_object().unwrap_or(&NONE).iter()
}

#[test]
fn responses_that_do_not_match_are_detected() {
    let id = "ipp_0ujtsYcgvSTl8PAuAdqWYSMnLOv";
    let (path, uri) = (format!("/ip_policies/{id}"), format!("http://here.test/ip_policies/{id}"));
    let good = json!({"id": id, "uri": uri, "created_at": "2024-05-23T20:36:22Z", "description": "", "metadata": ""});
    let with = |name: &str, value: Value| {
        let mut body = good.clone();
        body[name] = value;
        body.to_string()
    };
    let without = good.to_string().replace(r#","metadata":"""#, "");
    let headers = HeaderMap::from_iter([
        (header::CONTENT_TYPE, header::HeaderValue::from_static("application/json")),
        (header::HeaderName::from_static("postern-operation-id"), header::HeaderValue::from_static("op_1")),
    ]);
    let passes = |status: u16, headers: &HeaderMap, body: &str| {
        let (status, headers) = (StatusCode::from_u16(status).expect("a status"), headers.clone());
        std::panic::catch_unwind(|| validate(&Method::GET, &path, status, &headers, body.as_bytes())).ok().flatten()
    };
    let call = ("GET".to_owned(), "/ip_policies/{id}".to_owned(), 200);
    assert_eq!(passes(200, &headers, &good.to_string()), Some(call));
    for (what, status, headers, body) in [
        ("a status", 418, &headers, good.to_string()),
        ("a refusal without its members", 404, &headers, good.to_string()),
        ("a member more", 200, &headers, with("colour", json!("red"))),
        ("a member less", 200, &headers, without),
        ("another type", 200, &headers, with("metadata", Value::Null)),
        ("another form", 200, &headers, with("created_at", json!("yesterday"))),
        ("another kind", 200, &headers, with("id", json!("ipr_0ujtsYcgvSTl8PAuAdqWYSMnLOv"))),
        ("no headers", 200, &HeaderMap::new(), good.to_string()),
        ("no body", 200, &headers, String::new()),
    ] {
        assert_eq!(passes(status, headers, &body), None, "{what} was not noticed");
    }
}
