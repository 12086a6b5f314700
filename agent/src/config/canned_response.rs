//! The canned response of `catch`: the agent responds itself, so that requests can be captured before there is a
//! service.

use super::{fields::Fields, modules::headers_of, tree::ConfigValue};
use http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};

/// Maximum size of the body, in bytes.
const BODY_LIMIT: usize = 256 * 1024;

/// The same response to every request.
#[derive(Clone, Debug, PartialEq)]
pub struct CannedResponse {
    /// Status code.
    pub status: StatusCode,
    /// Headers.
    pub headers: HeaderMap,
    /// Body.
    pub body: String,
}

impl Default for CannedResponse {
    fn default() -> Self {
        CannedResponse { status: StatusCode::OK, headers: HeaderMap::new(), body: String::new() }
    }
}

impl CannedResponse {
    /// Reads `catch`. The outer `None` means that it is invalid, the inner one that it is absent.
    pub(super) fn read(fields: &mut Fields<'_>) -> Option<Option<CannedResponse>> {
        let Some(pair) = fields.pair("catch") else { return Some(None) };
        if !matches!(pair.value.value, ConfigValue::Mapping(_)) {
            return fields.flag("catch").map(|enabled| enabled.then(CannedResponse::default));
        }
        let mut group = fields.group("catch")?;
        group.check_known(&["status", "headers", "body"], &[]);
        let mut script = CannedResponse::default();
        let mut valid = true;
        if group.pair("status").is_some() {
            let status = group.number("status", 200..=599).and_then(|status| u16::try_from(status).ok());
            match status.and_then(|status| StatusCode::from_u16(status).ok()) {
                Some(status) => script.status = status,
                None => valid = false,
            }
        }
        for (location, pair) in headers_of(&mut group, "headers") {
            let header = pair.and_then(|(name, value)| Some((name.parse().ok()?, value.parse().ok()?)));
            match header.filter(|(name, _): &(HeaderName, HeaderValue)| !frames(name)) {
                Some((name, value)) => {
                    script.headers.append(name, value);
                }
                None => {
                    let message =
                        "Write every header as `name: value`; headers that frame the message are not allowed.";
                    group.reject("headers", &location, message);
                    valid = false;
                }
            }
        }
        if group.pair("body").is_some() {
            match group.bounded_text("body", BODY_LIMIT) {
                Some(body) => script.body = body,
                None => valid = false,
            }
        }
        valid.then_some(Some(script))
    }
}

/// Whether a header concerns the connection or the message framing.
fn frames(name: &HeaderName) -> bool {
    [header::CONTENT_LENGTH, header::TRANSFER_ENCODING, header::CONNECTION, header::UPGRADE, header::TRAILER]
        .contains(name)
}

#[cfg(test)]
mod tests {
    use crate::config::{Definition, LocalUpstream};
    use serde_json::{Value, json};

    fn read(catch: Value) -> Result<LocalUpstream, String> {
        let body = json!({"proto": "http", "catch": catch});
        let read = Definition::from_json("t", body.as_object().expect("an object"));
        read.map(|read| read.upstream).map_err(|problems| problems.to_string())
    }

    #[test]
    fn status_headers_and_body_make_a_response() {
        let catch = json!({"status": 202, "headers": {"X-Kind": "caught"}, "body": "thank you"});
        let Ok(LocalUpstream::Catch(script)) = read(catch) else { panic!("an answer") };
        assert_eq!((script.status.as_u16(), script.body.as_str()), (202, "thank you"));
        assert_eq!(script.headers["x-kind"], "caught");
    }

    #[test]
    fn invalid_responses_are_rejected() {
        for catch in [
            json!({"status": 99}),
            json!({"status": 101}),
            json!({"status": "x"}),
            json!({"headers": ["no colon"]}),
            json!({"headers": {"a b": "c"}}),
            json!({"headers": {"Content-Length": 3}}),
            json!({"headers": {"X": "a\nb"}}),
            json!({"text": "x"}),
            json!({"body": "x".repeat(300_000)}),
            json!(false),
        ] {
            assert!(read(catch.clone()).is_err(), "{catch}");
        }
    }
}
