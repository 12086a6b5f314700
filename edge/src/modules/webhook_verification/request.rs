//! A request as seen by the verification.

use super::{json::JsonMembers, multipart, rejection::Rejection};
use hyper::{
    HeaderMap, Method, Uri,
    header::{self, HeaderValue},
};
use jiff::Timestamp;
use serde::Deserialize;
use smallvec::SmallVec;
use std::{borrow::Cow, io::Read};

/// Everything except the body.
pub(super) struct RequestHead<'a> {
    pub(super) method: &'a Method,
    /// In origin form (RFC 9112, section 3.2.1).
    pub(super) uri: &'a Uri,
    pub(super) headers: &'a HeaderMap,
    pub(super) tls: bool,
    pub(super) now: Timestamp,
}

/// The whole request.
pub(super) struct WebhookRequest<'a> {
    pub(super) head: &'a RequestHead<'a>,
    pub(super) body: &'a [u8],
    /// Maximum size of a decompressed body in bytes.
    pub(super) limit: usize,
}

/// Fields of a form; no provider sends as many, and more could exhaust the memory.
pub(super) const MAX_FIELDS: usize = 1000;

/// Name and value of a form field.
pub(super) type Field = (Vec<u8>, Vec<u8>);

impl<'a> RequestHead<'a> {
    /// The single value of a header. Only ASCII is accepted: other text never occurs in signatures, and of the signed
    /// parts only the body may contain it.
    pub(super) fn single(&self, name: &str) -> Result<&'a str, Rejection> {
        let text = self.value(name)?.to_str();
        text.map_err(|_| Rejection::MalformedHeader(name.to_owned()))
    }

    /// The single value of a header, as raw bytes.
    pub(super) fn bytes(&self, name: &str) -> Result<&'a [u8], Rejection> {
        self.value(name).map(HeaderValue::as_bytes)
    }

    fn value(&self, name: &str) -> Result<&'a HeaderValue, Rejection> {
        let mut values = self.headers.get_all(name).iter();
        let value = values.next().ok_or_else(|| Rejection::MissingHeader(name.to_owned()))?;
        if values.next().is_some() { Err(Rejection::RepeatedHeader(name.to_owned())) } else { Ok(value) }
    }

    pub(super) fn has(&self, name: &str) -> bool {
        self.headers.contains_key(name)
    }

    /// The raw path and query.
    pub(super) fn target(&self) -> &'a str {
        self.uri.path_and_query().map_or("/", |target| target.as_str())
    }

    /// The possible spellings of the public URL: with or without the default port, and with or without percent-encoding
    /// of some characters.
    pub(super) fn public_urls(&self) -> Result<SmallVec<[String; 4]>, Rejection> {
        let host = self.single("host")?;
        let (scheme, port) = if self.tls { ("https", ":443") } else { ("http", ":80") };
        let bare = match host.rsplit_once(':') {
            Some((bare, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => bare,
            _ => host,
        };
        let mut addresses = SmallVec::new();
        let mut add = |address: String| {
            if !addresses.contains(&address) {
                addresses.push(address);
            }
        };
        for target in [self.target().to_owned(), decode_unescaped(self.target())] {
            add(format!("{scheme}://{host}{target}"));
            add(format!("{scheme}://{bare}{target}"));
            if bare == host {
                add(format!("{scheme}://{host}{port}{target}"));
            }
        }
        Ok(addresses)
    }

    /// Whether the body is a URL-encoded form.
    pub(super) fn is_form(&self) -> bool {
        let kind = self.content_type().split(';').next().unwrap_or_default().trim();
        kind.eq_ignore_ascii_case("application/x-www-form-urlencoded")
    }

    /// The boundary if the body is a multipart form.
    pub(super) fn boundary(&self) -> Option<&'a str> {
        multipart::boundary(self.content_type())
    }

    fn content_type(&self) -> &'a str {
        self.headers.get(header::CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or_default()
    }

    /// The raw value of a query parameter.
    pub(super) fn query_value(&self, name: &str) -> Option<&'a str> {
        let query = self.uri.query()?;
        query.split('&').find_map(|pair| pair.strip_prefix(name)?.strip_prefix('='))
    }
}

impl<'a> WebhookRequest<'a> {
    /// The fields of a URL-encoded body; none if the body is empty.
    pub(super) fn form(&self) -> Result<Vec<Field>, Rejection> {
        if self.body.is_empty() {
            return Ok(Vec::new());
        }
        if !self.head.is_form() {
            return Err(Rejection::InvalidBody("its body is not a form"));
        }
        form_fields(self.body)
    }

    /// Parses the JSON object in the body; members that `T` does not name are skipped.
    pub(super) fn object<T: Deserialize<'a>>(&self) -> Result<T, Rejection> {
        serde_json::from_slice(self.body)
            .map_err(|_| Rejection::InvalidBody("its body is not a JSON object of this provider"))
    }

    /// The members of the JSON object in the body. Names that differ at most in case are refused: readers could
    /// disagree about which one counts.
    pub(super) fn members(&self) -> Result<JsonMembers, Rejection> {
        let members: JsonMembers = self.object()?;
        let mut names: Vec<String> = members.0.iter().map(|(name, _)| name.to_ascii_lowercase()).collect();
        names.sort();
        if names.windows(2).any(|pair| pair[0] == pair[1]) {
            return Err(Rejection::InvalidBody("its body has a repeated member"));
        }
        Ok(members)
    }

    /// The body, decompressed if it is gzip-encoded.
    pub(super) fn decompressed(&self) -> Result<Cow<'a, [u8]>, Rejection> {
        let mut coding = self.head.headers.get_all(header::CONTENT_ENCODING).iter();
        match (coding.next(), coding.next()) {
            (None, _) => Ok(Cow::Borrowed(self.body)),
            (Some(coding), None) if coding.as_bytes().eq_ignore_ascii_case(b"gzip") => {
                let mut decompressed = Vec::new();
                let mut decoder = flate2::bufread::GzDecoder::new(self.body);
                let max = self.limit as u64 + 1;
                let read = decoder.by_ref().take(max).read_to_end(&mut decompressed);
                match read {
                    Ok(read) if read > self.limit => {
                        Err(Rejection::InvalidBody("its body is too large after decompression"))
                    }
                    // Trailing bytes would not be covered by the signature.
                    Ok(_) if decoder.into_inner().is_empty() => Ok(Cow::Owned(decompressed)),
                    _ => Err(Rejection::InvalidBody("its body cannot be decompressed")),
                }
            }
            _ => Err(Rejection::InvalidBody("its body has a content encoding that this provider does not use")),
        }
    }
}

/// Parses a form (application/x-www-form-urlencoded of the WHATWG URL standard). Values stay bytes, so different forms
/// never become equal.
pub(super) fn form_fields(form: &[u8]) -> Result<Vec<Field>, Rejection> {
    let pairs = form.split(|byte| *byte == b'&').filter(|pair| !pair.is_empty());
    let fields: Vec<Field> = pairs
        .take(MAX_FIELDS + 1)
        .map(|pair| match pair.iter().position(|byte| *byte == b'=') {
            Some(at) => (decoded(&pair[..at]), decoded(&pair[at + 1..])),
            None => (decoded(pair), Vec::new()),
        })
        .collect();
    if fields.len() > MAX_FIELDS { Err(Rejection::InvalidBody("its form has too many fields")) } else { Ok(fields) }
}

/// Decodes percent signs and plus signs.
fn decoded(text: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text;
    while let Some((first, after)) = rest.split_first() {
        rest = after;
        match (first, after) {
            (b'+', _) => bytes.push(b' '),
            (b'%', [high, low, beyond @ ..]) => match (nibble(*high), nibble(*low)) {
                (Some(high), Some(low)) => {
                    bytes.push(high << 4 | low);
                    rest = beyond;
                }
                _ => bytes.push(b'%'),
            },
            (byte, _) => bytes.push(*byte),
        }
    }
    bytes
}

fn nibble(digit: u8) -> Option<u8> {
    (digit as char).to_digit(16).map(|digit| digit as u8)
}

/// The target with percent-encoding undone for characters that do not need it in a URL.
fn decode_unescaped(target: &str) -> String {
    const PLAIN: &[u8] = b":/@!$'()*,;";
    let mut text = String::with_capacity(target.len());
    let mut rest = target;
    while let Some(at) = rest.find('%') {
        text.push_str(&rest[..at]);
        let byte = rest.get(at + 1..at + 3).and_then(|digits| u8::from_str_radix(digits, 16).ok());
        match byte.filter(|byte| PLAIN.contains(byte)) {
            Some(byte) => {
                text.push(byte as char);
                rest = &rest[at + 3..];
            }
            None => {
                text.push('%');
                rest = &rest[at + 1..];
            }
        }
    }
    text + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    fn addresses(host: &'static str, target: &'static str) -> Vec<String> {
        let mut headers = HeaderMap::new();
        headers.insert(header::HOST, HeaderValue::from_static(host));
        let (method, uri) = (Method::POST, Uri::from_static(target));
        let head = RequestHead { method: &method, uri: &uri, headers: &headers, tls: true, now: Timestamp::UNIX_EPOCH };
        head.public_urls().expect("a host").into_vec()
    }

    #[test]
    fn a_url_may_have_its_default_port_or_not() {
        assert_eq!(addresses("a.test", "/x?y=1"), ["https://a.test/x?y=1", "https://a.test:443/x?y=1"]);
        assert_eq!(addresses("a.test:4443", "/"), ["https://a.test:4443/", "https://a.test/"]);
        assert!(addresses("a.test", "/x?to=a%40b%26").contains(&"https://a.test/x?to=a@b%26".to_owned()));
    }

    #[test]
    fn a_form_is_parsed_byte_by_byte() {
        let pair = |name: &str, value: &[u8]| (name.as_bytes().to_vec(), value.to_vec());
        let expected = [pair("a b", b"c=d"), pair("e", b""), pair("f", b""), pair("g", &[0xff]), pair("h", b"%zz%4")];
        assert_eq!(form_fields(b"a+b=c=d&&e&f=&g=%FF&h=%zz%4").expect("fields"), expected);
        assert!(form_fields(&b"a&".repeat(MAX_FIELDS)).is_ok());
        assert!(form_fields(&b"a&".repeat(MAX_FIELDS + 1)).is_err());
    }
}
