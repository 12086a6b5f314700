//! Request bodies: JSON objects of bounded size, deserialized into types that refuse unknown fields.

use super::strict_objects::StrictObjects;
use axum::{body::Body, extract::Request};
use http::{HeaderMap, header};
use http_body_util::{BodyExt, LengthLimitError, Limited};
use postern_api::{Code, Error, Result};
use serde::de::DeserializeOwned;
use serde_json::{Map, Number, Value};
use std::time::Duration;

/// Largest body in bytes.
const MAX_BODY_BYTES: usize = 1 << 20;
/// Longest time for a body to arrive.
const BODY_TIMEOUT: Duration = Duration::from_secs(30);
/// 2^53: up to here every integer is exact as a floating-point number.
const MAX_EXACT_INTEGER: f64 = 9_007_199_254_740_992.0;
/// Path parameters that existing clients repeat in the body.
const IGNORED_MEMBERS: [&str; 3] = ["id", "edge_id", "subscription_id"];

/// Reads the body of a request. `null` is the same as an absent field.
pub(super) async fn read<T: DeserializeOwned>(request: Request) -> Result<T> {
    deserialize(object(request).await?)
}

/// Reads a module, which some clients wrap: `{"module": {…}}`.
pub(super) async fn read_module<T: DeserializeOwned>(request: Request) -> Result<T> {
    let mut object = object(request).await?;
    if object.len() == 1
        && let Some(Value::Object(module)) = object.get_mut("module")
    {
        object = std::mem::take(module);
    }
    deserialize(object)
}

/// Reads a body that may be empty.
pub(super) async fn read_optional<T: DeserializeOwned + Default>(request: Request) -> Result<T> {
    let media = content_type(request.headers());
    let bytes = bytes(request).await?;
    if bytes.is_empty() {
        return Ok(T::default());
    }
    media?;
    deserialize(parse_object(&bytes)?)
}

async fn object(request: Request) -> Result<Map<String, Value>> {
    content_type(request.headers())?;
    parse_object(&bytes(request).await?)
}

fn parse_object(bytes: &[u8]) -> Result<Map<String, Value>> {
    let value: Value = serde_json::from_slice(bytes).map_err(|error| {
        let sentence = if bytes.is_empty() {
            "The body is empty. Send a JSON object, `{}` at least.".to_owned()
        } else {
            format!("The body is not JSON: {error}.")
        };
        Error::new(Code::BodyMalformed, sentence)
    })?;
    let Value::Object(mut object) = value else {
        return Err(Error::new(Code::BodyMalformed, "The body must be a JSON object, `{…}`."));
    };
    object.retain(|name, value| !value.is_null() && !IGNORED_MEMBERS.contains(&name.as_str()));
    object.values_mut().for_each(normalize);
    Ok(object)
}

/// Turns floating-point numbers that are integers into integers.
fn normalize(value: &mut Value) {
    match value {
        Value::Object(members) => members.values_mut().for_each(normalize),
        Value::Array(items) => items.iter_mut().for_each(normalize),
        Value::Number(number) => {
            if let Some(integer) = as_integer(number) {
                *value = integer.into();
            }
        }
        Value::Null | Value::Bool(_) | Value::String(_) => {}
    }
}

/// Integer value of a number written with a fraction of zero or an exponent.
fn as_integer(number: &Number) -> Option<i64> {
    let float = number.is_f64().then(|| number.as_f64()).flatten()?;
    (float.fract() == 0.0 && float.abs() <= MAX_EXACT_INTEGER).then_some(float as i64)
}

fn content_type(headers: &HeaderMap) -> Result<()> {
    let value = headers.get(header::CONTENT_TYPE).ok_or_else(|| {
        Error::new(Code::ContentTypeMissing, "Send the header `Content-Type: application/json` with the body.")
    })?;
    let essence = value.to_str().unwrap_or_default().split(';').next().unwrap_or_default().trim();
    if essence.eq_ignore_ascii_case("application/json") {
        return Ok(());
    }
    let shown: String = essence.chars().take(80).collect();
    Err(Error::new(Code::ContentTypeUnsupported, format!("`{shown}` is not understood. Send application/json.")))
}

async fn bytes(request: Request) -> Result<Vec<u8>> {
    let too_large = || Error::new(Code::BodyTooLarge, format!("The body is larger than {MAX_BODY_BYTES} bytes."));
    let announced = request.headers().get(header::CONTENT_LENGTH).and_then(|length| length.to_str().ok()?.parse().ok());
    if announced.is_some_and(|length: u64| length > MAX_BODY_BYTES as u64) {
        return Err(too_large());
    }
    let body: Limited<Body> = Limited::new(request.into_body(), MAX_BODY_BYTES);
    match tokio::time::timeout(BODY_TIMEOUT, body.collect()).await {
        Ok(Ok(collected)) => Ok(collected.to_bytes().into()),
        Ok(Err(error)) if error.is::<LengthLimitError>() => Err(too_large()),
        Ok(Err(_)) => Err(Error::new(Code::BodyUnreadable, "The body ended too early.")),
        Err(_) => Err(Error::new(Code::BodyUnreadable, "The body did not arrive in time.")),
    }
}

fn deserialize<T: DeserializeOwned>(object: Map<String, Value>) -> Result<T> {
    serde_path_to_error::deserialize(StrictObjects(Value::Object(object))).map_err(|error| {
        let path = error.path().to_string();
        let reason: String = error.inner().to_string().chars().take(300).collect();
        let named = full_path(&path, reason.split('`').nth(1).unwrap_or_default());
        if reason.starts_with("unknown field") {
            let known = reason.split_once("expected").map_or("none", |(_, known)| known.trim());
            let sentence =
                format!("There is no field `{named}` here. Known are: {}.", known.trim_start_matches("one of "));
            Error::new(Code::FieldUnknown, sentence).with("field", named)
        } else if reason.starts_with("missing field") {
            Error::new(Code::FieldMissing, format!("The field `{named}` is needed.")).with("field", named)
        } else {
            Error::new(Code::FieldInvalid, format!("The field `{path}` is not right: {reason}.")).with("field", path)
        }
    })
}

/// The path of a field that serde reports by name only; `parent` is the path of its object, or already its own.
fn full_path(parent: &str, name: &str) -> String {
    let is_own = parent == name || parent.strip_suffix(name).is_some_and(|rest| rest.ends_with('.'));
    match parent {
        "." => name.to_owned(),
        _ if is_own => parent.to_owned(),
        _ => format!("{parent}.{name}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use postern_api::{
        module::{Backend, BasicAuth, CircuitBreaker},
        resource::{
            HttpResponseBackendCreate, IpPolicyCreate, IpPolicyRuleCreate, TcpEdgeCreate, WeightedBackendCreate,
        },
    };
    use proptest::prelude::*;

    async fn read_text<T: DeserializeOwned>(text: &str) -> Result<T, Error> {
        read(request(text)).await
    }
    fn request(text: &str) -> Request {
        let builder = Request::builder().header("content-type", "application/json; charset=utf-8");
        builder.body(Body::from(text.to_owned())).expect("a request")
    }
    async fn code<T: DeserializeOwned + std::fmt::Debug>(text: &str) -> Code {
        read_text::<T>(text).await.expect_err(text).code
    }

    #[tokio::test]
    async fn what_is_wrong_has_its_code_and_names_the_field() {
        assert_eq!(code::<IpPolicyCreate>("").await, Code::BodyMalformed);
        assert_eq!(code::<IpPolicyCreate>("{").await, Code::BodyMalformed);
        assert_eq!(code::<IpPolicyCreate>("[]").await, Code::BodyMalformed);
        assert_eq!(code::<IpPolicyCreate>(r#"{"colour":1}"#).await, Code::FieldUnknown);
        assert_eq!(code::<IpPolicyRuleCreate>(r#"{"cidr":null}"#).await, Code::FieldMissing);
        let error = read_text::<TcpEdgeCreate>(r#"{"hostports":["a",5]}"#).await.expect_err("refused");
        assert_eq!((error.code, error.details["field"].as_str()), (Code::FieldInvalid, "hostports[1]"));
        let error =
            read_text::<TcpEdgeCreate>(r#"{"backend":{"enabled":true,"colour":"x"}}"#).await.expect_err("refused");
        assert_eq!((error.code, error.details["field"].as_str()), (Code::FieldUnknown, "backend.colour"));
        let error = read_text::<BasicAuth>(r#"{"users":[{"password":"x"}]}"#).await.expect_err("refused");
        assert_eq!((error.code, error.details["field"].as_str()), (Code::FieldMissing, "users[0].username"));
        let error = read_text::<TcpEdgeCreate>(r#"{"backend":[true,"x"]}"#).await.expect_err("refused");
        assert_eq!((error.code, error.details["field"].as_str()), (Code::FieldInvalid, "backend"));
    }

    #[tokio::test]
    async fn null_is_the_same_as_absent_and_path_parameters_are_ignored() {
        let body: TcpEdgeCreate =
            read_text(r#"{"id":"edgtcp_1","edge_id":"x","description":null,"backend":null}"#).await.expect("fine");
        assert!(body.description.is_none() && body.backend.is_none());
    }

    #[tokio::test]
    async fn a_whole_number_is_one_however_it_is_written() {
        for (text, expected) in [("326", 326), ("326.0", 326), ("3.26e2", 326), ("-2.0", -2), ("-0.0", 0)] {
            let text = format!(r#"{{"status_code":{text}}}"#);
            let body: HttpResponseBackendCreate = read_text(&text).await.expect(&text);
            assert_eq!(body.status_code, Some(expected), "{text}");
        }
        let text = r#"{"backends":{"bkdhr_1":2.0}}"#;
        let body: WeightedBackendCreate = read_text(text).await.expect("fine");
        assert_eq!(body.backends.expect("backends")["bkdhr_1"], 2, "below the surface, too");
        for text in ["326.5", "1e300", "-1e300", "9007199254740994.0", "\"326\""] {
            let text = format!(r#"{{"status_code":{text}}}"#);
            let error = read_text::<HttpResponseBackendCreate>(&text).await.expect_err(&text);
            assert_eq!((error.code, error.details["field"].as_str()), (Code::FieldInvalid, "status_code"), "{text}");
        }
        let text = r#"{"error_threshold_percentage":1,"rolling_window":60.0}"#;
        let module: CircuitBreaker = read_module(request(text)).await.expect("fine");
        assert_eq!((module.error_threshold_percentage, module.rolling_window), (1.0, 60));
    }

    #[tokio::test]
    async fn null_in_a_map_is_refused() {
        let text = r#"{"backends":{"bkdhr_1":null}}"#;
        let error = read_text::<WeightedBackendCreate>(text).await.expect_err("dropped without a word");
        assert_eq!((error.code, error.details["field"].as_str()), (Code::FieldInvalid, "backends.bkdhr_1"));
        let text = r#"{"headers":{"x-a":null}}"#;
        assert_eq!(code::<HttpResponseBackendCreate>(text).await, Code::FieldInvalid);
    }

    #[tokio::test]
    async fn a_module_may_be_wrapped() {
        for text in [
            r#"{"backend_id":"b"}"#,
            r#"{"module":{"backend_id":"b"}}"#,
            r#"{"edge_id":"e","id":"i","module":{"enabled":null,"backend_id":"b"}}"#,
        ] {
            let module: Backend = read_module(request(text)).await.expect(text);
            assert_eq!(module, Backend::to("b"), "{text}");
        }
    }

    #[tokio::test]
    async fn bodies_are_bounded_announced_or_not() {
        let large = format!("{{\"description\":\"{}\"}}", "x".repeat(MAX_BODY_BYTES));
        assert_eq!(code::<IpPolicyCreate>(&large).await, Code::BodyTooLarge);
        let chunks = futures::stream::iter((0..40).map(|_| Ok::<_, std::io::Error>(vec![b' '; 64 << 10])));
        let request = Request::builder()
            .header("content-type", "application/json")
            .body(Body::from_stream(chunks))
            .expect("a request");
        assert_eq!(read::<IpPolicyCreate>(request).await.expect_err("too large").code, Code::BodyTooLarge);
        let deep = "[".repeat(10_000);
        assert_eq!(code::<IpPolicyCreate>(&format!("{{\"a\":{deep}")).await, Code::BodyMalformed);
    }

    proptest! {
        #[test]
        fn any_body_is_judged_without_a_panic(text in "\\PC{0,80}") {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().expect("a runtime");
            let _ = runtime.block_on(read_text::<TcpEdgeCreate>(&text));
        }
    }
}
