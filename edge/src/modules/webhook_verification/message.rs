//! A request as the checks see it.

use super::{json::Members, multipart, reason::Reason};
use hyper::{
    HeaderMap, Method, Uri,
    header::{self, HeaderValue},
};
use jiff::Timestamp;
use serde::Deserialize;
use smallvec::SmallVec;
use std::{borrow::Cow, io::Read};

/// Everything in front of the body.
pub(super) struct Head<'a> {
    pub(super) method: &'a Method,
    /// In origin form.
    pub(super) uri: &'a Uri,
    pub(super) headers: &'a HeaderMap,
    pub(super) tls: bool,
    pub(super) now: Timestamp,
}

/// All of it.
pub(super) struct Message<'a> {
    pub(super) head: &'a Head<'a>,
    pub(super) body: &'a [u8],
    /// How long an unpacked body may be.
    pub(super) limit: usize,
}

/// No provider sends as many: whoever does wants to fill the memory.
pub(super) const MOST_FIELDS: usize = 1000;

/// A name and its value in a form.
pub(super) type Field = (Vec<u8>, Vec<u8>);

impl<'a> Head<'a> {
    /// The one value of a header. Text beyond ASCII has no place in a signature, and in what is signed only the body
    /// may hold it.
    pub(super) fn one(&self, name: &str) -> Result<&'a str, Reason> {
        let text = self.value(name)?.to_str();
        text.map_err(|_| Reason::Unreadable(name.to_owned()))
    }

    /// The one value of a header that may hold any text.
    pub(super) fn bytes(&self, name: &str) -> Result<&'a [u8], Reason> {
        self.value(name).map(HeaderValue::as_bytes)
    }

    fn value(&self, name: &str) -> Result<&'a HeaderValue, Reason> {
        let mut values = self.headers.get_all(name).iter();
        let value = values.next().ok_or_else(|| Reason::Missing(name.to_owned()))?;
        if values.next().is_some() { Err(Reason::Twice(name.to_owned())) } else { Ok(value) }
    }

    pub(super) fn has(&self, name: &str) -> bool {
        self.headers.contains_key(name)
    }

    /// Path and query as they were sent.
    pub(super) fn target(&self) -> &'a str {
        self.uri.path_and_query().map_or("/", |target| target.as_str())
    }

    /// How the provider may have spelt the public address: with the usual port or without, and with percent signs
    /// or without.
    pub(super) fn addresses(&self) -> Result<SmallVec<[String; 4]>, Reason> {
        let host = self.one("host")?;
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
        for target in [self.target().to_owned(), spelt_out(self.target())] {
            add(format!("{scheme}://{host}{target}"));
            add(format!("{scheme}://{bare}{target}"));
            if bare == host {
                add(format!("{scheme}://{host}{port}{target}"));
            }
        }
        Ok(addresses)
    }

    /// Whether the body says it is a form.
    pub(super) fn is_form(&self) -> bool {
        let kind = self.content_type().split(';').next().unwrap_or_default().trim();
        kind.eq_ignore_ascii_case("application/x-www-form-urlencoded")
    }

    /// How the body says it is a form in parts.
    pub(super) fn boundary(&self) -> Option<&'a str> {
        multipart::boundary(self.content_type())
    }

    fn content_type(&self) -> &'a str {
        self.headers.get(header::CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or_default()
    }

    /// The value of a name in the query, as it stands there.
    pub(super) fn asked(&self, name: &str) -> Option<&'a str> {
        let query = self.uri.query()?;
        query.split('&').find_map(|pair| pair.strip_prefix(name)?.strip_prefix('='))
    }
}

impl<'a> Message<'a> {
    /// The fields of the form that the body is; none if there is no body.
    pub(super) fn form(&self) -> Result<Vec<Field>, Reason> {
        if self.body.is_empty() {
            return Ok(Vec::new());
        }
        if !self.head.is_form() {
            return Err(Reason::Body("its body is not a form"));
        }
        fields(self.body)
    }

    /// The JSON object that the body is, read into what is wanted of it and nothing more.
    pub(super) fn object<T: Deserialize<'a>>(&self) -> Result<T, Reason> {
        serde_json::from_slice(self.body).map_err(|_| Reason::Body("its body is not a JSON object of this provider"))
    }

    /// The members of the JSON object that the body is. A name that is there twice could be read in two ways, and some
    /// programs do not tell upper case from lower.
    pub(super) fn members(&self) -> Result<Members, Reason> {
        let members: Members = self.object()?;
        let mut names: Vec<String> = members.0.iter().map(|(name, _)| name.to_ascii_lowercase()).collect();
        names.sort();
        if names.windows(2).any(|pair| pair[0] == pair[1]) {
            return Err(Reason::Body("its body has a member twice"));
        }
        Ok(members)
    }

    /// The body without its gzip.
    pub(super) fn unpacked(&self) -> Result<Cow<'a, [u8]>, Reason> {
        let mut coding = self.head.headers.get_all(header::CONTENT_ENCODING).iter();
        match (coding.next(), coding.next()) {
            (None, _) => Ok(Cow::Borrowed(self.body)),
            (Some(coding), None) if coding.as_bytes().eq_ignore_ascii_case(b"gzip") => {
                let mut unpacked = Vec::new();
                let mut unpacking = flate2::bufread::GzDecoder::new(self.body);
                let most = self.limit as u64 + 1;
                let read = unpacking.by_ref().take(most).read_to_end(&mut unpacked);
                match read {
                    Ok(read) if read > self.limit => Err(Reason::Body("its body is too large when it is unpacked")),
                    // What follows would not be covered by the signature.
                    Ok(_) if unpacking.into_inner().is_empty() => Ok(Cow::Owned(unpacked)),
                    _ => Err(Reason::Body("its body cannot be unpacked")),
                }
            }
            _ => Err(Reason::Body("its body is compressed in a way that this provider does not use")),
        }
    }
}

/// Takes a form apart. Bytes are kept as they are: two forms that differ never become the same.
pub(super) fn fields(form: &[u8]) -> Result<Vec<Field>, Reason> {
    let pairs = form.split(|byte| *byte == b'&').filter(|pair| !pair.is_empty());
    let fields: Vec<Field> = pairs
        .take(MOST_FIELDS + 1)
        .map(|pair| match pair.iter().position(|byte| *byte == b'=') {
            Some(at) => (decoded(&pair[..at]), decoded(&pair[at + 1..])),
            None => (decoded(pair), Vec::new()),
        })
        .collect();
    if fields.len() > MOST_FIELDS { Err(Reason::Body("its form has too many fields")) } else { Ok(fields) }
}

/// Undoes the percent signs and plus signs of a form.
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

/// A target in which those characters stand for themselves that need no percent sign in an address.
fn spelt_out(target: &str) -> String {
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
        let head = Head { method: &method, uri: &uri, headers: &headers, tls: true, now: Timestamp::UNIX_EPOCH };
        head.addresses().expect("a host").into_vec()
    }

    #[test]
    fn an_address_may_be_spelt_with_its_port_or_without() {
        assert_eq!(addresses("a.test", "/x?y=1"), ["https://a.test/x?y=1", "https://a.test:443/x?y=1"]);
        assert_eq!(addresses("a.test:4443", "/"), ["https://a.test:4443/", "https://a.test/"]);
        assert!(addresses("a.test", "/x?to=a%40b%26").contains(&"https://a.test/x?to=a@b%26".to_owned()));
    }

    #[test]
    fn a_form_is_taken_apart_byte_by_byte() {
        let pair = |name: &str, value: &[u8]| (name.as_bytes().to_vec(), value.to_vec());
        let expected = [pair("a b", b"c=d"), pair("e", b""), pair("f", b""), pair("g", &[0xff]), pair("h", b"%zz%4")];
        assert_eq!(fields(b"a+b=c=d&&e&f=&g=%FF&h=%zz%4").expect("fields"), expected);
        assert!(fields(&b"a&".repeat(MOST_FIELDS)).is_ok());
        assert!(fields(&b"a&".repeat(MOST_FIELDS + 1)).is_err());
    }
}
