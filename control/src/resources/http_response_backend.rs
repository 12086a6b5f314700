//! HTTP response backends: a valid response of bounded size. The server sets the headers of the message framing.

use super::{CallContext, CreateContext, Modules, NewModule, NewRecord, Resources, Rules, StoredRecord};
use postern_api::{
    Code, Error, Result,
    headers::is_token_byte,
    resource::{
        HEADER_NAME_LIMIT, HEADER_VALUE_LIMIT, HttpResponseBackend, HttpResponseBackendCreate,
        HttpResponseBackendUpdate, Nothing, RESPONSE_BODY_LIMIT, RESPONSE_HEADER_LIMIT,
    },
};
use std::collections::BTreeMap;

/// Headers of message framing and connection management (RFC 9110, section 7.6.1; RFC 9112, section 6).
const FRAMING_HEADERS: [&str; 9] = [
    "connection",
    "content-length",
    "keep-alive",
    "proxy-connection",
    "te",
    "trailer",
    "transfer-encoding",
    "upgrade",
    "http2-settings",
];
/// Default status.
const DEFAULT_STATUS: i32 = 200;

impl Rules for HttpResponseBackend {
    type Hidden = Nothing;
    const CACHEABLE: bool = true;
    const UNKNOWN: Code = Code::BackendUnknown;

    async fn create(body: HttpResponseBackendCreate, _context: &CreateContext<'_, Self>) -> Result<NewRecord<Self>> {
        let backend = HttpResponseBackend {
            body: body.body.unwrap_or_default(),
            headers: canonical(body.headers.unwrap_or_default())?,
            status_code: body.status_code.unwrap_or(DEFAULT_STATUS),
        };
        Ok(NewRecord::new(backend, Nothing {}))
    }

    async fn update(
        stored: &mut StoredRecord<Self>,
        body: HttpResponseBackendUpdate,
        _call: &CallContext<'_>,
    ) -> Result<Vec<NewModule>> {
        if let Some(text) = body.body {
            stored.spec.body = text;
        }
        if let Some(headers) = body.headers {
            stored.spec.headers = canonical(headers)?;
        }
        stored.spec.status_code = body.status_code.unwrap_or(stored.spec.status_code);
        Ok(Vec::new())
    }

    fn check(stored: &StoredRecord<Self>, _former: Option<&StoredRecord<Self>>, _ctx: &Resources) -> Result<()> {
        let HttpResponseBackend { body, headers, status_code } = &stored.spec;
        if body.len() > RESPONSE_BODY_LIMIT {
            let sentence = format!("The body has {} bytes; at most {RESPONSE_BODY_LIMIT} are allowed.", body.len());
            return Err(Error::new(Code::ResponseBodyTooLong, sentence).with("field", "body"));
        }
        if !(200..=599).contains(status_code) {
            let sentence = format!("{status_code} is not the status of a final response. Take one from 200 to 599.");
            return Err(Error::new(Code::ResponseStatus, sentence).with("field", "status_code"));
        }
        if headers.len() > RESPONSE_HEADER_LIMIT {
            let sentence = format!("There are {} headers; at most {RESPONSE_HEADER_LIMIT} are allowed.", headers.len());
            return Err(Error::new(Code::ResponseHeaderName, sentence).with("field", "headers"));
        }
        headers
            .iter()
            .try_for_each(|(name, value)| check_header(name, value).map_err(|error| error.with("field", "headers")))
    }

    async fn status(_stored: &StoredRecord<Self>, _modules: &Modules, _ctx: &Resources) -> Result<Nothing> {
        Ok(Nothing {})
    }
}

/// Converts names to lower case; each may occur once.
fn canonical(headers: BTreeMap<String, String>) -> Result<BTreeMap<String, String>> {
    let mut lower = BTreeMap::new();
    for (name, value) in headers {
        let name = name.to_ascii_lowercase();
        if lower.contains_key(&name) {
            let shown: String = name.chars().take(HEADER_NAME_LIMIT).collect();
            let sentence = format!("The header `{shown}` is named twice. Header names are case-insensitive.");
            return Err(Error::new(Code::ResponseHeaderName, sentence).with("field", "headers"));
        }
        lower.insert(name, value);
    }
    Ok(lower)
}

fn check_header(name: &str, value: &str) -> Result<()> {
    let shown: String = name.chars().take(HEADER_NAME_LIMIT).collect();
    if name.is_empty() || name.len() > HEADER_NAME_LIMIT || !name.bytes().all(is_token_byte) {
        let sentence =
            format!("`{shown}` is not a header name: 1 to {HEADER_NAME_LIMIT} letters, digits or signs such as `-`.");
        return Err(Error::new(Code::ResponseHeaderName, sentence));
    }
    if FRAMING_HEADERS.contains(&name) {
        let sentence = format!("The header `{shown}` is set by the server itself. Leave it out.");
        return Err(Error::new(Code::ResponseHeaderName, sentence));
    }
    if value.len() > HEADER_VALUE_LIMIT || !value.bytes().all(|byte| byte == b'\t' || (b' '..=b'~').contains(&byte)) {
        let sentence = format!(
            "The value of the header `{shown}` is not allowed: at most {HEADER_VALUE_LIMIT} bytes of printable ASCII."
        );
        return Err(Error::new(Code::ResponseHeaderValue, sentence));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn headers_must_be_valid_in_a_response() {
        let check = |name: &str, value: &str| check_header(name, value).map_err(|error| error.code);
        for (name, value) in [("x-a", ""), ("content-type", "text/html; charset=utf-8"), ("a", "\t ~")] {
            assert_eq!(check(name, value), Ok(()), "{name}");
        }
        for name in ["", "a b", "ä", "a:", "a\r\nb", "content-length", "transfer-encoding", "connection"] {
            assert_eq!(check(name, "x"), Err(Code::ResponseHeaderName), "{name:?}");
        }
        for value in ["a\r\nb: c", "\0", "ä", "\u{7f}"] {
            assert_eq!(check("x-a", value), Err(Code::ResponseHeaderValue), "{value:?}");
        }
    }

    #[test]
    fn header_names_are_case_insensitive() {
        let headers =
            |names: &[&str]| canonical(names.iter().map(|name| ((*name).to_owned(), String::new())).collect());
        assert_eq!(headers(&["X-A", "x-b"]).expect("fine").into_keys().collect::<Vec<_>>(), ["x-a", "x-b"]);
        assert_eq!(headers(&["X-A", "x-a"]).expect_err("twice").code, Code::ResponseHeaderName);
    }

    proptest! {
        #[test]
        fn accepted_headers_can_be_sent(name in "\\PC{0,12}|[a-z-]{1,9}", value in "\\PC{0,12}|[ -~\t]{0,9}") {
            if check_header(&name, &value).is_ok() {
                prop_assert!(http::HeaderName::from_bytes(name.as_bytes()).is_ok());
                prop_assert!(http::HeaderValue::from_str(&value).is_ok());
            }
        }
    }
}
