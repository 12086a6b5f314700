//! The OAuth module: visitors log in with an account at an OAuth provider.

use super::session_options::login_module;
use crate::{Secret, module::Module, published::Login};
use schemars::{JsonSchema, Schema, json_schema};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// The most scopes one login may ask for.
pub const SCOPE_LIMIT: usize = 50;
/// The longest scope, in characters.
pub const SCOPE_LENGTH: usize = 256;
/// Limit of entries in each access list.
pub const ADMITTED_LIMIT: usize = 100;
/// The longest client id or secret, in characters.
pub const CLIENT_LENGTH: usize = 512;
/// Shortest interval between two checks of a user in seconds; 0 disables checks after the login.
pub const SHORTEST_CHECK: u32 = 10;
/// The longest, one year.
pub const LONGEST_CHECK: u32 = 365 * 24 * 3600;

login_module! {
    /// Allows visitors who log in with the provider and are on one of its lists.
    OAuth {
        /// Provider and its access lists.
        #[serde(default)]
        #[schemars(!default)]
        provider: OAuthProvider,
        /// Seconds after which the user's access is checked again at the provider; 0: only at the login.
        #[serde(default)]
        #[schemars(schema_with = "check_interval")]
        auth_check_interval: u32,
    }
    /// The OAuth module in responses.
    OAuthView {
        /// Provider and its access lists.
        provider: OAuthProviderView,
        /// Seconds after which the user's access is checked again at the provider; 0: only at the login.
        auth_check_interval: u32,
    }
}

/// Configuration of one provider in requests and responses: common members, then its own.
macro_rules! login {
    ($(#[$doc:meta])* $name:ident / $view:ident { $($(#[$member_doc:meta])* $member:ident ($($rule:tt)+),)* }) => {
        $(#[$doc])*
        #[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
        #[serde(deny_unknown_fields)]
        pub struct $name {
            /// The id of an OAuth app of one's own. Empty: the one the server's operator configured.
            #[serde(default)]
            #[schemars(length(max = 512))]
            pub client_id: String,
            /// The secret of that app.
            #[serde(default)]
            #[schemars(length(max = 512))]
            pub client_secret: Secret,
            /// OAuth scopes; only with an own OAuth app. Scopes that the login needs are added.
            #[serde(default)]
            #[schemars(length(max = 50), inner(length(min = 1, max = 256), regex(pattern = "^[!#-\\[\\]-~]+$")))]
            pub scopes: Vec<String>,
            /// The e-mail addresses that may come in.
            #[serde(default)]
            #[schemars(length(max = 100), inner(email, length(max = 254)))]
            pub email_addresses: Vec<String>,
            /// The domains whose e-mail addresses may come in.
            #[serde(default)]
            #[schemars(length(max = 100), inner(length(min = 1, max = 253)))]
            pub email_domains: Vec<String>,
            $(
                $(#[$member_doc])*
                #[serde(default)]
                #[schemars($($rule)+)]
                pub $member: Vec<String>,
            )*
        }
        impl $name {
            /// Common members of all providers.
            pub fn common(&mut self) -> LoginMembers<'_> {
                LoginMembers {
                    client_id: &mut self.client_id,
                    client_secret: &mut self.client_secret,
                    scopes: &mut self.scopes,
                    email_addresses: &mut self.email_addresses,
                    email_domains: &mut self.email_domains,
                }
            }
        }

        /// A provider in responses.
        #[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
        pub struct $view {
            /// The id of the OAuth app. Empty: the one the server's operator configured.
            pub client_id: String,
            /// The secret of that app.
            pub client_secret: Secret,
            /// OAuth scopes.
            pub scopes: Vec<String>,
            /// The e-mail addresses that may come in.
            pub email_addresses: Vec<String>,
            /// The domains whose e-mail addresses may come in.
            pub email_domains: Vec<String>,
            $($(#[$member_doc])* pub $member: Vec<String>,)*
        }
        impl From<$name> for $view {
            fn from(login: $name) -> Self {
                $view {
                    client_id: login.client_id,
                    client_secret: login.client_secret,
                    scopes: login.scopes,
                    email_addresses: login.email_addresses,
                    email_domains: login.email_domains,
                    $($member: login.$member,)*
                }
            }
        }
    };
}

login! {
    /// A provider and its access lists: everyone if both lists are empty, else the members of either.
    OAuthLogin / OAuthLoginView {}
}
login! {
    /// GitHub and its access lists: everyone if all lists are empty, else the members of any.
    GithubLogin / GithubLoginView {
        /// Teams, `<org>/<team>` or the number of a team, whose members may come in.
        teams(length(max = 100), inner(regex(pattern = "^([A-Za-z0-9-]{1,100}/[A-Za-z0-9._-]{1,100}|[0-9]{1,20})$"))),
        /// Organizations whose members may come in.
        organizations(length(max = 100), inner(regex(pattern = "^[A-Za-z0-9-]{1,100}$"))),
    }
}

/// The providers, as they are put and as they are shown.
macro_rules! providers {
    ($($(#[$doc:meta])* $name:ident: $login:ident / $view:ident = $identity:ident,)+) => {
        /// The providers; exactly one is configured.
        #[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
        #[serde(deny_unknown_fields, default)]
        pub struct OAuthProvider {
            $($(#[$doc])* pub $name: Option<$login>,)+
        }

        /// The providers as they are shown: those that are not configured are null.
        #[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
        pub struct OAuthProviderView {
            $($(#[$doc])* pub $name: Option<$view>,)+
        }

        impl OAuthProvider {
            /// The providers that are configured.
            pub fn configured(&mut self) -> Vec<(IdentityProvider, LoginMembers<'_>)> {
                let all = [$((IdentityProvider::$identity, self.$name.as_mut().map(|login| login.common())),)+];
                all.into_iter().filter_map(|(provider, login)| Some((provider, login?))).collect()
            }
        }

        impl From<OAuthProvider> for OAuthProviderView {
            fn from(provider: OAuthProvider) -> Self {
                OAuthProviderView { $($name: provider.$name.map(Into::into),)+ }
            }
        }
    };
}

providers! {
    /// GitHub.
    github: GithubLogin / GithubLoginView = Github,
    /// Facebook.
    facebook: OAuthLogin / OAuthLoginView = Facebook,
    /// Microsoft.
    microsoft: OAuthLogin / OAuthLoginView = Microsoft,
    /// Google.
    google: OAuthLogin / OAuthLoginView = Google,
    /// LinkedIn.
    linkedin: OAuthLogin / OAuthLoginView = Linkedin,
    /// GitLab.
    gitlab: OAuthLogin / OAuthLoginView = Gitlab,
    /// Twitch.
    twitch: OAuthLogin / OAuthLoginView = Twitch,
    /// Amazon.
    amazon: OAuthLogin / OAuthLoginView = Amazon,
}

/// The members that the configuration of every provider has.
#[derive(Debug)]
pub struct LoginMembers<'a> {
    /// The id of the app.
    pub client_id: &'a mut String,
    /// Its secret.
    pub client_secret: &'a mut Secret,
    /// Scopes.
    pub scopes: &'a mut Vec<String>,
    /// Allowed.
    pub email_addresses: &'a mut Vec<String>,
    /// From which domains one may come in.
    pub email_domains: &'a mut Vec<String>,
}

/// OAuth providers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum IdentityProvider {
    /// github.com
    Github,
    /// facebook.com
    Facebook,
    /// Microsoft accounts and tenants
    Microsoft,
    /// Google accounts
    Google,
    /// linkedin.com
    Linkedin,
    /// gitlab.com
    Gitlab,
    /// twitch.tv
    Twitch,
    /// amazon.com
    Amazon,
}

impl IdentityProvider {
    /// All of them.
    pub const ALL: [IdentityProvider; 8] = [
        Self::Github,
        Self::Facebook,
        Self::Microsoft,
        Self::Google,
        Self::Linkedin,
        Self::Gitlab,
        Self::Twitch,
        Self::Amazon,
    ];

    /// Its name in configurations.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Github => "github",
            Self::Facebook => "facebook",
            Self::Microsoft => "microsoft",
            Self::Google => "google",
            Self::Linkedin => "linkedin",
            Self::Gitlab => "gitlab",
            Self::Twitch => "twitch",
            Self::Amazon => "amazon",
        }
    }

    /// Scopes that a login needs to identify the person.
    pub const fn minimum_scopes(self) -> &'static [&'static str] {
        match self {
            Self::Github => &["read:user", "read:org"],
            Self::Google => {
                &["https://www.googleapis.com/auth/userinfo.email", "https://www.googleapis.com/auth/userinfo.profile"]
            }
            Self::Microsoft => &["User.Read", "offline_access"],
            Self::Facebook => &["email"],
            // The older `r_liteprofile` and `r_emailaddress` are no longer granted to new apps.
            Self::Linkedin | Self::Gitlab => &["openid", "profile", "email"],
            Self::Twitch => &["user:read:email"],
            Self::Amazon => &["profile"],
        }
    }
}

impl std::fmt::Display for IdentityProvider {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}

fn check_interval(_: &mut schemars::SchemaGenerator) -> Schema {
    json_schema!({
        "type": "integer",
        "format": "uint32",
        "anyOf": [{ "const": 0 }, { "minimum": SHORTEST_CHECK, "maximum": LONGEST_CHECK }],
        "default": 0,
    })
}

impl Module for OAuth {
    const NAME: &'static str = "oauth";
    const IS_LOGIN: bool = true;
    type View = OAuthView;
    type Published = Arc<Login>;

    fn is_enabled(&self) -> bool {
        self.enabled
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn all_eight_members_are_shown_and_the_secret_is_echoed_but_not_printed() {
        let said = json!({"provider": {"google": {"client_id": "app", "client_secret": "planted"}}});
        let module: OAuth = serde_json::from_value(said).expect("an OAuth module");
        assert!(!format!("{module:?}").contains("planted"));
        let shown = serde_json::to_value(OAuthProviderView::from(module.provider)).expect("shown");
        let shown = json!({ "provider": shown });
        let members = shown["provider"].as_object().expect("an object");
        for provider in IdentityProvider::ALL {
            assert!(members.contains_key(provider.name()), "{provider}");
            assert_eq!(members[provider.name()].is_null(), provider != IdentityProvider::Google, "{provider}");
            assert_eq!(json!(provider), json!(provider.name()));
        }
        assert_eq!(members.len(), 8);
        let lists = json!({"client_id": "app", "client_secret": "planted", "scopes": [], "email_addresses": [], "email_domains": []});
        assert_eq!(members["google"], lists);
    }

    #[test]
    fn each_provider_is_found_under_its_own_name() {
        for provider in IdentityProvider::ALL {
            let mut found: OAuthProvider =
                serde_json::from_value(json!({provider.name(): {"client_id": "x"}})).expect("a provider");
            let configured: Vec<_> = found.configured().into_iter().map(|(provider, _)| provider).collect();
            assert_eq!(configured, [provider]);
        }
    }
}
