//! What an identity provider says of itself, read from the metadata that the module was given.
//!
//! The library is not shown that document: it gets a small one of what was understood here, so there is one reader.

use crate::web;
use base64::{Engine, engine::general_purpose::STANDARD};
use postern_api::{Code, Error};
use roxmltree::{Document, Node, ParsingOptions};

const METADATA: &str = "urn:oasis:names:tc:SAML:2.0:metadata";
const PROTOCOL: &str = "urn:oasis:names:tc:SAML:2.0:protocol";
const SIGNATURE: &str = "http://www.w3.org/2000/09/xmldsig#";
const REDIRECT: &str = "urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Redirect";
/// As many elements as the management API takes.
const MOST_NODES: u32 = 5000;

/// An identity provider.
#[derive(Clone, Debug)]
pub(super) struct Described {
    /// What it is called.
    pub(super) entity: String,
    /// The certificates of the keys it signs with, in Base64.
    pub(super) certificates: Vec<String>,
    /// Where visitors are sent to log in.
    pub(super) sign_on: String,
    /// Where they are sent to log out, if it offers that.
    pub(super) log_out: Option<String>,
}

/// Reads metadata. The error says what must be changed before anybody can come in.
pub(super) fn read(text: &str) -> Result<Described, Error> {
    let options = ParsingOptions { allow_dtd: false, nodes_limit: MOST_NODES, ..ParsingOptions::default() };
    let document = Document::parse_with_options(text, options).map_err(|_| incomplete("cannot be read"))?;
    let root = document.root_element();
    let entity = root.attribute("entityID").map(str::trim).filter(|entity| !entity.is_empty());
    let entity = entity.ok_or_else(|| incomplete("does not say what the identity provider is called (`entityID`)"))?;
    let speaks = |node: &Node<'_, '_>| {
        let protocols = node.attribute("protocolSupportEnumeration").unwrap_or(PROTOCOL);
        protocols.split_ascii_whitespace().any(|protocol| protocol == PROTOCOL)
    };
    let idp = children(root, "IDPSSODescriptor")
        .find(speaks)
        .ok_or_else(|| incomplete("describes no identity provider of SAML 2.0 (`IDPSSODescriptor`)"))?;
    let signs = |node: &Node<'_, '_>| matches!(node.attribute("use"), None | Some("signing"));
    let certificates: Vec<String> = children(idp, "KeyDescriptor")
        .filter(signs)
        .flat_map(|key| key.descendants())
        .filter_map(certificate)
        .collect();
    if certificates.is_empty() {
        return Err(incomplete("has no signing certificate (`KeyDescriptor`), so nothing it signs could be trusted"));
    }
    let sign_on = address(idp, "SingleSignOnService").ok_or_else(|| {
        incomplete("names no HTTPS address where visitors log in by redirect (`SingleSignOnService`, HTTP-Redirect)")
    })?;
    let log_out = address(idp, "SingleLogoutService");
    Ok(Described { entity: entity.to_owned(), certificates, sign_on, log_out })
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

/// Where visitors go for a service. What is no address that browsers may be sent to counts as missing.
fn address(idp: Node<'_, '_>, service: &'static str) -> Option<String> {
    children(idp, service)
        .filter(|node| node.attribute("Binding") == Some(REDIRECT))
        .filter_map(|node| web::address(node.attribute("Location")?.trim()).ok())
        .map(String::from)
        .next()
}

fn incomplete(why: &str) -> Error {
    let sentence = format!(
        "Nobody can log in here yet: the metadata of the identity provider {why}. Who runs this address must give the \
         SAML module complete metadata."
    );
    Error::new(Code::IdpMetadataIncomplete, sentence)
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
    fn what_is_needed_is_found() {
        let keys = format!(
            "<KeyDescriptor use=\"signing\">{CERTIFICATE}</KeyDescriptor><KeyDescriptor>{CERTIFICATE}</KeyDescriptor>\
             <KeyDescriptor use=\"encryption\">{CERTIFICATE}</KeyDescriptor>"
        );
        let services = service("SingleSignOnService", "https://idp.test/sso?a=1&amp;b=2")
            + &service("SingleLogoutService", "javascript:alert(1)")
            + &service("SingleLogoutService", "https://idp.test/slo");
        let described = read(&metadata(&(keys + &services))).expect("an identity provider");
        assert_eq!(described.entity, "https://idp.test/");
        assert_eq!(described.certificates, ["AA==", "AA=="]);
        assert_eq!(described.sign_on, "https://idp.test/sso?a=1&b=2");
        assert_eq!(described.log_out.as_deref(), Some("https://idp.test/slo"));
    }

    #[test]
    fn what_is_missing_is_said() {
        let key = format!("<KeyDescriptor use=\"signing\">{CERTIFICATE}</KeyDescriptor>");
        let empty = key.replace("AA==", "!");
        let sign_on = service("SingleSignOnService", "https://idp.test/");
        let plain = key.clone() + &service("SingleSignOnService", "http://idp.test/");
        let encryption = key.replace("\"signing\"", "\"encryption\"") + &sign_on;
        for (text, why) in [
            ("<EntityDescriptor/>".to_owned(), "entityID"),
            ("<EntityDescriptor entityID=\"a\"/>".to_owned(), "IDPSSODescriptor"),
            (metadata(&sign_on), "signing certificate"),
            (metadata(&(empty + &sign_on)), "signing certificate"),
            (metadata(&encryption), "signing certificate"),
            (metadata(&key), "SingleSignOnService"),
            (metadata(&plain), "SingleSignOnService"),
        ] {
            let error = read(&text).expect_err(why);
            assert_eq!(error.code, Code::IdpMetadataIncomplete);
            assert!(error.message.contains(why), "{why}: {}", error.message);
        }
    }
}
