//! Parser for the metadata of an identity provider (SAML 2.0 Metadata).
//!
//! The library never sees that document: it gets a minimal one made from the values parsed here, so there is only one
//! interpretation.

use crate::provider_client::parse_url;
use base64::{Engine, engine::general_purpose::STANDARD};
use postern_api::{Code, Error};
use roxmltree::{Document, Node, ParsingOptions};

const METADATA: &str = "urn:oasis:names:tc:SAML:2.0:metadata";
const PROTOCOL: &str = "urn:oasis:names:tc:SAML:2.0:protocol";
const SIGNATURE: &str = "http://www.w3.org/2000/09/xmldsig#";
const REDIRECT: &str = "urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Redirect";
/// Maximum number of XML nodes, the same as in the management API.
const MAX_NODES: u32 = 5000;

/// The metadata of an identity provider.
#[derive(Clone, Debug)]
pub(super) struct IdpMetadata {
    /// The entity id.
    pub(super) entity_id: String,
    /// The certificates of its signing keys, in Base64.
    pub(super) certificates: Vec<String>,
    /// The URL to which visitors are redirected to log in.
    pub(super) sso_url: String,
    /// The URL to which they are redirected to log out, if the identity provider offers it.
    pub(super) slo_url: Option<String>,
}

/// Parses metadata. The error says what must be changed before visitors can log in.
pub(super) fn parse(text: &str) -> Result<IdpMetadata, Error> {
    let options = ParsingOptions { allow_dtd: false, nodes_limit: MAX_NODES, ..ParsingOptions::default() };
    let document = Document::parse_with_options(text, options).map_err(|_| incomplete("is not valid XML"))?;
    let root = document.root_element();
    let entity_id = root.attribute("entityID").map(str::trim).filter(|entity_id| !entity_id.is_empty());
    let entity_id = entity_id.ok_or_else(|| incomplete("has no `entityID`"))?;
    let is_saml2 = |node: &Node<'_, '_>| {
        let protocols = node.attribute("protocolSupportEnumeration").unwrap_or(PROTOCOL);
        protocols.split_ascii_whitespace().any(|protocol| protocol == PROTOCOL)
    };
    let idp = children(root, "IDPSSODescriptor")
        .find(is_saml2)
        .ok_or_else(|| incomplete("describes no SAML 2.0 identity provider (`IDPSSODescriptor`)"))?;
    let is_signing_key = |node: &Node<'_, '_>| matches!(node.attribute("use"), None | Some("signing"));
    let certificates: Vec<String> = children(idp, "KeyDescriptor")
        .filter(is_signing_key)
        .flat_map(|key| key.descendants())
        .filter_map(certificate)
        .collect();
    if certificates.is_empty() {
        return Err(incomplete("has no signing certificate (`KeyDescriptor`), so its signatures cannot be verified"));
    }
    let sso_url = redirect_url(idp, "SingleSignOnService").ok_or_else(|| {
        incomplete("names no HTTPS URL for logins by redirect (`SingleSignOnService`, HTTP-Redirect)")
    })?;
    let slo_url = redirect_url(idp, "SingleLogoutService");
    Ok(IdpMetadata { entity_id: entity_id.to_owned(), certificates, sso_url, slo_url })
}

fn children<'a, 'input>(node: Node<'a, 'input>, name: &'static str) -> impl Iterator<Item = Node<'a, 'input>> {
    node.children().filter(move |child| {
        child.tag_name().name() == name && matches!(child.tag_name().namespace(), None | Some(METADATA))
    })
}

fn certificate(node: Node<'_, '_>) -> Option<String> {
    let name = node.tag_name();
    if name.name() != "X509Certificate" || name.namespace() != Some(SIGNATURE) {
        return None;
    }
    let text: String = node.text()?.chars().filter(|letter| !letter.is_whitespace()).collect();
    STANDARD.decode(&text).is_ok_and(|bytes| !bytes.is_empty()).then_some(text)
}

/// The URL of a service with the redirect binding. URLs to which browsers must not be sent count as missing.
fn redirect_url(idp: Node<'_, '_>, service: &'static str) -> Option<String> {
    children(idp, service)
        .filter(|node| node.attribute("Binding") == Some(REDIRECT))
        .filter_map(|node| parse_url(node.attribute("Location")?.trim()).ok())
        .map(String::from)
        .next()
}

fn incomplete(reason: &str) -> Error {
    let message = format!(
        "Logins do not work here yet: the metadata of the identity provider {reason}. The operator must give the SAML \
         module complete metadata."
    );
    Error::new(Code::IdpMetadataIncomplete, message)
}

#[cfg(test)]
mod tests {
    use super::*;

    const CERTIFICATE: &str = "<ds:KeyInfo xmlns:ds=\"http://www.w3.org/2000/09/xmldsig#\"><ds:X509Data>\
         <ds:X509Certificate>\n AA==\n</ds:X509Certificate></ds:X509Data></ds:KeyInfo>";

    fn metadata(inner: &str) -> String {
        format!(
            "<EntityDescriptor xmlns=\"{METADATA}\" entityID=\" https://idp.test/ \"><IDPSSODescriptor \
             protocolSupportEnumeration=\"x {PROTOCOL}\">{inner}</IDPSSODescriptor></EntityDescriptor>"
        )
    }

    fn service(name: &str, location: &str) -> String {
        format!("<{name} Binding=\"{REDIRECT}\" Location=\"{location}\"/>")
    }

    #[test]
    fn required_values_are_found() {
        let keys = format!(
            "<KeyDescriptor use=\"signing\">{CERTIFICATE}</KeyDescriptor><KeyDescriptor>{CERTIFICATE}</KeyDescriptor>\
             <KeyDescriptor use=\"encryption\">{CERTIFICATE}</KeyDescriptor>"
        );
        let services = service("SingleSignOnService", "https://idp.test/sso?a=1&amp;b=2")
            + &service("SingleLogoutService", "javascript:alert(1)")
            + &service("SingleLogoutService", "https://idp.test/slo");
        let parsed = parse(&metadata(&(keys + &services))).expect("an identity provider");
        assert_eq!(parsed.entity_id, "https://idp.test/");
        assert_eq!(parsed.certificates, ["AA==", "AA=="]);
        assert_eq!(parsed.sso_url, "https://idp.test/sso?a=1&b=2");
        assert_eq!(parsed.slo_url.as_deref(), Some("https://idp.test/slo"));
    }

    #[test]
    fn the_error_names_the_missing_value() {
        let key = format!("<KeyDescriptor use=\"signing\">{CERTIFICATE}</KeyDescriptor>");
        let empty = key.replace("AA==", "!");
        let sso_url = service("SingleSignOnService", "https://idp.test/");
        let plain = key.clone() + &service("SingleSignOnService", "http://idp.test/");
        let encryption = key.replace("\"signing\"", "\"encryption\"") + &sso_url;
        for (text, reason) in [
            ("<EntityDescriptor/>".to_owned(), "entityID"),
            ("<EntityDescriptor entityID=\"a\"/>".to_owned(), "IDPSSODescriptor"),
            (metadata(&sso_url), "signing certificate"),
            (metadata(&(empty + &sso_url)), "signing certificate"),
            (metadata(&encryption), "signing certificate"),
            (metadata(&key), "SingleSignOnService"),
            (metadata(&plain), "SingleSignOnService"),
        ] {
            let error = parse(&text).expect_err(reason);
            assert_eq!(error.code, Code::IdpMetadataIncomplete);
            assert!(error.message.contains(reason), "{reason}: {}", error.message);
        }
    }
}
