//! The identity of a client certificate, as headers for local services.

use hyper::header::{HeaderName, HeaderValue};
use rustls_pki_types::CertificateDer;
use x509_parser::{certificate::X509Certificate, extensions::GeneralName};

const SUBJECT_CN: HeaderName = HeaderName::from_static("postern-mtls-subject-cn");
const DNS_NAMES: HeaderName = HeaderName::from_static("postern-mtls-subject-alt-name-dns");
const EMAIL_ADDRESSES: HeaderName = HeaderName::from_static("postern-mtls-email-addresses");
const SERIAL_NUMBER: HeaderName = HeaderName::from_static("postern-mtls-serial-number");

/// Longer values are left out: a certificate may say more than fits into a header.
const MAX_VALUE_BYTES: usize = 4096;

/// The subject of a verified certificate. Absent fields have no header.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct ClientIdentity(Vec<(HeaderName, HeaderValue)>);

impl ClientIdentity {
    /// Reads a certificate that was verified already.
    pub(super) fn of(certificate: &CertificateDer<'_>) -> Self {
        let Ok((_, certificate)) = x509_parser::parse_x509_certificate(certificate) else {
            return ClientIdentity::default();
        };
        let names = SubjectNames::of(&certificate);
        let common = certificate.subject().iter_common_name().next().and_then(|name| name.as_str().ok());
        let serial = format!("{:x}", certificate.tbs_certificate.serial);
        let fields = [
            (SUBJECT_CN, common.map(|name| encode(name, false))),
            (DNS_NAMES, list(&names.dns)),
            (EMAIL_ADDRESSES, list(&names.email)),
            (SERIAL_NUMBER, Some(serial)),
        ];
        let header = |(name, text): (HeaderName, Option<String>)| {
            let text = text.filter(|text| !text.is_empty() && text.len() <= MAX_VALUE_BYTES)?;
            Some((name, HeaderValue::try_from(text).ok()?))
        };
        ClientIdentity(fields.into_iter().filter_map(header).collect())
    }

    /// The headers; visitors cannot send these names.
    pub(crate) fn headers(&self) -> &[(HeaderName, HeaderValue)] {
        &self.0
    }
}

#[derive(Default)]
struct SubjectNames<'a> {
    dns: Vec<&'a str>,
    email: Vec<&'a str>,
}

impl<'a> SubjectNames<'a> {
    fn of(certificate: &X509Certificate<'a>) -> Self {
        let mut names = SubjectNames::default();
        let Ok(Some(extension)) = certificate.subject_alternative_name() else { return names };
        for name in &extension.value.general_names {
            match name {
                GeneralName::DNSName(name) => names.dns.push(name),
                GeneralName::RFC822Name(name) => names.email.push(name),
                _ => {}
            }
        }
        names
    }
}

fn list(values: &[&str]) -> Option<String> {
    let encode: Vec<String> = values.iter().map(|value| encode(value, true)).collect();
    (!encode.is_empty()).then(|| encode.join(","))
}

/// A value in header form: everything but visible ASCII and inner spaces is percent-encoded, as are the percent sign
/// and, in a list, the comma. So a value can neither end the header nor pass for two.
fn encode(value: &str, in_list: bool) -> String {
    let mut text = String::with_capacity(value.len());
    let last = value.len().saturating_sub(1);
    for (at, byte) in value.bytes().enumerate() {
        let inner_space = byte == b' ' && at != 0 && at != last;
        let plain = (byte.is_ascii_graphic() && byte != b'%' && !(in_list && byte == b',')) || inner_space;
        if plain {
            text.push(char::from(byte));
        } else {
            text.push_str(&format!("%{byte:02X}"));
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use rcgen::{CertificateParams, DnType, KeyPair, SanType, SerialNumber};

    fn headers(change: impl FnOnce(&mut CertificateParams)) -> Vec<(String, String)> {
        let key = KeyPair::generate().expect("a key");
        let mut params = CertificateParams::new(Vec::new()).expect("parameters");
        params.serial_number = Some(SerialNumber::from_slice(&[0x0a, 0xbc]));
        params.distinguished_name = rcgen::DistinguishedName::new();
        change(&mut params);
        let certificate = params.self_signed(&key).expect("a certificate");
        let identity = ClientIdentity::of(certificate.der());
        let text = |(name, value): &(HeaderName, HeaderValue)| {
            (name.as_str().to_owned(), value.to_str().expect("visible").to_owned())
        };
        identity.headers().iter().map(text).collect()
    }

    fn owned(list: &[(&str, &str)]) -> Vec<(String, String)> {
        list.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
    }

    #[test]
    fn everything_a_certificate_says_has_a_header_and_nothing_else_does() {
        let fields = headers(|params| {
            params.distinguished_name.push(DnType::CommonName, "Ada Lovelace");
            params.subject_alt_names = vec![
                SanType::DnsName("a.test".try_into().expect("a name")),
                SanType::DnsName("b.test".try_into().expect("a name")),
                SanType::Rfc822Name("ada@a.test".try_into().expect("an address")),
            ];
        });
        let expected = [
            ("postern-mtls-subject-cn", "Ada Lovelace"),
            ("postern-mtls-subject-alt-name-dns", "a.test,b.test"),
            ("postern-mtls-email-addresses", "ada@a.test"),
            ("postern-mtls-serial-number", "abc"),
        ];
        assert_eq!(fields, owned(&expected));
        assert_eq!(headers(|_| {}), owned(&[("postern-mtls-serial-number", "abc")]));
    }

    #[test]
    fn no_value_ends_its_header_or_passes_for_two() {
        for (value, in_list, text) in [
            ("a\r\nX-Admin: yes", false, "a%0D%0AX-Admin: yes"),
            ("Zoë", false, "Zo%C3%AB"),
            ("100%", false, "100%25"),
            (" a b ", false, "%20a b%20"),
            ("Lovelace, Ada", false, "Lovelace, Ada"),
            ("\"a,b\"@c.test", true, "\"a%2Cb\"@c.test"),
        ] {
            assert_eq!(encode(value, in_list), text);
        }
        let fields =
            headers(|params| params.distinguished_name.push(DnType::CommonName, "x".repeat(MAX_VALUE_BYTES + 1)));
        assert_eq!(fields.len(), 1, "what does not fit is left out");
    }
}
