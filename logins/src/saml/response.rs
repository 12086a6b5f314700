//! A SAML response as it must look before any key is asked: one assertion, each id once, each signature about the
//! element it stands in, nothing hidden. Only such a response reaches the library, and what is told of a person is
//! read from this one tree.

use base64::{Engine, engine::general_purpose::STANDARD};
use postern_api::{Code, Error};
use roxmltree::{Document, Node, NodeType, ParsingOptions};
use std::collections::HashSet;

pub(super) const ASSERTION: &str = "urn:oasis:names:tc:SAML:2.0:assertion";
const PROTOCOL: &str = "urn:oasis:names:tc:SAML:2.0:protocol";
const SIGNATURE: &str = "http://www.w3.org/2000/09/xmldsig#";
const SUCCESS: &str = "urn:oasis:names:tc:SAML:2.0:status:Success";
const BEARER: &str = "urn:oasis:names:tc:SAML:2.0:cm:bearer";
/// Signatures are RSA with SHA-2; other ways to sign are not taken, even where a key would fit.
pub(super) const ALGORITHMS: [&str; 3] = [
    "http://www.w3.org/2001/04/xmldsig-more#rsa-sha256",
    "http://www.w3.org/2001/04/xmldsig-more#rsa-sha384",
    "http://www.w3.org/2001/04/xmldsig-more#rsa-sha512",
];
const DIGESTS: [&str; 3] = [
    "http://www.w3.org/2001/04/xmlenc#sha256",
    "http://www.w3.org/2001/04/xmldsig-more#sha384",
    "http://www.w3.org/2001/04/xmlenc#sha512",
];

/// In bytes of XML.
const LARGEST: usize = 256 * 1024;
const MOST_NODES: u32 = 5000;
const DEEPEST: usize = 64;
/// Values of one assertion; more than that nobody needs to be told.
const MOST_VALUES: usize = 1000;

/// What a response says. It may be relied on once the library has found its signature to be right.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Told {
    /// The whole document.
    pub(super) xml: String,
    /// How many signatures it has: each must be found right.
    pub(super) signatures: usize,
    /// Whose words these are: of the response, where it says so, and of the assertion.
    pub(super) issuers: Vec<String>,
    /// The request that it answers.
    pub(super) in_response_to: Option<String>,
    /// Where it was sent.
    pub(super) destination: Option<String>,
    pub(super) assertion: String,
    pub(super) issued: String,
    pub(super) name_id: String,
    pub(super) name_id_format: String,
    pub(super) confirmations: Vec<Confirmation>,
    /// Not before, not on or after.
    pub(super) window: (Option<String>, Option<String>),
    /// Those it is made out to: one of each list is meant.
    pub(super) audiences: Vec<Vec<String>>,
    pub(super) session: String,
    /// Attributes by name, with their values.
    pub(super) attributes: Vec<(String, Vec<String>)>,
}

/// Whoever brings the assertion is the person, if all of this holds.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Confirmation {
    pub(super) recipient: Option<String>,
    pub(super) in_response_to: Option<String>,
    pub(super) not_on_or_after: Option<String>,
}

/// Undoes the encoding of a message in a form.
pub(super) fn decode(field: &str) -> Result<String, Error> {
    let text: Vec<u8> = field.bytes().filter(|byte| !byte.is_ascii_whitespace()).collect();
    if text.len() > LARGEST.div_ceil(3) * 4 {
        return Err(unreadable(&format!("is larger than {LARGEST} bytes")));
    }
    let bytes = STANDARD.decode(text).map_err(|_| unreadable("is not Base64"))?;
    String::from_utf8(bytes).map_err(|_| unreadable("is not UTF-8"))
}

/// Parses a message in which nothing can hide: no document type, no comment, no processing instruction.
pub(super) fn parse(xml: &str) -> Result<Document<'_>, Error> {
    let options = ParsingOptions { allow_dtd: false, nodes_limit: MOST_NODES, ..ParsingOptions::default() };
    let document = Document::parse_with_options(xml, options).map_err(|error| match error {
        roxmltree::Error::DtdDetected => unreadable("has a document type"),
        roxmltree::Error::NodesLimitReached => unreadable("has too many elements"),
        _ => unreadable("is not well-formed XML"),
    })?;
    if document.descendants().any(|node| matches!(node.node_type(), NodeType::Comment | NodeType::PI)) {
        return Err(unreadable("has a comment or a processing instruction in it"));
    }
    if document.descendants().any(|node| node.ancestors().nth(DEEPEST).is_some()) {
        return Err(unreadable("has elements too deep within each other"));
    }
    let mut ids = HashSet::new();
    let mut named = document.descendants().flat_map(|node| node.attributes());
    if !named.all(|attribute| !attribute.name().eq_ignore_ascii_case("id") || ids.insert(attribute.value())) {
        return Err(unreadable("has the same id twice"));
    }
    Ok(document)
}

/// Reads a response.
pub(super) fn read(xml: String) -> Result<Told, Error> {
    let mut told = {
        let document = parse(&xml)?;
        let root = document.root_element();
        if !root.has_tag_name((PROTOCOL, "Response")) || root.attribute("Version") != Some("2.0") {
            return Err(unreadable("is no response of SAML 2.0"));
        }
        successful(root)?;
        let assertion = the_assertion(root)?;
        let signatures = signatures(root, assertion)?;
        let mut told = about(assertion)?;
        told.signatures = signatures;
        if let Some(issuer) = at_most_one(root, ASSERTION, "Issuer")? {
            told.issuers.push(text(issuer)?);
        }
        told.in_response_to = owned(root, "InResponseTo");
        told.destination = owned(root, "Destination");
        told
    };
    told.xml = xml;
    Ok(told)
}

/// Whether the identity provider let the person in.
fn successful(root: Node<'_, '_>) -> Result<(), Error> {
    let status = one(root, PROTOCOL, "Status")?;
    let code = one(status, PROTOCOL, "StatusCode")?;
    if code.attribute("Value") == Some(SUCCESS) {
        return Ok(());
    }
    let inner = at_most_one(code, PROTOCOL, "StatusCode")?;
    let value = inner.unwrap_or(code).attribute("Value").unwrap_or_default();
    let why: String =
        value.rsplit(':').next().unwrap_or_default().chars().filter(char::is_ascii_alphanumeric).collect();
    let why = if why.is_empty() { "no reason" } else { why.get(..60).unwrap_or(&why) };
    let sentence = format!(
        "The identity provider did not let you in (`{why}`). Log in again, or ask who runs the identity provider."
    );
    Err(Error::new(Code::SamlStatus, sentence))
}

fn the_assertion<'a, 'input>(root: Node<'a, 'input>) -> Result<Node<'a, 'input>, Error> {
    let named = |name: &'static str| root.descendants().filter(move |node| node.tag_name().name() == name);
    if named("EncryptedAssertion").next().is_some() || named("EncryptedID").next().is_some() {
        let sentence = "The identity provider encrypted its answer, which is not supported. Who runs it must switch \
                        the encryption of assertions off for this address; the way there is encrypted already.";
        return Err(Error::new(Code::SamlEncrypted, sentence));
    }
    let mut found = named("Assertion");
    match (found.next(), found.next()) {
        (Some(assertion), None)
            if assertion.has_tag_name((ASSERTION, "Assertion"))
                && assertion.parent() == Some(root)
                && assertion.attribute("Version") == Some("2.0") =>
        {
            Ok(assertion)
        }
        _ => {
            let sentence = "The answer of the identity provider must have exactly one assertion, directly within the \
                            response. Tell who runs the identity provider.";
            Err(Error::new(Code::SamlAssertions, sentence))
        }
    }
}

/// Counts the signatures. Each is a child of what it signs, once, and signs nothing else.
fn signatures(root: Node<'_, '_>, assertion: Node<'_, '_>) -> Result<usize, Error> {
    let mut count = 0;
    for signature in root.descendants().filter(|node| node.tag_name().name() == "Signature") {
        let about = signature.parent().filter(|parent| *parent == root || *parent == assertion);
        let about = about.filter(|_| signature.tag_name().namespace() == Some(SIGNATURE)).ok_or_else(misplaced)?;
        if about.children().filter(|node| node.tag_name().name() == "Signature").count() != 1 {
            return Err(misplaced());
        }
        let info = one(signature, SIGNATURE, "SignedInfo")?;
        let reference = one(info, SIGNATURE, "Reference")?;
        let id = about.attribute("ID").filter(|id| !id.is_empty()).ok_or_else(misplaced)?;
        if reference.attribute("URI").and_then(|uri| uri.strip_prefix('#')) != Some(id) {
            return Err(misplaced());
        }
        if elements(signature, SIGNATURE, "Object").next().is_some() {
            return Err(misplaced());
        }
        let method = one(info, SIGNATURE, "SignatureMethod")?.attribute("Algorithm").unwrap_or_default();
        let digest = one(reference, SIGNATURE, "DigestMethod")?.attribute("Algorithm").unwrap_or_default();
        if !ALGORITHMS.contains(&method) || !DIGESTS.contains(&digest) {
            return Err(weak());
        }
        count += 1;
    }
    if count == 0 {
        let sentence = "The answer of the identity provider is not signed. Who runs it must have it sign assertions.";
        return Err(Error::new(Code::SamlSignature, sentence));
    }
    Ok(count)
}

/// Reads the assertion.
fn about(assertion: Node<'_, '_>) -> Result<Told, Error> {
    let subject = one(assertion, ASSERTION, "Subject")?;
    let name_id = at_most_one(subject, ASSERTION, "NameID")?.ok_or_else(|| {
        Error::new(Code::SamlNameId, "The identity provider did not say who you are (`NameID`). Tell who runs it.")
    })?;
    let mut statements = elements(assertion, ASSERTION, "AuthnStatement");
    let (Some(statement), None) = (statements.next(), statements.next()) else {
        let sentence = "The identity provider must say exactly once that you have logged in (`AuthnStatement`). Tell \
                        who runs it.";
        return Err(Error::new(Code::SamlStatements, sentence));
    };
    let conditions = one(assertion, ASSERTION, "Conditions")?;
    let mut audiences = Vec::new();
    for restriction in elements(conditions, ASSERTION, "AudienceRestriction") {
        audiences.push(elements(restriction, ASSERTION, "Audience").map(text).collect::<Result<Vec<_>, _>>()?);
    }
    let mut confirmations = Vec::new();
    for confirmation in elements(subject, ASSERTION, "SubjectConfirmation") {
        if confirmation.attribute("Method") == Some(BEARER) {
            let data = one(confirmation, ASSERTION, "SubjectConfirmationData")?;
            confirmations.push(Confirmation {
                recipient: owned(data, "Recipient"),
                in_response_to: owned(data, "InResponseTo"),
                not_on_or_after: owned(data, "NotOnOrAfter"),
            });
        }
    }
    let named = text(name_id)?;
    if named.trim().is_empty() || named.len() > 1024 {
        let sentence =
            "The name that the identity provider gave you (`NameID`) is empty or too long. Tell who runs it.";
        return Err(Error::new(Code::SamlNameId, sentence));
    }
    Ok(Told {
        issuers: vec![text(one(assertion, ASSERTION, "Issuer")?)?],
        assertion: owned(assertion, "ID").unwrap_or_default(),
        issued: owned(assertion, "IssueInstant").unwrap_or_default(),
        name_id: named,
        name_id_format: owned(name_id, "Format").unwrap_or_default(),
        confirmations,
        window: (owned(conditions, "NotBefore"), owned(conditions, "NotOnOrAfter")),
        audiences,
        session: owned(statement, "SessionIndex").unwrap_or_default(),
        attributes: attributes(assertion),
        ..Told::default()
    })
}

fn attributes(assertion: Node<'_, '_>) -> Vec<(String, Vec<String>)> {
    let mut room = MOST_VALUES;
    let mut attributes = Vec::new();
    for statement in elements(assertion, ASSERTION, "AttributeStatement") {
        for attribute in elements(statement, ASSERTION, "Attribute") {
            // Values that are more than text are nothing that could be told.
            let values: Vec<String> = elements(attribute, ASSERTION, "AttributeValue")
                .filter_map(|value| text(value).ok())
                .take(room)
                .collect();
            room -= values.len();
            attributes.push((owned(attribute, "Name").unwrap_or_default(), values));
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

fn at_most_one<'a, 'input>(
    node: Node<'a, 'input>,
    namespace: &'static str,
    name: &'static str,
) -> Result<Option<Node<'a, 'input>>, Error> {
    let mut found = elements(node, namespace, name);
    match (found.next(), found.next()) {
        (first, None) => Ok(first),
        _ => Err(unreadable(&format!("has more than one `{name}` where one may be"))),
    }
}

fn one<'a, 'input>(
    node: Node<'a, 'input>,
    namespace: &'static str,
    name: &'static str,
) -> Result<Node<'a, 'input>, Error> {
    at_most_one(node, namespace, name)?.ok_or_else(|| unreadable(&format!("lacks `{name}`")))
}

/// The text of an element that holds nothing but text.
pub(super) fn text(node: Node<'_, '_>) -> Result<String, Error> {
    if node.children().any(|child| !child.is_text()) {
        return Err(unreadable(&format!("has elements within `{}`", node.tag_name().name())));
    }
    Ok(node.children().filter_map(|child| child.text()).collect::<String>().trim().to_owned())
}

fn owned(node: Node<'_, '_>, name: &str) -> Option<String> {
    node.attribute(name).map(str::to_owned)
}

fn misplaced() -> Error {
    let sentence = "A signature in the answer of the identity provider is not that of the element it stands in. Log in \
                    again; if it happens again, tell who runs the identity provider.";
    Error::new(Code::SamlSignature, sentence)
}

/// The refusal of old ways to sign.
pub(super) fn weak() -> Error {
    let sentence = "The identity provider signs in a way that is not taken. Who runs it must choose RSA with SHA-256, \
                    SHA-384 or SHA-512 for signatures and digests.";
    Error::new(Code::SamlAlgorithm, sentence)
}

/// The refusal of what makes no sense.
pub(super) fn unreadable(why: &str) -> Error {
    let sentence =
        format!("What the identity provider sent {why}. Log in again; if it happens again, tell who runs it.");
    Error::new(Code::SamlUnreadable, sentence)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn any_text_is_read_without_a_panic(text in "\\PC{0,200}") {
            prop_assert!(read(text.clone()).is_err());
            let within = format!("<Response xmlns=\"{PROTOCOL}\" Version=\"2.0\">{text}</Response>");
            prop_assert!(read(within).is_err());
            let _ = decode(&text);
        }

        #[test]
        fn anything_like_a_response_is_read_without_a_panic(parts in proptest::collection::vec(
            "(<|>|/|\"|=|&|;|#|!|-|ID|URI|a:|p:|d:|Assertion|Signature|SignedInfo|Reference|Subject|NameID|Status| |\\PC)",
            0..60,
        )) {
            let text = parts.concat();
            let names = format!("xmlns:p=\"{PROTOCOL}\" xmlns:a=\"{ASSERTION}\" xmlns:d=\"{SIGNATURE}\"");
            let status = format!("<p:Status><p:StatusCode Value=\"{SUCCESS}\"/></p:Status>");
            let _ = read(format!("<p:Response {names} Version=\"2.0\">{status}{text}</p:Response>"));
            let assertion = format!("<a:Assertion Version=\"2.0\" ID=\"x\">{text}</a:Assertion>");
            let _ = read(format!("<p:Response {names} Version=\"2.0\">{status}{assertion}</p:Response>"));
        }
    }
}
