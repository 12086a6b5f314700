//! Every answer is held against the description: its status is documented, its headers and body are as described.

use axum::{Router, body::Body, extract::Request, middleware, response::Response};
use http::{HeaderMap, Method, StatusCode, header};
use http_body_util::BodyExt;
use jsonschema::Validator;
use serde_json::{Map, Value, json};
use std::{
    collections::{BTreeSet, HashMap},
    sync::{Arc, LazyLock, Mutex, PoisonError},
};

/// Operations by the path as described, with the statuses they were answered with.
pub(crate) type Visit = (String, String, u16);

/// What was called on one server.
#[derive(Clone, Default)]
pub(crate) struct Visits(Arc<Mutex<BTreeSet<Visit>>>);

impl Visits {
    /// The router of a server, watched: an answer that is not as described fails the test.
    pub(crate) fn watch(&self, router: Router) -> Router {
        let visits = self.clone();
        router.layer(middleware::from_fn(move |request: Request, next: middleware::Next| {
            let visits = visits.clone();
            async move {
                let (method, path) = (request.method().clone(), request.uri().path().to_owned());
                let (parts, body) = next.run(request).await.into_parts();
                let bytes = body.collect().await.expect("a body").to_bytes();
                if let Some(visit) = judge(&method, &path, parts.status, &parts.headers, &bytes) {
                    visits.0.lock().unwrap_or_else(PoisonError::into_inner).insert(visit);
                }
                Response::from_parts(parts, Body::from(bytes))
            }
        }))
    }

    /// What was called until now.
    pub(crate) fn seen(&self) -> BTreeSet<Visit> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// All operations of the description with the statuses that say that they were done.
pub(crate) fn operations() -> BTreeSet<Visit> {
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

/// A caller must bear members it does not know, from newer servers. This server has no business sending any.
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

/// Panics unless the answer is as described; says which operation answered, if one did.
fn judge(method: &Method, path: &str, status: StatusCode, headers: &HeaderMap, body: &[u8]) -> Option<Visit> {
    let shown = || format!("{method} {path} was answered with {status}: {}", String::from_utf8_lossy(body));
    let head = method == Method::HEAD;
    let asked = if head { "get".to_owned() } else { method.as_str().to_ascii_lowercase() };
    let Some((template, item)) = place(path) else {
        assert!([400, 401, 403, 404].contains(&status.as_u16()), "there is nothing there. {}", shown());
        fits(&refusal(), headers, body, head, &shown);
        return None;
    };
    let operation = &item[&asked];
    if operation.is_null() {
        assert!([400, 401, 403, 405].contains(&status.as_u16()), "the method is not described. {}", shown());
        fits(&refusal(), headers, body, head, &shown);
        return None;
    }
    let response = &operation["responses"][status.as_str()];
    assert!(!response.is_null(), "the status is not described. {}", shown());
    let response = response["$ref"].as_str().map_or(response, |reference| {
        DESCRIPTION.pointer(reference.trim_start_matches('#')).expect("what is referred to is there")
    });
    fits(response, headers, body, head, &shown);
    Some((method.as_str().to_owned(), template.clone(), status.as_u16()))
}

/// What every refusal looks like.
fn refusal() -> Value {
    DESCRIPTION["components"]["responses"]["BadRequest"].clone()
}

/// Panics unless headers and body are as described.
fn fits(response: &Value, headers: &HeaderMap, body: &[u8], head: bool, shown: &dyn Fn() -> String) {
    for (name, _) in members(&response["headers"]) {
        assert!(headers.contains_key(name.as_str()), "the header {name} is missing. {}", shown());
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

/// The described path that a path is one of.
fn place(path: &str) -> Option<(&'static String, &'static Value)> {
    let here: Vec<&str> = path.split('/').collect();
    let fits = |template: &str| {
        let segments: Vec<&str> = template.split('/').collect();
        let same = |(segment, own): (&&str, &&str)| segment == own || (segment.starts_with('{') && !own.is_empty());
        segments.len() == here.len() && segments.iter().zip(&here).all(same)
    };
    members(&DESCRIPTION["paths"]).find(|(template, _)| fits(template))
}

/// Validators take a while to make, so each is made once.
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
fn what_is_not_as_described_is_noticed() {
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
        std::panic::catch_unwind(|| judge(&Method::GET, &path, status, &headers, body.as_bytes())).ok().flatten()
    };
    let visit = ("GET".to_owned(), "/ip_policies/{id}".to_owned(), 200);
    assert_eq!(passes(200, &headers, &good.to_string()), Some(visit));
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
