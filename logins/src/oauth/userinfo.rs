//! Requests that ask a provider who has logged in, each in the format of that provider.

use super::{
    authorization::Memberships,
    providers::{OAuthEndpoints, UserInfoFormat},
};
use crate::{
    code_grant::OAuthClient,
    provider_client::{ProviderClient, ProviderError, ProviderResponse},
};
use http::{Method, header};
use serde::{Deserialize, de::DeserializeOwned};

/// Pages of memberships that are read; later ones are ignored.
const MAX_PAGES: usize = 2;
const PAGE_SIZE: usize = 100;

/// A user as described by a provider.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct UserInfo {
    pub(super) id: String,
    pub(super) username: String,
    pub(super) name: String,
    pub(super) memberships: Memberships,
}

/// Reason why a provider did not describe a user.
#[derive(Debug)]
pub(super) enum UserInfoError {
    /// The provider no longer accepts the token.
    InvalidToken,
    /// The provider sent no usable response.
    Provider(ProviderError),
}

impl From<ProviderError> for UserInfoError {
    fn from(failure: ProviderError) -> Self {
        UserInfoError::Provider(failure)
    }
}

/// Details requested beyond the user itself.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct RequestedDetails<'a> {
    pub(super) emails: bool,
    pub(super) teams: bool,
    pub(super) organizations: bool,
    /// Tenants whose e-mail addresses count as verified.
    pub(super) tenants: &'a [String],
}

/// Requests to one provider with the token of a user.
pub(super) struct UserInfoRequest<'a> {
    pub(super) http_client: &'a ProviderClient,
    pub(super) endpoints: &'a OAuthEndpoints,
    pub(super) client: &'a OAuthClient,
    pub(super) token: &'a str,
    pub(super) details: RequestedDetails<'a>,
}

/// An id that is either a JSON number or a string.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum NumberOrText {
    Number(u64),
    Text(String),
}

impl NumberOrText {
    fn into_text(self) -> String {
        match self {
            NumberOrText::Number(number) => number.to_string(),
            NumberOrText::Text(text) => text,
        }
    }
}

impl UserInfoRequest<'_> {
    pub(super) async fn fetch(&self, tells: UserInfoFormat) -> Result<UserInfo, UserInfoError> {
        let user = match tells {
            UserInfoFormat::Userinfo => self.userinfo().await?,
            UserInfoFormat::Github => self.github().await?,
            UserInfoFormat::Microsoft => self.microsoft().await?,
            UserInfoFormat::Facebook => self.facebook().await?,
            UserInfoFormat::Twitch => self.twitch().await?,
            UserInfoFormat::Amazon => self.amazon().await?,
        };
        // Without an id, users could not be told apart.
        if user.id.is_empty() {
            return Err(ProviderError("the provider described a user without an id".to_owned()).into());
        }
        Ok(user)
    }

    async fn get_response(&self, url: &str, headers: &[(&str, &str)]) -> Result<ProviderResponse, UserInfoError> {
        let mut request = http::Request::builder()
            .method(Method::GET)
            .uri(url)
            .header(header::ACCEPT, "application/json")
            .header(header::AUTHORIZATION, format!("Bearer {}", self.token));
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let request = request
            .body(Vec::new())
            .map_err(|_| ProviderError("the userinfo endpoint is not a valid URL".to_owned()))?;
        let response = self.http_client.send(request).await?;
        if response.status == http::StatusCode::UNAUTHORIZED {
            return Err(UserInfoError::InvalidToken);
        }
        Ok(response)
    }

    async fn get<T: DeserializeOwned>(&self, url: &str) -> Result<T, UserInfoError> {
        Ok(self.get_response(url, &[]).await?.json(url)?)
    }

    async fn userinfo(&self) -> Result<UserInfo, UserInfoError> {
        #[derive(Deserialize)]
        struct Userinfo {
            sub: NumberOrText,
            #[serde(default)]
            email: Option<String>,
            #[serde(default)]
            email_verified: Option<Flag>,
            #[serde(default)]
            name: Option<String>,
            #[serde(default)]
            preferred_username: Option<String>,
            #[serde(default)]
            nickname: Option<String>,
        }
        /// Some providers send booleans as strings.
        #[derive(Deserialize)]
        #[serde(untagged)]
        enum Flag {
            Flag(bool),
            Text(String),
        }
        let userinfo: Userinfo = self.get(&self.endpoints.user).await?;
        let verified = match userinfo.email_verified {
            Some(Flag::Flag(flag)) => flag,
            Some(Flag::Text(text)) => text == "true",
            None => false,
        };
        Ok(UserInfo {
            id: userinfo.sub.into_text(),
            username: userinfo.preferred_username.or(userinfo.nickname).unwrap_or_default(),
            name: userinfo.name.unwrap_or_default(),
            memberships: Memberships { email: userinfo.email.unwrap_or_default(), verified, ..Memberships::default() },
        })
    }

    async fn github(&self) -> Result<UserInfo, UserInfoError> {
        #[derive(Deserialize)]
        struct User {
            id: NumberOrText,
            login: String,
            #[serde(default)]
            name: Option<String>,
            #[serde(default)]
            email: Option<String>,
        }
        #[derive(Deserialize)]
        struct Email {
            email: String,
            #[serde(default)]
            primary: bool,
            #[serde(default)]
            verified: bool,
        }
        #[derive(Deserialize)]
        struct Organization {
            login: String,
        }
        #[derive(Deserialize)]
        struct Team {
            id: NumberOrText,
            slug: String,
            organization: Organization,
        }
        let user: User = self.get(&self.endpoints.user).await?;
        // The user chooses the address of the profile; GitHub does not verify it.
        let mut memberships = Memberships { email: user.email.unwrap_or_default(), ..Memberships::default() };
        if self.details.emails {
            let emails: Vec<Email> = self.get(&self.endpoints.emails).await?;
            if let Some(primary) = emails.into_iter().find(|email| email.primary) {
                (memberships.email, memberships.verified) = (primary.email, primary.verified);
            }
        }
        if self.details.organizations {
            let organizations: Vec<Organization> = self.pages(&self.endpoints.organizations).await?;
            memberships.organizations = organizations.into_iter().map(|organization| organization.login).collect();
        }
        if self.details.teams {
            let teams: Vec<Team> = self.pages(&self.endpoints.teams).await?;
            let named = |team: Team| (format!("{}/{}", team.organization.login, team.slug), team.id.into_text());
            memberships.teams = teams.into_iter().map(named).collect();
        }
        Ok(UserInfo { id: user.id.into_text(), username: user.login, name: user.name.unwrap_or_default(), memberships })
    }

    /// Reads a list page by page.
    async fn pages<T: DeserializeOwned>(&self, url: &str) -> Result<Vec<T>, UserInfoError> {
        let mut all = Vec::new();
        for page in 1..=MAX_PAGES {
            let separator = if url.contains('?') { '&' } else { '?' };
            let items: Vec<T> = self.get(&format!("{url}{separator}per_page={PAGE_SIZE}&page={page}")).await?;
            let last = items.len() < PAGE_SIZE;
            all.extend(items);
            if last {
                break;
            }
        }
        Ok(all)
    }

    async fn microsoft(&self) -> Result<UserInfo, UserInfoError> {
        #[derive(Deserialize)]
        #[serde(rename_all = "camelCase")]
        struct Me {
            id: String,
            #[serde(default)]
            display_name: Option<String>,
            #[serde(default)]
            mail: Option<String>,
            #[serde(default)]
            user_principal_name: Option<String>,
        }
        #[derive(Deserialize)]
        struct Tenants {
            value: Vec<Tenant>,
        }
        #[derive(Deserialize)]
        struct Tenant {
            id: String,
        }
        let me: Me = self.get(&self.endpoints.user).await?;
        // The administrator of a tenant can enter any address, so only the tenants of the operator's list count.
        let verified = if self.details.tenants.is_empty() {
            false
        } else {
            match self.get::<Tenants>(&self.endpoints.organizations).await {
                Ok(tenants) => {
                    let listed =
                        |tenant: &Tenant| self.details.tenants.iter().any(|id| id.eq_ignore_ascii_case(&tenant.id));
                    tenants.value.iter().any(listed)
                }
                // Personal accounts have no tenant.
                Err(UserInfoError::Provider(_)) => false,
                Err(UserInfoError::InvalidToken) => return Err(UserInfoError::InvalidToken),
            }
        };
        let username = me.user_principal_name.unwrap_or_default();
        let email = me.mail.filter(|mail| !mail.is_empty()).unwrap_or_else(|| username.clone());
        let memberships = Memberships { email, verified, ..Memberships::default() };
        Ok(UserInfo { id: me.id, username, name: me.display_name.unwrap_or_default(), memberships })
    }

    async fn facebook(&self) -> Result<UserInfo, UserInfoError> {
        #[derive(Deserialize)]
        struct Me {
            id: String,
            #[serde(default)]
            name: Option<String>,
            #[serde(default)]
            email: Option<String>,
        }
        // Proves that the token belongs to this client (Facebook's `appsecret_proof`).
        let key = aws_lc_rs::hmac::Key::new(aws_lc_rs::hmac::HMAC_SHA256, self.client.secret.reveal().as_bytes());
        let proof = crate::crypto::hex(aws_lc_rs::hmac::sign(&key, self.token.as_bytes()).as_ref());
        let url = &self.endpoints.user;
        let separator = if url.contains('?') { '&' } else { '?' };
        let me: Me = self.get(&format!("{url}{separator}appsecret_proof={proof}")).await?;
        let memberships = Memberships { email: me.email.unwrap_or_default(), verified: true, ..Memberships::default() };
        Ok(UserInfo { id: me.id, username: String::new(), name: me.name.unwrap_or_default(), memberships })
    }

    async fn twitch(&self) -> Result<UserInfo, UserInfoError> {
        #[derive(Deserialize)]
        struct Users {
            data: Vec<User>,
        }
        #[derive(Deserialize)]
        struct User {
            id: String,
            #[serde(default)]
            login: String,
            #[serde(default)]
            display_name: String,
            #[serde(default)]
            email: Option<String>,
        }
        let url = &self.endpoints.user;
        let users: Users = self.get_response(url, &[("client-id", &self.client.id)]).await?.json(url)?;
        let mut users = users.data.into_iter();
        let (Some(user), None) = (users.next(), users.next()) else {
            return Err(ProviderError("twitch described no user or several users".to_owned()).into());
        };
        let memberships =
            Memberships { email: user.email.unwrap_or_default(), verified: true, ..Memberships::default() };
        Ok(UserInfo { id: user.id, username: user.login, name: user.display_name, memberships })
    }

    async fn amazon(&self) -> Result<UserInfo, UserInfoError> {
        #[derive(Deserialize)]
        struct Profile {
            user_id: String,
            #[serde(default)]
            name: Option<String>,
            #[serde(default)]
            email: Option<String>,
        }
        let profile: Profile = self.get(&self.endpoints.user).await?;
        let memberships =
            Memberships { email: profile.email.unwrap_or_default(), verified: true, ..Memberships::default() };
        Ok(UserInfo {
            id: profile.user_id,
            username: String::new(),
            name: profile.name.unwrap_or_default(),
            memberships,
        })
    }
}
