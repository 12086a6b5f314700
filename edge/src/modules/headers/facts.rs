//! Values of the variables for one request and its response.

use crate::{http, modules::RequestContext};
use hyper::Version;
use postern_api::headers::variables::Variable;
use postern_tunnel::message::Scheme;
use smallvec::SmallVec;
use std::fmt::Write;

/// Maximum length of one value in bytes.
const MAX_VALUE_BYTES: usize = 4096;

/// The values of the used variables: printable ASCII only, whatever the visitor sent.
#[derive(Default)]
pub(crate) struct Facts(SmallVec<[(Variable, String); 2]>);

impl Facts {
    /// The values that are known when the request arrives. Does nothing if no variable is used.
    pub(crate) fn of(variables: &[Variable], context: &mut RequestContext<'_>) -> Self {
        Facts(variables.iter().map(|variable| (*variable, value_of(*variable, context))).collect())
    }

    /// Sets a value that is known later.
    pub(crate) fn add(&mut self, variable: Variable, text: &str) {
        self.0.retain(|(known, _)| *known != variable);
        self.0.push((variable, percent_encode(text.as_bytes())));
    }

    pub(crate) fn get(&self, variable: Variable) -> &str {
        self.0.iter().find(|(known, _)| *known == variable).map_or("", |(_, text)| text)
    }
}

fn value_of(variable: Variable, context: &mut RequestContext<'_>) -> String {
    let (visitor, uri) = (context.visitor, &context.parts.uri);
    let tls = visitor.tls.as_ref();
    let text = match variable {
        Variable::ClientIp => return visitor.address.ip().to_canonical().to_string(),
        Variable::ClientPort => return visitor.address.port().to_string(),
        Variable::TlsVersion => tls.map_or("", |tls| tls.version),
        Variable::TlsCipherSuite => tls.and_then(|tls| tls.cipher_suite).unwrap_or(""),
        Variable::TlsSni => tls.and_then(|tls| tls.server_name.as_deref()).unwrap_or(""),
        Variable::Id => return context.trace.id().to_owned(),
        Variable::Method => context.parts.method.as_str(),
        Variable::Scheme if visitor.scheme == Scheme::Https => "https",
        Variable::Scheme => "http",
        Variable::Host => {
            return http::host(&context.parts.headers)
                .map_or_else(|_| String::new(), |host| percent_encode(host.as_bytes()));
        }
        Variable::Path => uri.path(),
        Variable::Query => uri.query().unwrap_or(""),
        Variable::Version => match context.parts.version {
            Version::HTTP_2 => "2",
            Version::HTTP_10 => "1.0",
            _ => "1.1",
        },
        Variable::Country => {
            return context.geo.country(visitor.address.ip()).map_or_else(String::new, |it| it.to_string());
        }
        Variable::Continent => context.geo.continent(visitor.address.ip()).unwrap_or(""),
        Variable::City => context.geo.city(visitor.address.ip()).unwrap_or(""),
        Variable::Asn => return context.geo.asn(visitor.address.ip()).map_or_else(String::new, |it| it.to_string()),
        // Known only with the response.
        Variable::Status => "",
    };
    percent_encode(text.as_bytes())
}

/// Percent-encodes everything except printable ASCII, and truncates the result.
fn percent_encode(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len().min(MAX_VALUE_BYTES));
    for byte in bytes {
        let plain = matches!(byte, b' '..=b'~');
        if text.len() + if plain { 1 } else { 3 } > MAX_VALUE_BYTES {
            break;
        }
        if plain {
            text.push(char::from(*byte));
        } else {
            let _ = write!(text, "%{byte:02X}");
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_never_contain_line_breaks() {
        assert_eq!(percent_encode(b"/a b\r\nX-Evil: 1\0\x7f\xc3\xa9"), "/a b%0D%0AX-Evil: 1%00%7F%C3%A9");
        assert_eq!(percent_encode(&[b'a'; MAX_VALUE_BYTES + 1]).len(), MAX_VALUE_BYTES);
        let cut = percent_encode(&[0; MAX_VALUE_BYTES]);
        assert!(cut.len() <= MAX_VALUE_BYTES && cut.ends_with("%00"), "no partial escapes");
    }
}
