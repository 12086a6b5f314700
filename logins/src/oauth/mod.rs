//! Logins with an account elsewhere: the code flow of OAuth 2, then the provider's own way to say who it is.

mod admitted;
mod providers;
mod who;

pub use providers::{Endpoints, Operator, Operators};

use crate::{
    attempts::{Known, Stage, token},
    code_grant::{self, Client, Grant, authorization_url},
    reply,
    web::{Web, address},
};
use admitted::Lists;
use postern_api::{
    Code, Error,
    module::{self, IdentityProvider},
    published::{LoginSession, Person, Tokens},
};
use providers::Provider;
use std::collections::BTreeMap;
use url::Url;
use who::{Asking, Unknown, Wanted, Who};

/// A provider, an app there, and who may come in.
pub(crate) struct OAuth {
    name: IdentityProvider,
    provider: Provider,
    authorization: Url,
    client: Client,
    /// Whether the app is the module's own: then local services get its tokens.
    own_app: bool,
    scopes: String,
    lists: Lists,
    tenants: Vec<String>,
    check_interval: u32,
}

/// What asking for somebody again brings.
pub(crate) enum Again {
    /// They may stay.
    Stays(Box<(Person, Option<Tokens>)>),
    /// The provider does not take the token any more: they log in again.
    Unknown,
}

impl OAuth {
    pub(crate) fn new(module: &module::OAuth, operators: &Operators) -> Result<Self, Error> {
        let mut configured = module.provider.clone();
        let github = configured.github.clone().unwrap_or_default();
        let mut configured = configured.configured();
        let (Some((name, members)), None) = (configured.pop(), configured.pop()) else {
            return Err(Error::new(Code::OAuthProviderMissing, "The OAuth module names no provider, or several."));
        };
        let nobody = Operator::default();
        let operator = operators.get(&name).unwrap_or(&nobody);
        let own_app = !members.client_id.is_empty();
        let client = match (&operator.app, own_app) {
            (_, true) => Client { id: members.client_id.clone(), secret: members.client_secret.clone() },
            (Some((id, secret)), false) => Client { id: id.clone(), secret: secret.clone() },
            (None, false) => {
                let sentence = format!("The operator has no app at {name}, and the module brings none.");
                return Err(Error::new(Code::LoginUnavailable, sentence));
            }
        };
        let usual = providers::usual(name);
        let provider = Provider { endpoints: usual.endpoints.clone().but(&operator.endpoints), ..usual };
        let misplaced = |failure: crate::web::Failure| {
            Error::new(Code::LoginUnavailable, format!("An address of the provider {name} cannot be used: {failure}."))
        };
        let authorization = address(&provider.endpoints.authorization).map_err(misplaced)?;
        let mut scopes = members.scopes.clone();
        let minimum = name.minimum_scopes().iter().map(|scope| (*scope).to_owned());
        for scope in minimum {
            if !scopes.contains(&scope) {
                scopes.push(scope);
            }
        }
        let lists = Lists {
            emails: members.email_addresses.clone(),
            domains: members.email_domains.clone(),
            teams: if name == IdentityProvider::Github { github.teams } else { Vec::new() },
            organizations: if name == IdentityProvider::Github { github.organizations } else { Vec::new() },
        };
        // Whoever is to be known by their address must let it be read.
        let by_address = !lists.emails.is_empty() || !lists.domains.is_empty();
        if name == IdentityProvider::Github && by_address && !scopes.iter().any(|scope| scope == "user:email") {
            scopes.push("user:email".to_owned());
        }
        Ok(OAuth {
            name,
            provider,
            authorization,
            client,
            own_app,
            scopes: scopes.join(" "),
            lists,
            tenants: operator.tenants.clone(),
            check_interval: module.auth_check_interval,
        })
    }

    /// The provider and the app, in words that change with them.
    pub(crate) fn realm(&self) -> [&str; 4] {
        ["oauth", self.name.name(), &self.provider.endpoints.authorization, &self.client.id]
    }

    /// Whether somebody must be asked for before the next request: after a while, and when other rules came.
    pub(crate) fn is_due(&self, session: &LoginSession, rules: &str, now: i64) -> bool {
        let interval = i64::from(self.check_interval);
        session.rules != rules || interval > 0 && now >= session.checked_at.seconds().saturating_add(interval)
    }

    /// Where a visitor logs in, but for the name of the attempt. `again`: even if the provider knows them.
    pub(crate) fn begin(&self, callback: &str, again: bool) -> (Url, Stage) {
        let verifier = if self.provider.pkce { token() } else { String::new() };
        let mut url = authorization_url(&self.authorization, &self.client.id, callback, &self.scopes, &verifier);
        let wish = self.provider.again.filter(|_| again);
        url.query_pairs_mut().extend_pairs(self.provider.further.iter().copied().chain(wish));
        (url, Stage::Code { verifier, nonce: String::new() })
    }

    /// Makes a person of the code that the provider gave the visitor, if they may come in.
    pub(crate) async fn finish(&self, web: &Web, grant: Grant<'_>) -> Result<Known, Error> {
        let granted = grant.exchange(web, &self.provider.endpoints.token, &self.client, true).await?;
        let who = self.ask(web, granted.access_token.reveal()).await.map_err(|unknown| self.unknown(&unknown))?;
        let person = self.admitted(who)?;
        let tokens = Tokens { access: granted.access_token, refresh: granted.refresh_token };
        Ok(Known { person, tokens: Some(tokens), provider_session: String::new() })
    }

    /// Asks for somebody again, and judges them by the rules of this moment.
    pub(crate) async fn check(&self, web: &Web, session: &LoginSession) -> Result<Again, Error> {
        let Some(mut tokens) = session.tokens.clone() else { return Ok(Again::Unknown) };
        let mut said = self.ask(web, tokens.access.reveal()).await;
        if let (Err(Unknown::Token), Some(refresh)) = (&said, tokens.refresh.clone()) {
            let form = [("grant_type", "refresh_token"), ("refresh_token", refresh.reveal())];
            match code_grant::ask(web, &self.provider.endpoints.token, &self.client, true, &form).await {
                Ok(granted) => {
                    tokens = Tokens { access: granted.access_token, refresh: granted.refresh_token.or(Some(refresh)) };
                    said = self.ask(web, tokens.access.reveal()).await;
                }
                Err(error) if error.code == Code::CodeRefused => return Ok(Again::Unknown),
                Err(error) => return Err(error),
            }
        }
        match said {
            Ok(who) if who.id != session.person.id => Ok(Again::Unknown),
            Ok(who) => Ok(Again::Stays(Box::new((self.admitted(who)?, Some(tokens))))),
            Err(Unknown::Token) => Ok(Again::Unknown),
            Err(unknown) => Err(self.unknown(&unknown)),
        }
    }

    /// Whether local services get the tokens of the module's own app.
    pub(crate) fn shows_tokens(&self) -> bool {
        self.own_app
    }

    async fn ask(&self, web: &Web, token: &str) -> Result<Who, Unknown> {
        let wanted = Wanted {
            emails: self.scopes.split(' ').any(|scope| scope == "user:email" || scope == "user"),
            teams: !self.lists.teams.is_empty(),
            organizations: !self.lists.organizations.is_empty(),
            tenants: &self.tenants,
        };
        let asking = Asking { web, endpoints: &self.provider.endpoints, client: &self.client, token, wanted };
        asking.ask(self.provider.tells).await
    }

    fn admitted(&self, who: Who) -> Result<Person, Error> {
        let grounds = self.lists.judge(&who.belongs)?;
        let mut told = BTreeMap::new();
        if self.name == IdentityProvider::Github {
            told.insert("github-user-id".to_owned(), who.id.clone());
            told.extend(grounds.organization.map(|name| ("github-organization".to_owned(), name)));
            told.extend(grounds.team.map(|name| ("github-team".to_owned(), name)));
        }
        let origin = self.authorization.origin().ascii_serialization();
        Ok(Person {
            provider: self.name.name().to_owned(),
            provider_url: origin,
            id: who.id,
            username: who.username,
            // An address that nobody vouches for is nothing to rely on.
            email: if who.belongs.verified { who.belongs.email } else { String::new() },
            name: who.name,
            told,
        })
    }

    fn unknown(&self, unknown: &Unknown) -> Error {
        match unknown {
            Unknown::Token => tracing::warn!(provider = %self.name, "the provider does not take its own token"),
            Unknown::Failure(failure) => {
                tracing::warn!(provider = %self.name, %failure, "the provider cannot be asked")
            }
        }
        reply::unreachable()
    }
}
