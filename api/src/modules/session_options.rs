//! Session options of the three login modules: cookie and lifetimes.

/// Default prefix of the session cookie's name.
pub const DEFAULT_COOKIE_PREFIX: &str = "postern.";
/// The longest cookie prefix, in characters.
pub const COOKIE_PREFIX_LIMIT: usize = 64;
/// The longest time of inactivity: one year, in seconds.
pub const INACTIVITY_LIMIT: u32 = 365 * 24 * 3600;

/// The session options of one module. They stand beside its own members, not in an object of their own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SessionOptions {
    /// Whether OPTIONS requests pass without a login.
    pub options_passthrough: bool,
    /// Prefix of the session cookie's name.
    pub cookie_prefix: String,
    /// Seconds without a request after which a session ends; 0: never.
    pub inactivity_timeout: u32,
    /// Seconds after which a session ends in any case; 0: never.
    pub maximum_duration: u32,
}

/// A login module in requests and responses: session options, then its own members. Serde cannot flatten one
/// struct into another that refuses unknown members, so the options are written into each.
macro_rules! login_module {
    (
        $(#[$doc:meta])* $name:ident { $($(#[$attribute:meta])* $member:ident: $type:ty,)+ }
        $(#[$view_doc:meta])* $view:ident { $($(#[$view_attribute:meta])* $view_member:ident: $view_type:ty,)+ }
    ) => {
        $(#[$doc])*
        #[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
        #[serde(deny_unknown_fields)]
        pub struct $name {
            /// Whether the module is enabled.
            #[serde(default = "crate::module::yes", deserialize_with = "crate::module::enabled")]
            pub enabled: bool,
            /// Whether OPTIONS requests pass without a login, as CORS needs it.
            #[serde(default)]
            pub options_passthrough: bool,
            /// Prefix of the session cookie's name. Empty: the default.
            #[serde(default)]
            #[schemars(length(max = 64), regex(pattern = "^[A-Za-z0-9!#$%&'*+.^_`|~-]*$"))]
            pub cookie_prefix: String,
            /// Seconds without a request after which a session ends; 0: never.
            #[serde(default)]
            #[schemars(range(max = 31_536_000))]
            pub inactivity_timeout: u32,
            /// Seconds after which a session ends in any case; 0: never.
            #[serde(default)]
            #[schemars(range(max = 4_294_967_295_u32))]
            pub maximum_duration: u32,
            $($(#[$attribute])* pub $member: $type,)+
        }
        impl $name {
            /// The session options among its members.
            pub fn session_options(&self) -> crate::module::SessionOptions {
                crate::module::SessionOptions {
                    options_passthrough: self.options_passthrough,
                    cookie_prefix: self.cookie_prefix.clone(),
                    inactivity_timeout: self.inactivity_timeout,
                    maximum_duration: self.maximum_duration,
                }
            }
            /// Replaces the session options among its members.
            pub fn set_session_options(&mut self, options: crate::module::SessionOptions) {
                self.options_passthrough = options.options_passthrough;
                self.cookie_prefix = options.cookie_prefix;
                self.inactivity_timeout = options.inactivity_timeout;
                self.maximum_duration = options.maximum_duration;
            }
        }

        $(#[$view_doc])*
        #[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
        pub struct $view {
            /// Whether the module is enabled.
            pub enabled: bool,
            /// Whether OPTIONS requests pass without a login, as CORS needs it.
            pub options_passthrough: bool,
            /// Prefix of the session cookie's name.
            pub cookie_prefix: String,
            /// Seconds without a request after which a session ends; 0: never.
            pub inactivity_timeout: u32,
            /// Seconds after which a session ends in any case; 0: never.
            pub maximum_duration: u32,
            $($(#[$view_attribute])* pub $view_member: $view_type,)+
        }
    };
}
pub(super) use login_module;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::module::{OAuth, Oidc, Saml};

    #[test]
    fn what_is_not_said_has_its_default_in_all_three() {
        let default = SessionOptions {
            options_passthrough: false,
            cookie_prefix: String::new(),
            inactivity_timeout: 0,
            maximum_duration: 0,
        };
        let oauth: OAuth = serde_json::from_str("{}").expect("an OAuth module");
        let oidc: Oidc = serde_json::from_str("{}").expect("an OIDC module");
        let saml: Saml = serde_json::from_str("{}").expect("a SAML module");
        for options in [oauth.session_options(), oidc.session_options(), saml.session_options()] {
            assert_eq!(options, default);
        }
        assert!(oauth.enabled && oidc.enabled && saml.enabled && saml.allow_idp_initiated);
    }

    #[test]
    fn unknown_members_are_refused_in_all_three() {
        let text = r#"{"colour":"red"}"#;
        assert!(serde_json::from_str::<OAuth>(text).is_err());
        assert!(serde_json::from_str::<Oidc>(text).is_err());
        assert!(serde_json::from_str::<Saml>(text).is_err());
        for nested in [r#"{"provider":{"myspace":{}}}"#, r#"{"provider":{"google":{"teams":["a/b"]}}}"#] {
            let error = serde_json::from_str::<OAuth>(nested).expect_err(nested).to_string();
            assert!(error.starts_with("unknown field"), "{error}");
        }
        assert!(serde_json::from_str::<OAuth>(r#"{"provider":{"github":{"teams":["a/b"]}}}"#).is_ok());
    }
}
