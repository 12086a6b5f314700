//! Logins with OAuth 2.0: the authorization code flow, then a request to the provider for the user.

mod authorization;
mod providers;
mod userinfo;

pub use providers::{OAuthEndpoints, OAuthProvider, OAuthProviders};

use crate::{
    code_grant::{self, AuthorizationCode, OAuthClient, authorization_url},
    crypto::random_token,
    login_attempts::{AttemptStage, VerifiedIdentity},
    login_response,
    provider_client::{ProviderClient, ProviderError, parse_url},
};
use authorization::AllowLists;
use postern_api::{
    Code, Error,
    module::{self, IdentityProvider},
    published::{LoginSession, Person, Tokens},
};
use providers::ProviderProfile;
use std::collections::BTreeMap;
use url::Url;
use userinfo::{RequestedDetails, UserInfo, UserInfoError, UserInfoRequest};

/// Microsoft does not verify e-mail addresses, so its visitors cannot have theirs verified.
const MICROSOFT_UNVERIFIED: &str = "Your e-mail address cannot be checked: Microsoft does not verify addresses, and the tenant of \
     your account is not on this server's list. Ask the operator to add it.";

/// The provider of a realm, the client there, and the users that are allowed.
pub(crate) struct OAuth {
    name: IdentityProvider,
    provider: ProviderProfile,
    authorization: Url,
    client: OAuthClient,
    /// Whether the client is the module's own: then local services receive its tokens.
    has_own_client: bool,
    scopes: String,
    lists: AllowLists,
    tenants: Vec<String>,
    check_interval: u32,
}

/// Outcome of checking a person with the provider again.
pub(crate) enum RecheckOutcome {
    /// The session continues with this person and these tokens.
    Valid(Box<(Person, Option<Tokens>)>),
    /// The provider no longer accepts the token: the person must log in again.
    LoginRequired,
}

impl OAuth {
    pub(crate) fn new(module: &module::OAuth, settings: &OAuthProviders) -> Result<Self, Error> {
        let mut configured = module.provider.clone();
        let github = configured.github.clone().unwrap_or_default();
        let mut configured = configured.configured();
        let (Some((name, members)), None) = (configured.pop(), configured.pop()) else {
            return Err(Error::new(Code::OAuthProviderMissing, "The OAuth module must name exactly one provider."));
        };
        let default_settings = OAuthProvider::default();
        let operator = settings.get(&name).unwrap_or(&default_settings);
        let has_own_client = !members.client_id.is_empty();
        let client = match (&operator.app, has_own_client) {
            (_, true) => OAuthClient { id: members.client_id.clone(), secret: members.client_secret.clone() },
            (Some((id, secret)), false) => OAuthClient { id: id.clone(), secret: secret.clone() },
            (None, false) => {
                let message = format!("The OAuth module has no `client_id`, and the operator has no client at {name}.");
                return Err(Error::new(Code::LoginUnavailable, message));
            }
        };
        let defaults = providers::defaults(name);
        let endpoints = defaults.endpoints.clone().with_overrides(&operator.endpoints);
        let provider = ProviderProfile { endpoints, ..defaults };
        let invalid = |failure: ProviderError| {
            Error::new(Code::LoginUnavailable, format!("An endpoint of the provider {name} cannot be used: {failure}."))
        };
        let authorization = parse_url(&provider.endpoints.authorization).map_err(invalid)?;
        let mut scopes = members.scopes.clone();
        let minimum = name.minimum_scopes().iter().map(|scope| (*scope).to_owned());
        for scope in minimum {
            if !scopes.contains(&scope) {
                scopes.push(scope);
            }
        }
        let lists = AllowLists {
            emails: members.email_addresses.clone(),
            domains: members.email_domains.clone(),
            teams: if name == IdentityProvider::Github { github.teams } else { Vec::new() },
            organizations: if name == IdentityProvider::Github { github.organizations } else { Vec::new() },
        };
        // GitHub shows e-mail addresses only with this scope.
        let by_address = !lists.emails.is_empty() || !lists.domains.is_empty();
        if name == IdentityProvider::Github && by_address && !scopes.iter().any(|scope| scope == "user:email") {
            scopes.push("user:email".to_owned());
        }
        Ok(OAuth {
            name,
            provider,
            authorization,
            client,
            has_own_client,
            scopes: scopes.join(" "),
            lists,
            tenants: operator.tenants.clone(),
            check_interval: module.auth_check_interval,
        })
    }

    /// The values that identify the provider and the client; sessions end when they change.
    pub(crate) fn realm_parts(&self) -> [&str; 4] {
        ["oauth", self.name.name(), &self.provider.endpoints.authorization, &self.client.id]
    }

    /// Whether a person must be checked before the next request: after the interval, or after a change of the rules.
    pub(crate) fn is_recheck_due(&self, session: &LoginSession, rules: &str, now: i64) -> bool {
        let interval = i64::from(self.check_interval);
        session.rules != rules || interval > 0 && now >= session.checked_at.seconds().saturating_add(interval)
    }

    /// The authorization URL without its state parameter. With `reauthenticate`, the provider asks for credentials
    /// even if it knows the visitor.
    pub(crate) fn begin(&self, redirect_uri: &str, reauthenticate: bool) -> (Url, AttemptStage) {
        let verifier = if self.provider.pkce { random_token() } else { String::new() };
        let mut url = authorization_url(&self.authorization, &self.client.id, redirect_uri, &self.scopes, &verifier);
        let prompt = self.provider.reauthentication.filter(|_| reauthenticate);
        url.query_pairs_mut().extend_pairs(self.provider.extra_parameters.iter().copied().chain(prompt));
        (url, AttemptStage::AuthorizationCode { verifier, nonce: String::new() })
    }

    /// Exchanges the code for tokens, and fetches and authorizes the user.
    pub(crate) async fn finish(
        &self,
        http_client: &ProviderClient,
        code: AuthorizationCode<'_>,
    ) -> Result<VerifiedIdentity, Error> {
        let granted = code.exchange(http_client, &self.provider.endpoints.token, &self.client, true).await?;
        let user = self.fetch_user(http_client, granted.access_token.reveal()).await;
        let person = self.authorize(user.map_err(|error| self.userinfo_error(&error))?)?;
        let tokens = Tokens { access: granted.access_token, refresh: granted.refresh_token };
        Ok(VerifiedIdentity { person, tokens: Some(tokens), provider_session: String::new() })
    }

    /// Fetches the person again, and authorizes them by the current rules.
    pub(crate) async fn recheck(
        &self,
        http_client: &ProviderClient,
        session: &LoginSession,
    ) -> Result<RecheckOutcome, Error> {
        let Some(mut tokens) = session.tokens.clone() else { return Ok(RecheckOutcome::LoginRequired) };
        let mut user = self.fetch_user(http_client, tokens.access.reveal()).await;
        if let (Err(UserInfoError::InvalidToken), Some(refresh)) = (&user, tokens.refresh.clone()) {
            let form = [("grant_type", "refresh_token"), ("refresh_token", refresh.reveal())];
            match code_grant::request_tokens(http_client, &self.provider.endpoints.token, &self.client, true, &form)
                .await
            {
                Ok(granted) => {
                    tokens = Tokens { access: granted.access_token, refresh: granted.refresh_token.or(Some(refresh)) };
                    user = self.fetch_user(http_client, tokens.access.reveal()).await;
                }
                Err(error) if error.code == Code::CodeRefused => return Ok(RecheckOutcome::LoginRequired),
                Err(error) => return Err(error),
            }
        }
        match user {
            Ok(user) if user.id != session.person.id => Ok(RecheckOutcome::LoginRequired),
            Ok(user) => Ok(RecheckOutcome::Valid(Box::new((self.authorize(user)?, Some(tokens))))),
            Err(UserInfoError::InvalidToken) => Ok(RecheckOutcome::LoginRequired),
            Err(error) => Err(self.userinfo_error(&error)),
        }
    }

    /// Whether local services receive the tokens.
    pub(crate) fn exposes_tokens(&self) -> bool {
        self.has_own_client
    }

    async fn fetch_user(&self, http_client: &ProviderClient, token: &str) -> Result<UserInfo, UserInfoError> {
        let details = RequestedDetails {
            emails: self.scopes.split(' ').any(|scope| scope == "user:email" || scope == "user"),
            teams: !self.lists.teams.is_empty(),
            organizations: !self.lists.organizations.is_empty(),
            tenants: &self.tenants,
        };
        let request =
            UserInfoRequest { http_client, endpoints: &self.provider.endpoints, client: &self.client, token, details };
        request.fetch(self.provider.userinfo_format).await
    }

    /// The person to whom a session is given, if the lists allow the user.
    fn authorize(&self, user: UserInfo) -> Result<Person, Error> {
        let matched = self.lists.authorize(&user.memberships).map_err(|error| match (error.code, self.name) {
            (Code::EmailUnverified, IdentityProvider::Microsoft) => Error::new(error.code, MICROSOFT_UNVERIFIED),
            _ => error,
        })?;
        let mut told = BTreeMap::new();
        if self.name == IdentityProvider::Github {
            told.insert("github-user-id".to_owned(), user.id.clone());
            told.extend(matched.organization.map(|name| ("github-organization".to_owned(), name)));
            told.extend(matched.team.map(|name| ("github-team".to_owned(), name)));
        }
        let origin = self.authorization.origin().ascii_serialization();
        Ok(Person {
            provider: self.name.name().to_owned(),
            provider_url: origin,
            id: user.id,
            username: user.username,
            // Local services must not rely on an unverified address.
            email: if user.memberships.verified { user.memberships.email } else { String::new() },
            name: user.name,
            told,
        })
    }

    fn userinfo_error(&self, error: &UserInfoError) -> Error {
        match error {
            UserInfoError::InvalidToken => tracing::warn!(provider = %self.name, "the provider refused its own token"),
            UserInfoError::Provider(error) => {
                tracing::warn!(provider = %self.name, %error, "the provider did not describe the user")
            }
        }
        login_response::unreachable()
    }
}
