//! The SAML module: visitors log in with the identity provider of an organization.

use super::session_options::login_module;
use crate::{
    module::{Module, enabled, yes},
    published::Login,
};
use std::sync::Arc;

/// The largest metadata document, in bytes.
pub const METADATA_DOCUMENT_LIMIT: usize = 128 << 10;
/// The most groups that may be named.
pub const GROUP_LIMIT: usize = 100;
/// The longest name of a group, in characters.
pub const GROUP_LENGTH: usize = 256;
/// The name identifier formats that are understood; the first is the default.
pub const NAMEID_FORMATS: [&str; 4] = [
    "urn:oasis:names:tc:SAML:2.0:nameid-format:persistent",
    "urn:oasis:names:tc:SAML:2.0:nameid-format:transient",
    "urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress",
    "urn:oasis:names:tc:SAML:1.1:nameid-format:unspecified",
];

login_module! {
    /// Allows visitors that the identity provider authenticates.
    Saml {
        /// The identity provider's EntityDescriptor, the whole XML; at most 128 KiB.
        #[serde(default)]
        #[schemars(!default, length(min = 1, max = 131_072))]
        idp_metadata: String,
        /// Whether the provider must ask for the password again at every login.
        #[serde(default)]
        force_authn: bool,
        /// Whether a login may start at the provider. Default: true.
        #[serde(default = "yes", deserialize_with = "enabled")]
        allow_idp_initiated: bool,
        /// The groups whose members may come in. Empty: everybody.
        #[serde(default)]
        #[schemars(length(max = 100), inner(length(min = 1, max = 256)))]
        authorized_groups: Vec<String>,
        /// Name identifier format. Empty: the default, `urn:oasis:names:tc:SAML:2.0:nameid-format:persistent`.
        #[serde(default)]
        #[schemars(extend("enum" = formats()))]
        nameid_format: String,
    }
    /// The SAML module in responses, with the settings for the identity provider.
    SamlView {
        /// The identity provider's EntityDescriptor, as it was given.
        idp_metadata: String,
        /// Always empty: metadata is uploaded, not fetched.
        idp_metadata_url: String,
        /// Whether the provider must ask for the password again at every login.
        force_authn: bool,
        /// Whether a login may begin at the provider.
        allow_idp_initiated: bool,
        /// The groups whose members may come in. Empty: everybody.
        authorized_groups: Vec<String>,
        /// Name identifier format.
        nameid_format: String,
        /// Entity id of this route at the identity provider.
        entity_id: String,
        /// Assertion consumer service URL.
        assertion_consumer_service_url: String,
        /// Single logout URL.
        single_logout_url: String,
        /// Certificate of the key that signs messages to the identity provider.
        request_signing_certificate_pem: String,
        /// URL of the service provider metadata; equal to `entity_id`.
        metadata_url: String,
    }
}

impl Module for Saml {
    const NAME: &'static str = "saml";
    const IS_LOGIN: bool = true;
    type View = SamlView;
    type Published = Arc<Login>;

    fn is_enabled(&self) -> bool {
        self.enabled
    }
}

fn formats() -> Vec<&'static str> {
    NAMEID_FORMATS.into_iter().chain([""]).collect()
}
