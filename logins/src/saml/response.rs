//! Parser for SAML responses, with the structural checks that precede signature verification: one assertion, each id
//! once, each signature for the element that contains it, nothing hidden. Only such a response reaches the library,
//! and the person's data is read from this same tree, which rules out signature wrapping.

use base64::{Engine, engine::general_purpose::STANDARD};
use postern_api::{Code, Error};
use roxmltree::{Document, Node, NodeType, ParsingOptions};
use std::collections::HashSet;

pub(super) const ASSERTION: &str = "urn:oasis:names:tc:SAML:2.0:assertion";
const PROTOCOL: &str = "urn:oasis:names:tc:SAML:2.0:protocol";
const SIGNATURE: &str = "http://www.w3.org/2000/09/xmldsig#";
const SUCCESS: &str = "urn:oasis:names:tc:SAML:2.0:status:Success";
const BEARER: &str = "urn:oasis:names:tc:SAML:2.0:cm:bearer";
/// Accepted signature algorithms: RSA with SHA-2 only, even if the key would fit another one.
pub(super) const SIGNATURE_ALGORITHMS: [&str; 3] = [
    "http://www.w3.org/2001/04/xmldsig-more#rsa-sha256",
    "http://www.w3.org/2001/04/xmldsig-more#rsa-sha384",
    "http://www.w3.org/2001/04/xmldsig-more#rsa-sha512",
];
const DIGEST_ALGORITHMS: [&str; 3] = [
    "http://www.w3.org/2001/04/xmlenc#sha256",
    "http://www.w3.org/2001/04/xmldsig-more#sha384",
    "http://www.w3.org/2001/04/xmlenc#sha512",
];

/// Maximum size of the XML.
const MAX_XML_BYTES: usize = 256 * 1024;
const MAX_NODES: u32 = 5000;
const MAX_DEPTH: usize = 64;
/// Attribute values that are read from one assertion.
const MAX_ATTRIBUTE_VALUES: usize = 1000;

/// The contents of a response; untrusted until the library has verified the signatures.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct ParsedResponse {
    /// The whole document.
    pub(crate) xml: String,
    /// Number of signatures, each of which must be verified.
    pub(crate) signatures: usize,
    /// The issuers of the assertion and, if given, of the response.
    pub(crate) issuers: Vec<String>,
    /// The id of the request that it responds to.
    pub(crate) in_response_to: Option<String>,
    /// The URL it was sent to.
    pub(crate) destination: Option<String>,
    pub(crate) assertion: String,
    pub(crate) issued: String,
    pub(crate) name_id: String,
    pub(crate) name_id_format: String,
    pub(crate) confirmations: Vec<Confirmation>,
    /// `NotBefore` and `NotOnOrAfter` of the conditions.
    pub(crate) window: (Option<String>, Option<String>),
    /// The audience restrictions: each one must name this service provider.
    pub(crate) audiences: Vec<Vec<String>>,
    pub(crate) session: String,
    /// Attribute names with their values.
    pub(crate) attributes: Vec<(String, Vec<String>)>,
}

/// A bearer confirmation: the bearer of the assertion is its subject if these values match.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Confirmation {
    pub(crate) recipient: Option<String>,
    pub(crate) in_response_to: Option<String>,
    pub(crate) not_on_or_after: Option<String>,
}

/// Decodes a message from a form field.
pub(super) fn decode_base64(field: &str) -> Result<String, Error> {
    let text: Vec<u8> = field.bytes().filter(|byte| !byte.is_ascii_whitespace()).collect();
    if text.len() > MAX_XML_BYTES.div_ceil(3) * 4 {
        return Err(malformed(&format!("is larger than {MAX_XML_BYTES} bytes")));
    }
    let bytes = STANDARD.decode(text).map_err(|_| malformed("is not Base64"))?;
    String::from_utf8(bytes).map_err(|_| malformed("is not UTF-8"))
}

/// Parses a message, refusing document types, comments and processing instructions, which can hide content.
pub(super) fn parse_xml(xml: &str) -> Result<Document<'_>, Error> {
    let options = ParsingOptions { allow_dtd: false, nodes_limit: MAX_NODES, ..ParsingOptions::default() };
    let document = Document::parse_with_options(xml, options).map_err(|error| match error {
        roxmltree::Error::DtdDetected => malformed("has a document type"),
        roxmltree::Error::NodesLimitReached => malformed("has too many elements"),
        _ => malformed("is not well-formed XML"),
    })?;
    if document.descendants().any(|node| matches!(node.node_type(), NodeType::Comment | NodeType::PI)) {
        return Err(malformed("contains a comment or a processing instruction"));
    }
    if document.descendants().any(|node| node.ancestors().nth(MAX_DEPTH).is_some()) {
        return Err(malformed("has too deeply nested elements"));
    }
    let mut ids = HashSet::new();
    let mut attributes = document.descendants().flat_map(|node| node.attributes());
    if !attributes.all(|attribute| !attribute.name().eq_ignore_ascii_case("id") || ids.insert(attribute.value())) {
        return Err(malformed("contains the same id twice"));
    }
    Ok(document)
}

/// Parses a response.
pub(super) fn parse_response(xml: String) -> Result<ParsedResponse, Error> {
    let mut parsed = {
        let document = parse_xml(&xml)?;
        let root = document.root_element();
        if !root.has_tag_name((PROTOCOL, "Response")) || root.attribute("Version") != Some("2.0") {
            return Err(malformed("is not a SAML 2.0 response"));
        }
        check_status(root)?;
        let assertion = find_assertion(root)?;
        let signatures = check_signatures(root, assertion)?;
        let mut parsed = read_assertion(assertion)?;
        parsed.signatures = signatures;
        if let Some(issuer) = optional_child(root, ASSERTION, "Issuer")? {
            parsed.issuers.push(text(issuer)?);
        }
        parsed.in_response_to = owned_attribute(root, "InResponseTo");
        parsed.destination = owned_attribute(root, "Destination");
        parsed
    };
    parsed.xml = xml;
    Ok(parsed)
}

/// Whether the identity provider reports success.
fn check_status(root: Node<'_, '_>) -> Result<(), Error> {
    let status = required_child(root, PROTOCOL, "Status")?;
    let code = required_child(status, PROTOCOL, "StatusCode")?;
    if code.attribute("Value") == Some(SUCCESS) {
        return Ok(());
    }
    let inner = optional_child(code, PROTOCOL, "StatusCode")?;
    let value = inner.unwrap_or(code).attribute("Value").unwrap_or_default();
    let reason: String =
        value.rsplit(':').next().unwrap_or_default().chars().filter(char::is_ascii_alphanumeric).collect();
    let reason = if reason.is_empty() { "no reason" } else { reason.get(..60).unwrap_or(&reason) };
    let message =
        format!("The identity provider refused your login (`{reason}`). Log in again, or ask its administrator.");
    Err(Error::new(Code::SamlStatus, message))
}

fn find_assertion<'a, 'input>(root: Node<'a, 'input>) -> Result<Node<'a, 'input>, Error> {
    let elements_named = |name: &'static str| root.descendants().filter(move |node| node.tag_name().name() == name);
    if elements_named("EncryptedAssertion").next().is_some() || elements_named("EncryptedID").next().is_some() {
        let message = "The identity provider encrypted its response, which is not supported. Its administrator must \
                       turn off the encryption of assertions for this service; the connection is already encrypted.";
        return Err(Error::new(Code::SamlEncrypted, message));
    }
    let mut found = elements_named("Assertion");
    match (found.next(), found.next()) {
        (Some(assertion), None)
            if assertion.has_tag_name((ASSERTION, "Assertion"))
                && assertion.parent() == Some(root)
                && assertion.attribute("Version") == Some("2.0") =>
        {
            Ok(assertion)
        }
        _ => {
            let message = "The response of the identity provider must contain exactly one assertion, as a direct \
                           child. Tell the administrator of the identity provider.";
            Err(Error::new(Code::SamlAssertions, message))
        }
    }
}

/// Counts the signatures. Each must be the only one in the element it signs, and reference nothing else.
fn check_signatures(root: Node<'_, '_>, assertion: Node<'_, '_>) -> Result<usize, Error> {
    let mut count = 0;
    for signature in root.descendants().filter(|node| node.tag_name().name() == "Signature") {
        let signed = signature.parent().filter(|parent| *parent == root || *parent == assertion);
        let signed = signed.filter(|_| signature.tag_name().namespace() == Some(SIGNATURE));
        let signed = signed.ok_or_else(misplaced_signature)?;
        if signed.children().filter(|node| node.tag_name().name() == "Signature").count() != 1 {
            return Err(misplaced_signature());
        }
        let info = required_child(signature, SIGNATURE, "SignedInfo")?;
        let reference = required_child(info, SIGNATURE, "Reference")?;
        let id = signed.attribute("ID").filter(|id| !id.is_empty()).ok_or_else(misplaced_signature)?;
        if reference.attribute("URI").and_then(|uri| uri.strip_prefix('#')) != Some(id) {
            return Err(misplaced_signature());
        }
        if elements(signature, SIGNATURE, "Object").next().is_some() {
            return Err(misplaced_signature());
        }
        let method = required_child(info, SIGNATURE, "SignatureMethod")?.attribute("Algorithm").unwrap_or_default();
        let digest = required_child(reference, SIGNATURE, "DigestMethod")?.attribute("Algorithm").unwrap_or_default();
        if !SIGNATURE_ALGORITHMS.contains(&method) || !DIGEST_ALGORITHMS.contains(&digest) {
            return Err(unsupported_algorithm());
        }
        count += 1;
    }
    if count == 0 {
        let message = "The response of the identity provider is not signed. Its administrator must enable the signing \
                       of assertions.";
        return Err(Error::new(Code::SamlSignature, message));
    }
    Ok(count)
}

/// Reads the contents of the assertion.
fn read_assertion(assertion: Node<'_, '_>) -> Result<ParsedResponse, Error> {
    let subject = required_child(assertion, ASSERTION, "Subject")?;
    let name_id = optional_child(subject, ASSERTION, "NameID")?.ok_or_else(|| {
        let message = "The identity provider did not send your name (`NameID`). Tell its administrator.";
        Error::new(Code::SamlNameId, message)
    })?;
    let mut statements = elements(assertion, ASSERTION, "AuthnStatement");
    let (Some(statement), None) = (statements.next(), statements.next()) else {
        let message = "The identity provider must send exactly one login statement (`AuthnStatement`). Tell its \
                       administrator.";
        return Err(Error::new(Code::SamlStatements, message));
    };
    let conditions = required_child(assertion, ASSERTION, "Conditions")?;
    let mut audiences = Vec::new();
    for restriction in elements(conditions, ASSERTION, "AudienceRestriction") {
        audiences.push(elements(restriction, ASSERTION, "Audience").map(text).collect::<Result<Vec<_>, _>>()?);
    }
    let mut confirmations = Vec::new();
    for confirmation in elements(subject, ASSERTION, "SubjectConfirmation") {
        if confirmation.attribute("Method") == Some(BEARER) {
            let data = required_child(confirmation, ASSERTION, "SubjectConfirmationData")?;
            confirmations.push(Confirmation {
                recipient: owned_attribute(data, "Recipient"),
                in_response_to: owned_attribute(data, "InResponseTo"),
                not_on_or_after: owned_attribute(data, "NotOnOrAfter"),
            });
        }
    }
    let name = text(name_id)?;
    if name.trim().is_empty() || name.len() > 1024 {
        let message =
            "The name that the identity provider sent (`NameID`) is empty or too long. Tell its administrator.";
        return Err(Error::new(Code::SamlNameId, message));
    }
    Ok(ParsedResponse {
        issuers: vec![text(required_child(assertion, ASSERTION, "Issuer")?)?],
        assertion: owned_attribute(assertion, "ID").unwrap_or_default(),
        issued: owned_attribute(assertion, "IssueInstant").unwrap_or_default(),
        name_id: name,
        name_id_format: owned_attribute(name_id, "Format").unwrap_or_default(),
        confirmations,
        window: (owned_attribute(conditions, "NotBefore"), owned_attribute(conditions, "NotOnOrAfter")),
        audiences,
        session: owned_attribute(statement, "SessionIndex").unwrap_or_default(),
        attributes: attributes(assertion),
        ..ParsedResponse::default()
    })
}

fn attributes(assertion: Node<'_, '_>) -> Vec<(String, Vec<String>)> {
    let mut remaining = MAX_ATTRIBUTE_VALUES;
    let mut attributes = Vec::new();
    for statement in elements(assertion, ASSERTION, "AttributeStatement") {
        for attribute in elements(statement, ASSERTION, "Attribute") {
            // Values with child elements cannot be sent in a header and are skipped.
            let values: Vec<String> = elements(attribute, ASSERTION, "AttributeValue")
                .filter_map(|value| text(value).ok())
                .take(remaining)
                .collect();
            remaining -= values.len();
            attributes.push((owned_attribute(attribute, "Name").unwrap_or_default(), values));
        }
    }
    attributes
}

fn elements<'a, 'input>(
    node: Node<'a, 'input>,
    namespace: &'static str,
    name: &'static str,
) -> impl Iterator<Item = Node<'a, 'input>> {
    node.children().filter(move |child| child.has_tag_name((namespace, name)))
}

fn optional_child<'a, 'input>(
    node: Node<'a, 'input>,
    namespace: &'static str,
    name: &'static str,
) -> Result<Option<Node<'a, 'input>>, Error> {
    let mut found = elements(node, namespace, name);
    match (found.next(), found.next()) {
        (first, None) => Ok(first),
        _ => Err(malformed(&format!("contains more than one `{name}`"))),
    }
}

fn required_child<'a, 'input>(
    node: Node<'a, 'input>,
    namespace: &'static str,
    name: &'static str,
) -> Result<Node<'a, 'input>, Error> {
    optional_child(node, namespace, name)?.ok_or_else(|| malformed(&format!("lacks `{name}`")))
}

/// The text of an element without child elements.
pub(super) fn text(node: Node<'_, '_>) -> Result<String, Error> {
    if node.children().any(|child| !child.is_text()) {
        return Err(malformed(&format!("contains elements within `{}`", node.tag_name().name())));
    }
    Ok(node.children().filter_map(|child| child.text()).collect::<String>().trim().to_owned())
}

fn owned_attribute(node: Node<'_, '_>, name: &str) -> Option<String> {
    node.attribute(name).map(str::to_owned)
}

fn misplaced_signature() -> Error {
    let message = "A signature in the response of the identity provider does not refer to the element that contains \
                   it. Log in again; if the problem persists, tell the administrator of the identity provider.";
    Error::new(Code::SamlSignature, message)
}

/// The error for signature algorithms that are not accepted.
pub(super) fn unsupported_algorithm() -> Error {
    let message = "The identity provider signs with an unsupported algorithm. Its administrator must choose RSA with \
                   SHA-256, SHA-384 or SHA-512 for signatures and digests.";
    Error::new(Code::SamlAlgorithm, message)
}

/// The error for malformed messages.
pub(crate) fn malformed(reason: &str) -> Error {
    let message = format!(
        "The message of the identity provider {reason}. Log in again; if the problem persists, tell its administrator."
    );
    Error::new(Code::SamlUnreadable, message)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn any_text_is_parsed_without_a_panic(text in "\\PC{0,200}") {
            prop_assert!(parse_response(text.clone()).is_err());
            let within = format!("<Response xmlns=\"{PROTOCOL}\" Version=\"2.0\">{text}</Response>");
            prop_assert!(parse_response(within).is_err());
            let _ = decode_base64(&text);
        }

        #[test]
        fn anything_like_a_response_is_parsed_without_a_panic(parts in proptest::collection::vec(
            "(<|>|/|\"|=|&|;|#|!|-|ID|URI|a:|p:|d:|Assertion|Signature|SignedInfo|Reference|Subject|NameID|Status| |\\PC)",
            0..60,
        )) {
            let text = parts.concat();
            let names = format!("xmlns:p=\"{PROTOCOL}\" xmlns:a=\"{ASSERTION}\" xmlns:d=\"{SIGNATURE}\"");
            let status = format!("<p:Status><p:StatusCode Value=\"{SUCCESS}\"/></p:Status>");
            let _ = parse_response(format!("<p:Response {names} Version=\"2.0\">{status}{text}</p:Response>"));
            let assertion = format!("<a:Assertion Version=\"2.0\" ID=\"x\">{text}</a:Assertion>");
            let _ = parse_response(format!("<p:Response {names} Version=\"2.0\">{status}{assertion}</p:Response>"));
        }
    }
}
