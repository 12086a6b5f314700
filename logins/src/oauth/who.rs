//! Asking a provider who somebody is, in each provider's own words.

use super::{
    admitted::Belongs,
    providers::{Endpoints, Tells},
};
use crate::{
    code_grant::Client,
    web::{Answer, Failure, Web},
};
use http::{Method, header};
use serde::{Deserialize, de::DeserializeOwned};

/// Memberships beyond so many are not looked at.
const PAGES: usize = 2;
const PAGE: usize = 100;

/// Somebody, as a provider describes them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Who {
    pub(super) id: String,
    pub(super) username: String,
    pub(super) name: String,
    pub(super) belongs: Belongs,
}

/// Why nobody was described.
#[derive(Debug)]
pub(super) enum Unknown {
    /// The token is not taken any more.
    Token,
    /// The provider cannot be asked, or talks nonsense.
    Failure(Failure),
}

impl From<Failure> for Unknown {
    fn from(failure: Failure) -> Self {
        Unknown::Failure(failure)
    }
}

/// What is asked for beyond the person.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Wanted<'a> {
    pub(super) emails: bool,
    pub(super) teams: bool,
    pub(super) organizations: bool,
    /// The tenants whose addresses count as verified.
    pub(super) tenants: &'a [String],
}

/// The way to one provider with somebody's token.
pub(super) struct Asking<'a> {
    pub(super) web: &'a Web,
    pub(super) endpoints: &'a Endpoints,
    pub(super) client: &'a Client,
    pub(super) token: &'a str,
    pub(super) wanted: Wanted<'a>,
}

/// A number or a text.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum Number {
    Number(u64),
    Text(String),
}

impl Number {
    fn text(self) -> String {
        match self {
            Number::Number(number) => number.to_string(),
            Number::Text(text) => text,
        }
    }
}

impl Asking<'_> {
    pub(super) async fn ask(&self, tells: Tells) -> Result<Who, Unknown> {
        let who = match tells {
            Tells::Userinfo => self.userinfo().await?,
            Tells::Github => self.github().await?,
            Tells::Microsoft => self.microsoft().await?,
            Tells::Facebook => self.facebook().await?,
            Tells::Twitch => self.twitch().await?,
            Tells::Amazon => self.amazon().await?,
        };
        // Without an id nobody could be told from anybody else.
        if who.id.is_empty() {
            return Err(Failure("the provider described somebody without an id".to_owned()).into());
        }
        Ok(who)
    }

    async fn answer(&self, url: &str, further: &[(&str, &str)]) -> Result<Answer, Unknown> {
        let mut request = http::Request::builder()
            .method(Method::GET)
            .uri(url)
            .header(header::ACCEPT, "application/json")
            .header(header::AUTHORIZATION, format!("Bearer {}", self.token));
        for (name, value) in further {
            request = request.header(*name, *value);
        }
        let request = request.body(Vec::new()).map_err(|_| Failure("the provider's address is none".to_owned()))?;
        let answer = self.web.ask(request).await?;
        if answer.status == http::StatusCode::UNAUTHORIZED {
            return Err(Unknown::Token);
        }
        Ok(answer)
    }

    async fn get<T: DeserializeOwned>(&self, url: &str) -> Result<T, Unknown> {
        Ok(self.answer(url, &[]).await?.json(url)?)
    }

    async fn userinfo(&self) -> Result<Who, Unknown> {
        #[derive(Deserialize)]
        struct Userinfo {
            sub: Number,
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
        /// Some providers write truth values as text.
        #[derive(Deserialize)]
        #[serde(untagged)]
        enum Flag {
            Flag(bool),
            Text(String),
        }
        let said: Userinfo = self.get(&self.endpoints.user).await?;
        let verified = match said.email_verified {
            Some(Flag::Flag(flag)) => flag,
            Some(Flag::Text(text)) => text == "true",
            None => false,
        };
        Ok(Who {
            id: said.sub.text(),
            username: said.preferred_username.or(said.nickname).unwrap_or_default(),
            name: said.name.unwrap_or_default(),
            belongs: Belongs { email: said.email.unwrap_or_default(), verified, ..Belongs::default() },
        })
    }

    async fn github(&self) -> Result<Who, Unknown> {
        #[derive(Deserialize)]
        struct User {
            id: Number,
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
            id: Number,
            slug: String,
            organization: Organization,
        }
        let user: User = self.get(&self.endpoints.user).await?;
        // The address of the profile is what somebody chose to show; nobody vouches for it.
        let mut belongs = Belongs { email: user.email.unwrap_or_default(), ..Belongs::default() };
        if self.wanted.emails {
            let emails: Vec<Email> = self.get(&self.endpoints.emails).await?;
            if let Some(primary) = emails.into_iter().find(|email| email.primary) {
                (belongs.email, belongs.verified) = (primary.email, primary.verified);
            }
        }
        if self.wanted.organizations {
            let organizations: Vec<Organization> = self.pages(&self.endpoints.organizations).await?;
            belongs.organizations = organizations.into_iter().map(|organization| organization.login).collect();
        }
        if self.wanted.teams {
            let teams: Vec<Team> = self.pages(&self.endpoints.teams).await?;
            let named = |team: Team| (format!("{}/{}", team.organization.login, team.slug), team.id.text());
            belongs.teams = teams.into_iter().map(named).collect();
        }
        Ok(Who { id: user.id.text(), username: user.login, name: user.name.unwrap_or_default(), belongs })
    }

    /// A list that comes in pages.
    async fn pages<T: DeserializeOwned>(&self, url: &str) -> Result<Vec<T>, Unknown> {
        let mut all = Vec::new();
        for page in 1..=PAGES {
            let mark = if url.contains('?') { '&' } else { '?' };
            let some: Vec<T> = self.get(&format!("{url}{mark}per_page={PAGE}&page={page}")).await?;
            let last = some.len() < PAGE;
            all.extend(some);
            if last {
                break;
            }
        }
        Ok(all)
    }

    async fn microsoft(&self) -> Result<Who, Unknown> {
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
        // Whoever runs a tenant can write any address into it, so its word counts where the operator says so.
        let verified = if self.wanted.tenants.is_empty() {
            false
        } else {
            match self.get::<Tenants>(&self.endpoints.organizations).await {
                Ok(own) => {
                    own.value.iter().any(|own| self.wanted.tenants.iter().any(|id| id.eq_ignore_ascii_case(&own.id)))
                }
                // Private accounts have no tenant to be asked for.
                Err(Unknown::Failure(_)) => false,
                Err(Unknown::Token) => return Err(Unknown::Token),
            }
        };
        let username = me.user_principal_name.unwrap_or_default();
        let email = me.mail.filter(|mail| !mail.is_empty()).unwrap_or_else(|| username.clone());
        let belongs = Belongs { email, verified, ..Belongs::default() };
        Ok(Who { id: me.id, username, name: me.display_name.unwrap_or_default(), belongs })
    }

    async fn facebook(&self) -> Result<Who, Unknown> {
        #[derive(Deserialize)]
        struct Me {
            id: String,
            #[serde(default)]
            name: Option<String>,
            #[serde(default)]
            email: Option<String>,
        }
        // Proves that the token was not taken from another app.
        let key = aws_lc_rs::hmac::Key::new(aws_lc_rs::hmac::HMAC_SHA256, self.client.secret.reveal().as_bytes());
        let proof = crate::realm::hex(aws_lc_rs::hmac::sign(&key, self.token.as_bytes()).as_ref());
        let url = &self.endpoints.user;
        let mark = if url.contains('?') { '&' } else { '?' };
        let me: Me = self.get(&format!("{url}{mark}appsecret_proof={proof}")).await?;
        let belongs = Belongs { email: me.email.unwrap_or_default(), verified: true, ..Belongs::default() };
        Ok(Who { id: me.id, username: String::new(), name: me.name.unwrap_or_default(), belongs })
    }

    async fn twitch(&self) -> Result<Who, Unknown> {
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
        let users: Users = self.answer(url, &[("client-id", &self.client.id)]).await?.json(url)?;
        let mut users = users.data.into_iter();
        let (Some(user), None) = (users.next(), users.next()) else {
            return Err(Failure("twitch described nobody, or several people".to_owned()).into());
        };
        let belongs = Belongs { email: user.email.unwrap_or_default(), verified: true, ..Belongs::default() };
        Ok(Who { id: user.id, username: user.login, name: user.display_name, belongs })
    }

    async fn amazon(&self) -> Result<Who, Unknown> {
        #[derive(Deserialize)]
        struct Profile {
            user_id: String,
            #[serde(default)]
            name: Option<String>,
            #[serde(default)]
            email: Option<String>,
        }
        let profile: Profile = self.get(&self.endpoints.user).await?;
        let belongs = Belongs { email: profile.email.unwrap_or_default(), verified: true, ..Belongs::default() };
        Ok(Who { id: profile.user_id, username: String::new(), name: profile.name.unwrap_or_default(), belongs })
    }
}
