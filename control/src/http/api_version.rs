//! Version check: every call names the API version it uses.

use http::HeaderMap;
use postern_api::{Code, Error, Result};

/// Header that names the version.
pub(super) const HEADER: &str = "Service-Version";
/// The only version.
pub(super) const SUPPORTED: &str = "2";

/// Refuses a call without a version, or with another one.
pub(super) fn check(headers: &HeaderMap, aliases: &[String]) -> Result<()> {
    let mut named = false;
    for name in std::iter::once(HEADER).chain(aliases.iter().map(String::as_str)) {
        for value in headers.get_all(name) {
            named = true;
            if value.as_bytes().trim_ascii() != SUPPORTED.as_bytes() {
                let shown: String = String::from_utf8_lossy(value.as_bytes()).chars().take(40).collect();
                let sentence = format!("Version `{shown}` is not supported. Send `{HEADER}: {SUPPORTED}`.");
                return Err(Error::new(Code::VersionUnsupported, sentence));
            }
        }
    }
    if named {
        Ok(())
    } else {
        Err(Error::new(Code::VersionMissing, format!("Send the header `{HEADER}: {SUPPORTED}`.")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use http::{HeaderName, HeaderValue};

    #[test]
    fn the_version_is_required_under_one_of_its_names() {
        let aliases = vec!["ngrok-version".to_owned()];
        for (sent, expected) in [
            (&[][..], Some(Code::VersionMissing)),
            (&[("service-version", "2")], None),
            (&[("ngrok-version", "2")], None),
            (&[("service-version", " 2 ")], None),
            (&[("service-version", "1")], Some(Code::VersionUnsupported)),
            (&[("service-version", "")], Some(Code::VersionUnsupported)),
            (&[("service-version", "2"), ("ngrok-version", "1")], Some(Code::VersionUnsupported)),
            (&[("other-version", "2")], Some(Code::VersionMissing)),
        ] {
            let mut headers = HeaderMap::new();
            for (name, value) in sent {
                headers.append(HeaderName::from_static(name), HeaderValue::from_static(value));
            }
            assert_eq!(check(&headers, &aliases).err().map(|error| error.code), expected, "{sent:?}");
        }
    }
}
