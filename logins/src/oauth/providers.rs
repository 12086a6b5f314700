//! What is particular to each provider, as data: where it is asked, and how far its word goes.

use crate::web::address;
use postern_api::{Secret, module::IdentityProvider};
use std::collections::BTreeMap;

/// Where a provider is asked. What it has none of is empty.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Endpoints {
    /// Visitors are sent here.
    pub authorization: String,
    /// Codes become tokens here.
    pub token: String,
    /// Says who somebody is.
    pub user: String,
    /// E-mail addresses, where `user` does not say which are verified.
    pub emails: String,
    /// The organizations somebody belongs to.
    pub organizations: String,
    /// The teams somebody belongs to.
    pub teams: String,
}

/// What the operator decided about a provider.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Operator {
    /// The operator's own app there, for modules that bring none: its id and its secret.
    pub app: Option<(String, Secret)>,
    /// Addresses that are others than the usual ones; those that are empty stay.
    pub endpoints: Endpoints,
    /// The tenants whose word about e-mail addresses counts.
    pub tenants: Vec<String>,
}

/// What the operator decided, by provider.
pub type Operators = BTreeMap<IdentityProvider, Operator>;

/// How a provider tells who somebody is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Tells {
    /// In the form of OpenID Connect's userinfo.
    Userinfo,
    Github,
    Microsoft,
    Facebook,
    Twitch,
    Amazon,
}

/// One provider.
pub(super) struct Provider {
    pub(super) endpoints: Endpoints,
    pub(super) tells: Tells,
    /// Whether it understands PKCE; others take offence at it, or ignore it.
    pub(super) pkce: bool,
    /// What else is said to it in the visitor's address.
    pub(super) further: &'static [(&'static str, &'static str)],
    /// How it is asked to have the visitor log in even if it knows them.
    pub(super) again: Option<(&'static str, &'static str)>,
}

/// The provider as everybody knows it.
pub(super) fn usual(provider: IdentityProvider) -> Provider {
    let at = |authorization: &str, token: &str, user: &str| Endpoints {
        authorization: authorization.to_owned(),
        token: token.to_owned(),
        user: user.to_owned(),
        ..Endpoints::default()
    };
    let login = Some(("prompt", "login"));
    match provider {
        IdentityProvider::Github => Provider {
            endpoints: Endpoints {
                emails: "https://api.github.com/user/emails".to_owned(),
                organizations: "https://api.github.com/user/orgs".to_owned(),
                teams: "https://api.github.com/user/teams".to_owned(),
                ..at(
                    "https://github.com/login/oauth/authorize",
                    "https://github.com/login/oauth/access_token",
                    "https://api.github.com/user",
                )
            },
            tells: Tells::Github,
            pkce: true,
            further: &[],
            again: Some(("prompt", "select_account")),
        },
        IdentityProvider::Google => Provider {
            endpoints: at(
                "https://accounts.google.com/o/oauth2/v2/auth",
                "https://oauth2.googleapis.com/token",
                "https://openidconnect.googleapis.com/v1/userinfo",
            ),
            tells: Tells::Userinfo,
            pkce: true,
            further: &[("access_type", "offline")],
            again: Some(("prompt", "select_account")),
        },
        IdentityProvider::Microsoft => Provider {
            endpoints: Endpoints {
                organizations: "https://graph.microsoft.com/v1.0/organization".to_owned(),
                ..at(
                    "https://login.microsoftonline.com/common/oauth2/v2.0/authorize",
                    "https://login.microsoftonline.com/common/oauth2/v2.0/token",
                    "https://graph.microsoft.com/v1.0/me",
                )
            },
            tells: Tells::Microsoft,
            pkce: true,
            further: &[],
            again: login,
        },
        IdentityProvider::Facebook => Provider {
            endpoints: at(
                "https://www.facebook.com/v23.0/dialog/oauth",
                "https://graph.facebook.com/v23.0/oauth/access_token",
                "https://graph.facebook.com/v23.0/me?fields=id,name,email",
            ),
            tells: Tells::Facebook,
            pkce: true,
            further: &[],
            again: Some(("auth_type", "reauthenticate")),
        },
        IdentityProvider::Linkedin => Provider {
            endpoints: at(
                "https://www.linkedin.com/oauth/v2/authorization",
                "https://www.linkedin.com/oauth/v2/accessToken",
                "https://api.linkedin.com/v2/userinfo",
            ),
            tells: Tells::Userinfo,
            pkce: false,
            further: &[],
            again: login,
        },
        IdentityProvider::Gitlab => Provider {
            endpoints: at(
                "https://gitlab.com/oauth/authorize",
                "https://gitlab.com/oauth/token",
                "https://gitlab.com/oauth/userinfo",
            ),
            tells: Tells::Userinfo,
            pkce: true,
            further: &[],
            again: None,
        },
        IdentityProvider::Twitch => Provider {
            endpoints: at(
                "https://id.twitch.tv/oauth2/authorize",
                "https://id.twitch.tv/oauth2/token",
                "https://api.twitch.tv/helix/users",
            ),
            tells: Tells::Twitch,
            pkce: false,
            further: &[],
            again: Some(("force_verify", "true")),
        },
        IdentityProvider::Amazon => Provider {
            endpoints: at(
                "https://www.amazon.com/ap/oa",
                "https://api.amazon.com/auth/o2/token",
                "https://api.amazon.com/user/profile",
            ),
            tells: Tells::Amazon,
            pkce: true,
            further: &[],
            again: None,
        },
    }
}

impl Endpoints {
    /// What is wrong with one of the addresses.
    pub fn wrong(&self) -> Option<String> {
        let all = [&self.authorization, &self.token, &self.user, &self.emails, &self.organizations, &self.teams];
        all.into_iter()
            .filter(|url| !url.is_empty())
            .find_map(|url| address(url).err())
            .map(|failure| failure.to_string())
    }

    /// The same, but for the addresses that the operator gave.
    pub(super) fn but(mut self, given: &Endpoints) -> Self {
        for (own, given) in [
            (&mut self.authorization, &given.authorization),
            (&mut self.token, &given.token),
            (&mut self.user, &given.user),
            (&mut self.emails, &given.emails),
            (&mut self.organizations, &given.organizations),
            (&mut self.teams, &given.teams),
        ] {
            if !given.is_empty() {
                own.clone_from(given);
            }
        }
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_provider_is_asked_in_secret() {
        for provider in IdentityProvider::ALL {
            let Endpoints { authorization, token, user, emails, organizations, teams } = usual(provider).endpoints;
            for url in [&authorization, &token, &user] {
                assert!(address(url).is_ok(), "{provider}: {url}");
            }
            for url in [emails, organizations, teams].iter().filter(|url| !url.is_empty()) {
                assert!(address(url).is_ok(), "{provider}: {url}");
            }
        }
    }

    #[test]
    fn the_operator_changes_what_they_name() {
        let given = Endpoints { user: "https://git.test/api/v3/user".to_owned(), ..Endpoints::default() };
        let both = usual(IdentityProvider::Github).endpoints.but(&given);
        assert_eq!(both.user, "https://git.test/api/v3/user");
        assert_eq!(both.token, "https://github.com/login/oauth/access_token");
    }
}
