//! The properties of each OAuth provider: endpoints, userinfo format and quirks.

use crate::provider_client::parse_url;
use postern_api::{Secret, module::IdentityProvider};
use std::collections::BTreeMap;

/// Endpoints of a provider; those it does not have are empty.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OAuthEndpoints {
    /// Authorization endpoint, to which visitors are redirected.
    pub authorization: String,
    /// Token endpoint.
    pub token: String,
    /// Description of the user.
    pub user: String,
    /// E-mail addresses, if `user` does not say which are verified.
    pub emails: String,
    /// Organizations of the user.
    pub organizations: String,
    /// Teams of the user.
    pub teams: String,
}

/// The operator's settings for a provider.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OAuthProvider {
    /// Id and secret of the operator's client, for modules without their own.
    pub app: Option<(String, Secret)>,
    /// Overrides of the default endpoints; empty ones keep the default.
    pub endpoints: OAuthEndpoints,
    /// Tenants whose e-mail addresses count as verified.
    pub tenants: Vec<String>,
}

/// The operator's settings, by provider.
pub type OAuthProviders = BTreeMap<IdentityProvider, OAuthProvider>;

/// The form in which a provider describes a user.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum UserInfoFormat {
    /// The userinfo response of OpenID Connect Core.
    Userinfo,
    Github,
    Microsoft,
    Facebook,
    Twitch,
    Amazon,
}

/// The properties of a provider.
pub(super) struct ProviderProfile {
    pub(super) endpoints: OAuthEndpoints,
    pub(super) userinfo_format: UserInfoFormat,
    /// Whether the provider supports PKCE; others ignore or reject it.
    pub(super) pkce: bool,
    /// Additional parameters of the authorization URL.
    pub(super) extra_parameters: &'static [(&'static str, &'static str)],
    /// The parameter that makes a visitor log in although the provider knows them.
    pub(super) reauthentication: Option<(&'static str, &'static str)>,
}

/// The default properties of a provider.
pub(super) fn defaults(provider: IdentityProvider) -> ProviderProfile {
    let at = |authorization: &str, token: &str, user: &str| OAuthEndpoints {
        authorization: authorization.to_owned(),
        token: token.to_owned(),
        user: user.to_owned(),
        ..OAuthEndpoints::default()
    };
    let login = Some(("prompt", "login"));
    match provider {
        IdentityProvider::Github => ProviderProfile {
            endpoints: OAuthEndpoints {
                emails: "https://api.github.com/user/emails".to_owned(),
                organizations: "https://api.github.com/user/orgs".to_owned(),
                teams: "https://api.github.com/user/teams".to_owned(),
                ..at(
                    "https://github.com/login/oauth/authorize",
                    "https://github.com/login/oauth/access_token",
                    "https://api.github.com/user",
                )
            },
            userinfo_format: UserInfoFormat::Github,
            pkce: true,
            extra_parameters: &[],
            reauthentication: Some(("prompt", "select_account")),
        },
        IdentityProvider::Google => ProviderProfile {
            endpoints: at(
                "https://accounts.google.com/o/oauth2/v2/auth",
                "https://oauth2.googleapis.com/token",
                "https://openidconnect.googleapis.com/v1/userinfo",
            ),
            userinfo_format: UserInfoFormat::Userinfo,
            pkce: true,
            extra_parameters: &[("access_type", "offline")],
            reauthentication: Some(("prompt", "select_account")),
        },
        IdentityProvider::Microsoft => ProviderProfile {
            endpoints: OAuthEndpoints {
                organizations: "https://graph.microsoft.com/v1.0/organization".to_owned(),
                ..at(
                    "https://login.microsoftonline.com/common/oauth2/v2.0/authorize",
                    "https://login.microsoftonline.com/common/oauth2/v2.0/token",
                    "https://graph.microsoft.com/v1.0/me",
                )
            },
            userinfo_format: UserInfoFormat::Microsoft,
            pkce: true,
            extra_parameters: &[],
            reauthentication: login,
        },
        IdentityProvider::Facebook => ProviderProfile {
            endpoints: at(
                "https://www.facebook.com/v23.0/dialog/oauth",
                "https://graph.facebook.com/v23.0/oauth/access_token",
                "https://graph.facebook.com/v23.0/me?fields=id,name,email",
            ),
            userinfo_format: UserInfoFormat::Facebook,
            pkce: true,
            extra_parameters: &[],
            reauthentication: Some(("auth_type", "reauthenticate")),
        },
        IdentityProvider::Linkedin => ProviderProfile {
            endpoints: at(
                "https://www.linkedin.com/oauth/v2/authorization",
                "https://www.linkedin.com/oauth/v2/accessToken",
                "https://api.linkedin.com/v2/userinfo",
            ),
            userinfo_format: UserInfoFormat::Userinfo,
            pkce: false,
            extra_parameters: &[],
            reauthentication: login,
        },
        IdentityProvider::Gitlab => ProviderProfile {
            endpoints: at(
                "https://gitlab.com/oauth/authorize",
                "https://gitlab.com/oauth/token",
                "https://gitlab.com/oauth/userinfo",
            ),
            userinfo_format: UserInfoFormat::Userinfo,
            pkce: true,
            extra_parameters: &[],
            reauthentication: None,
        },
        IdentityProvider::Twitch => ProviderProfile {
            endpoints: at(
                "https://id.twitch.tv/oauth2/authorize",
                "https://id.twitch.tv/oauth2/token",
                "https://api.twitch.tv/helix/users",
            ),
            userinfo_format: UserInfoFormat::Twitch,
            pkce: false,
            extra_parameters: &[],
            reauthentication: Some(("force_verify", "true")),
        },
        IdentityProvider::Amazon => ProviderProfile {
            endpoints: at(
                "https://www.amazon.com/ap/oa",
                "https://api.amazon.com/auth/o2/token",
                "https://api.amazon.com/user/profile",
            ),
            userinfo_format: UserInfoFormat::Amazon,
            pkce: true,
            extra_parameters: &[],
            reauthentication: None,
        },
    }
}

impl OAuthEndpoints {
    /// The reason why one of the URLs cannot be used, if any.
    pub fn invalid_url(&self) -> Option<String> {
        let all = [&self.authorization, &self.token, &self.user, &self.emails, &self.organizations, &self.teams];
        all.into_iter()
            .filter(|url| !url.is_empty())
            .find_map(|url| parse_url(url).err())
            .map(|failure| failure.to_string())
    }

    /// The endpoints with those of the operator in place of the defaults.
    pub(super) fn with_overrides(mut self, given: &OAuthEndpoints) -> Self {
        for (default, given) in [
            (&mut self.authorization, &given.authorization),
            (&mut self.token, &given.token),
            (&mut self.user, &given.user),
            (&mut self.emails, &given.emails),
            (&mut self.organizations, &given.organizations),
            (&mut self.teams, &given.teams),
        ] {
            if !given.is_empty() {
                default.clone_from(given);
            }
        }
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_default_endpoint_is_https() {
        for provider in IdentityProvider::ALL {
            let OAuthEndpoints { authorization, token, user, emails, organizations, teams } =
                defaults(provider).endpoints;
            for url in [&authorization, &token, &user] {
                assert!(parse_url(url).is_ok(), "{provider}: {url}");
            }
            for url in [emails, organizations, teams].iter().filter(|url| !url.is_empty()) {
                assert!(parse_url(url).is_ok(), "{provider}: {url}");
            }
        }
    }

    #[test]
    fn the_operator_overrides_single_endpoints() {
        let given = OAuthEndpoints { user: "https://git.test/api/v3/user".to_owned(), ..OAuthEndpoints::default() };
        let both = defaults(IdentityProvider::Github).endpoints.with_overrides(&given);
        assert_eq!(both.user, "https://git.test/api/v3/user");
        assert_eq!(both.token, "https://github.com/login/oauth/access_token");
    }
}
