//! What variables stand for in one request and its answer.

use crate::{http, modules::Visit};
use hyper::Version;
use postern_api::headers::variables::Variable;
use postern_tunnel::message::Scheme;
use smallvec::SmallVec;
use std::fmt::Write;

/// One variable gives so much text.
const LIMIT: usize = 4096;

/// What the wanted variables stand for: printable ASCII only, whatever the visitor sent.
#[derive(Default)]
pub(crate) struct Facts(SmallVec<[(Variable, String); 2]>);

impl Facts {
    /// What can be said when the request has come. Where nothing is wanted nothing is done.
    pub(crate) fn of(wanted: &[Variable], visit: &mut Visit<'_>) -> Self {
        Facts(wanted.iter().map(|variable| (*variable, said(*variable, visit))).collect())
    }

    /// One more, when it is known.
    pub(crate) fn add(&mut self, variable: Variable, text: &str) {
        self.0.retain(|(known, _)| *known != variable);
        self.0.push((variable, harmless(text.as_bytes())));
    }

    pub(super) fn get(&self, variable: Variable) -> &str {
        self.0.iter().find(|(known, _)| *known == variable).map_or("", |(_, text)| text)
    }
}

fn said(variable: Variable, visit: &mut Visit<'_>) -> String {
    let (visitor, uri) = (visit.visitor, &visit.parts.uri);
    let tls = visitor.tls.as_ref();
    let text = match variable {
        Variable::ClientIp => return visitor.address.ip().to_canonical().to_string(),
        Variable::ClientPort => return visitor.address.port().to_string(),
        Variable::TlsVersion => tls.map_or("", |tls| tls.version),
        Variable::TlsCipherSuite => tls.and_then(|tls| tls.cipher_suite).unwrap_or(""),
        Variable::TlsSni => tls.and_then(|tls| tls.server_name.as_deref()).unwrap_or(""),
        Variable::Id => return visit.trace.id().to_owned(),
        Variable::Method => visit.parts.method.as_str(),
        Variable::Scheme if visitor.scheme == Scheme::Https => "https",
        Variable::Scheme => "http",
        Variable::Host => {
            return http::host(&visit.parts.headers).map_or_else(|_| String::new(), |host| harmless(host.as_bytes()));
        }
        Variable::Path => uri.path(),
        Variable::Query => uri.query().unwrap_or(""),
        Variable::Version => match visit.parts.version {
            Version::HTTP_2 => "2",
            Version::HTTP_10 => "1.0",
            _ => "1.1",
        },
        // Not known yet.
        Variable::Status => "",
    };
    harmless(text.as_bytes())
}

/// Printable ASCII as it is, everything else percent-encoded; cut where it becomes too long.
fn harmless(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len().min(LIMIT));
    for byte in bytes {
        let plain = matches!(byte, b' '..=b'~');
        if text.len() + if plain { 1 } else { 3 } > LIMIT {
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
    fn nothing_of_a_visitor_can_begin_another_line() {
        assert_eq!(harmless(b"/a b\r\nX-Evil: 1\0\x7f\xc3\xa9"), "/a b%0D%0AX-Evil: 1%00%7F%C3%A9");
        assert_eq!(harmless(&[b'a'; LIMIT + 1]).len(), LIMIT);
        let cut = harmless(&[0; LIMIT]);
        assert!(cut.len() <= LIMIT && cut.ends_with("%00"), "no half escapes");
    }
}
