//! The metadata of an identity provider: small, well-formed XML whose root is an EntityDescriptor.
//!
//! Whether it names an address and a certificate is seen at the login: who sets a route up may give an empty
//! descriptor first, to learn what the identity provider must be told.

use postern_api::{Code, Error, Result, checks::login::refusal, module::METADATA_DOCUMENT_LIMIT};
use roxmltree::{Document, ParsingOptions};

const FIELD: &str = "idp_metadata";
const NAMESPACE: &str = "urn:oasis:names:tc:SAML:2.0:metadata";
const NODE_LIMIT: u32 = 5000;
const DEPTH_LIMIT: usize = 64;

/// Judges a metadata document. It is kept as it was given.
pub(super) fn check(text: &str) -> Result<()> {
    if text.is_empty() {
        let sentence =
            "`idp_metadata` is needed: the XML the identity provider offers, or `<EntityDescriptor/>` for now.";
        return Err(refusal(Code::IdpMetadataMissing, FIELD, sentence));
    }
    if text.len() > METADATA_DOCUMENT_LIMIT {
        return Err(too_large(&format!("{} bytes", text.len()), &format!("{METADATA_DOCUMENT_LIMIT}")));
    }
    // Without document types there are no entities but those of XML itself, and nothing is ever fetched.
    let options = ParsingOptions { allow_dtd: false, nodes_limit: NODE_LIMIT, ..ParsingOptions::default() };
    let document = Document::parse_with_options(text, options).map_err(|error| match error {
        roxmltree::Error::NodesLimitReached => {
            too_large(&format!("more than {NODE_LIMIT} elements and texts"), &NODE_LIMIT.to_string())
        }
        roxmltree::Error::DtdDetected => invalid("has a document type, which is refused. Remove it"),
        error => {
            let why: String = error.to_string().chars().filter(|letter| !letter.is_control()).take(200).collect();
            invalid(&format!("is not well-formed XML: {why}"))
        }
    })?;
    // The document itself and the root's parents count too, and never reach the limit by themselves.
    if document.descendants().any(|node| node.ancestors().nth(DEPTH_LIMIT).is_some()) {
        return Err(too_large("more elements within each other than is sensible", &DEPTH_LIMIT.to_string()));
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

    fn judged(text: &str) -> Result<(), Code> {
        check(text).map_err(|error| error.code)
    }

    #[test]
    fn descriptors_are_taken_empty_or_whole() {
        for fine in [
            "<EntityDescriptor/>",
            "<EntityDescriptor></EntityDescriptor>",
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<!-- x --><EntityDescriptor xmlns=\"urn:oasis:names:tc:SAML:2.0:metadata\"/>\n",
            "\u{feff}<EntityDescriptor/>",
            r#"<md:EntityDescriptor xmlns:md="urn:oasis:names:tc:SAML:2.0:metadata" entityID="https://idp.test/&amp;&#65;">
                <md:IDPSSODescriptor><md:SingleSignOnService Location="https://idp.test/sso"/></md:IDPSSODescriptor>
               </md:EntityDescriptor>"#,
        ] {
            assert_eq!(judged(fine), Ok(()), "{fine}");
        }
    }

    #[test]
    fn what_is_no_descriptor_is_refused() {
        assert_eq!(judged(""), Err(Code::IdpMetadataMissing));
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
            assert_eq!(judged(wrong), Err(Code::IdpMetadataInvalid), "{wrong}");
        }
    }

    #[test]
    fn size_nodes_and_depth_are_bounded() {
        let wrap = |inner: &str| format!("<EntityDescriptor>{inner}</EntityDescriptor>");
        let padding = METADATA_DOCUMENT_LIMIT - wrap("").len();
        assert_eq!(judged(&wrap(&" ".repeat(padding))), Ok(()));
        let nested = |depth: usize| wrap(&format!("{}{}", "<a>".repeat(depth), "</a>".repeat(depth)));
        assert_eq!(judged(&nested(60)), Ok(()));
        for large in [
            wrap(&" ".repeat(padding + 1)),
            wrap(&"<a/>".repeat(5000)),
            nested(64),
            nested(4900),
            wrap(&"<a>".repeat(30_000)),
        ] {
            assert_eq!(judged(&large), Err(Code::IdpMetadataTooLarge), "{} bytes", large.len());
        }
    }

    proptest! {
        #[test]
        fn any_text_is_judged_without_a_panic(text in "\\PC{0,200}") {
            let _ = judged(&text);
            let _ = judged(&format!("<EntityDescriptor>{text}</EntityDescriptor>"));
        }

        #[test]
        fn anything_like_xml_is_judged_without_a_panic(parts in proptest::collection::vec("(<|>|/|\"|=|&|;|#|!|\\?|-|\\[|\\]|xmlns|:|a| |EntityDescriptor|DOCTYPE|CDATA|\\PC)", 0..40)) {
            let _ = judged(&parts.concat());
        }
    }
}
