//! Metadata of an identity provider: small, well-formed XML whose root is an `EntityDescriptor` of SAML 2.0 metadata.
//!
//! Its URL and certificate are checked at the login only: an operator may set an empty descriptor first, to get the values
//! that the identity provider needs.

use postern_api::{Code, Error, Result, checks::login::refusal, module::METADATA_DOCUMENT_LIMIT};
use roxmltree::{Document, ParsingOptions};

const FIELD: &str = "idp_metadata";
const NAMESPACE: &str = "urn:oasis:names:tc:SAML:2.0:metadata";
const MAX_NODES: u32 = 5000;
const MAX_DEPTH: usize = 64;

/// Validates a metadata document, which is stored unchanged.
pub(super) fn check(text: &str) -> Result<()> {
    if text.is_empty() {
        let sentence =
            "`idp_metadata` is needed: the XML the identity provider offers, or `<EntityDescriptor/>` for now.";
        return Err(refusal(Code::IdpMetadataMissing, FIELD, sentence));
    }
    if text.len() > METADATA_DOCUMENT_LIMIT {
        return Err(too_large(&format!("{} bytes", text.len()), &format!("{METADATA_DOCUMENT_LIMIT}")));
    }
    // Without a DTD there are only the predefined entities, and nothing is ever fetched.
    let options = ParsingOptions { allow_dtd: false, nodes_limit: MAX_NODES, ..ParsingOptions::default() };
    let document = Document::parse_with_options(text, options).map_err(|error| match error {
        roxmltree::Error::NodesLimitReached => {
            too_large(&format!("more than {MAX_NODES} elements and texts"), &MAX_NODES.to_string())
        }
        roxmltree::Error::DtdDetected => invalid("has a document type, which is refused. Remove it"),
        error => {
            let why: String = error.to_string().chars().filter(|letter| !letter.is_control()).take(200).collect();
            invalid(&format!("is not well-formed XML: {why}"))
        }
    })?;
    // The ancestors include the document node.
    if document.descendants().any(|node| node.ancestors().nth(MAX_DEPTH).is_some()) {
        return Err(too_large("elements that are nested too deeply", &MAX_DEPTH.to_string()));
    }
    let root = document.root_element().tag_name();
    if root.name() != "EntityDescriptor" || !matches!(root.namespace(), None | Some(NAMESPACE)) {
        let name: String = root.name().chars().take(80).collect();
        return Err(invalid(&format!(
            "begins with the element `{name}`, but must with an `EntityDescriptor` of SAML 2.0 metadata"
        )));
    }
    Ok(())
}

fn invalid(why: &str) -> Error {
    refusal(Code::IdpMetadataInvalid, FIELD, format!("`idp_metadata` {why}."))
}

fn too_large(what: &str, limit: &str) -> Error {
    refusal(Code::IdpMetadataTooLarge, FIELD, format!("`idp_metadata` has {what}; at most {limit} are allowed."))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn checked(text: &str) -> Result<(), Code> {
        check(text).map_err(|error| error.code)
    }

    #[test]
    fn descriptors_are_accepted_empty_or_complete() {
        for fine in [
            "<EntityDescriptor/>",
            "<EntityDescriptor></EntityDescriptor>",
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<!-- x --><EntityDescriptor xmlns=\"urn:oasis:names:tc:SAML:2.0:metadata\"/>\n",
            "\u{feff}<EntityDescriptor/>",
            r#"<md:EntityDescriptor xmlns:md="urn:oasis:names:tc:SAML:2.0:metadata" entityID="https://idp.test/&amp;&#65;">
                <md:IDPSSODescriptor><md:SingleSignOnService Location="https://idp.test/sso"/></md:IDPSSODescriptor>
               </md:EntityDescriptor>"#,
        ] {
            assert_eq!(checked(fine), Ok(()), "{fine}");
        }
    }

    #[test]
    fn other_documents_are_refused() {
        assert_eq!(checked(""), Err(Code::IdpMetadataMissing));
        for wrong in [
            "x",
            " ",
            "<EntityDescriptor>",
            "<EntityDescriptor/><EntityDescriptor/>",
            "<EntityDescriptor/>x",
            "<EntityDescriptor></entitydescriptor>",
            "<EntitiesDescriptor><EntityDescriptor/></EntitiesDescriptor>",
            "<EntityDescriptor xmlns=\"urn:other\"/>",
            "<md:EntityDescriptor/>",
            "<EntityDescriptor a=\"1\" a=\"2\"/>",
            "<EntityDescriptor>&unknown;</EntityDescriptor>",
            "<EntityDescriptor>\u{1}</EntityDescriptor>",
            "<!DOCTYPE EntityDescriptor><EntityDescriptor/>",
            "<!DOCTYPE x [<!ENTITY a \"b\">]><EntityDescriptor>&a;</EntityDescriptor>",
            "<!DOCTYPE x SYSTEM \"file:///etc/passwd\"><EntityDescriptor/>",
            "<!DOCTYPE x [<!ENTITY a SYSTEM \"file:///etc/passwd\">]><EntityDescriptor>&a;</EntityDescriptor>",
            "{\"json\": true}",
        ] {
            assert_eq!(checked(wrong), Err(Code::IdpMetadataInvalid), "{wrong}");
        }
    }

    #[test]
    fn size_nodes_and_depth_are_bounded() {
        let wrap = |inner: &str| format!("<EntityDescriptor>{inner}</EntityDescriptor>");
        let padding = METADATA_DOCUMENT_LIMIT - wrap("").len();
        assert_eq!(checked(&wrap(&" ".repeat(padding))), Ok(()));
        let nested = |depth: usize| wrap(&format!("{}{}", "<a>".repeat(depth), "</a>".repeat(depth)));
        assert_eq!(checked(&nested(60)), Ok(()));
        for large in [
            wrap(&" ".repeat(padding + 1)),
            wrap(&"<a/>".repeat(5000)),
            nested(64),
            nested(4900),
            wrap(&"<a>".repeat(30_000)),
        ] {
            assert_eq!(checked(&large), Err(Code::IdpMetadataTooLarge), "{} bytes", large.len());
        }
    }

    proptest! {
        #[test]
        fn any_text_is_checked_without_a_panic(text in "\\PC{0,200}") {
            let _ = checked(&text);
            let _ = checked(&format!("<EntityDescriptor>{text}</EntityDescriptor>"));
        }

        #[test]
        fn anything_like_xml_is_checked_without_a_panic(parts in proptest::collection::vec("(<|>|/|\"|=|&|;|#|!|\\?|-|\\[|\\]|xmlns|:|a| |EntityDescriptor|DOCTYPE|CDATA|\\PC)", 0..40)) {
            let _ = checked(&parts.concat());
        }
    }
}
