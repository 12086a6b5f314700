//! The OpenID provider by which people sign in to the console: its client, and the rules about who gets which role.

use crate::settings::ConsoleProviderSettings;
use postern_api::{Code, Error, Result, Role, host::HostName};
use postern_logins::{OpenIdPerson, OpenIdProvider, ProviderClient};
use std::{
    collections::VecDeque,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};
use tokio::{
    sync::{Semaphore, SemaphorePermit},
    time::Instant,
};
use url::Url;

/// Time in which a sign-in must be finished.
pub(crate) const ATTEMPT_LIFETIME: Duration = Duration::from_secs(600);
/// Responses that are verified at once.
const MAX_EXCHANGES: usize = 32;
/// Finished attempts that are remembered. An older one is refused by the provider, which takes a code once.
const MAX_FINISHED: usize = 4096;
/// Path of the redirect URI, below the address of the console.
pub(crate) const CALLBACK_PATH: &str = "/console_sign_in/callback";
/// Path that begins a sign-in, below the address of the console.
pub(crate) const BEGIN_PATH: &str = "/console_sign_in/oidc";

/// The provider.
pub(crate) struct ConsoleProvider {
    pub(crate) settings: ConsoleProviderSettings,
    pub(crate) provider: OpenIdProvider,
    exchanges: Semaphore,
    finished: Mutex<VecDeque<(Instant, String)>>,
}

impl ConsoleProvider {
    /// # Errors
    /// `IssuerInvalid` if the issuer is not a URL.
    pub(crate) fn new(settings: ConsoleProviderSettings) -> Result<Self> {
        let provider = OpenIdProvider::new(&settings.client, ProviderClient::new(), Arc::new(postern_api::clock::now))?;
        let (exchanges, finished) = (Semaphore::new(MAX_EXCHANGES), Mutex::default());
        Ok(ConsoleProvider { settings, provider, exchanges, finished })
    }

    /// Name for people.
    pub(crate) fn name(&self) -> String {
        let host = || Url::parse(&self.settings.client.issuer).ok()?.host_str().map(str::to_owned);
        match self.settings.name.as_str() {
            "" => host().unwrap_or_else(|| "OpenID".to_owned()),
            name => name.to_owned(),
        }
    }

    /// URL that the provider redirects to.
    pub(crate) fn redirect_uri(&self) -> String {
        format!("{}{CALLBACK_PATH}", self.settings.address)
    }

    /// URL that begins a sign-in.
    pub(crate) fn begin_url(&self) -> String {
        format!("{}{BEGIN_PATH}", self.settings.address)
    }

    /// URL of a place of the console.
    pub(crate) fn console_url(&self, place: &str) -> String {
        format!("{}/console/#{place}", self.settings.address)
    }

    /// Whether browsers reach the console over HTTPS.
    pub(crate) fn is_secure(&self) -> bool {
        self.settings.address.starts_with("https://")
    }

    /// A permit to verify a response.
    ///
    /// # Errors
    /// `Unavailable` if there are too many at once.
    pub(crate) fn admit(&self) -> Result<SemaphorePermit<'_>> {
        self.exchanges.try_acquire().map_err(|_| {
            Error::new(Code::Unavailable, "Too many people sign in at once. Begin the sign-in again in a moment.")
        })
    }

    /// Notes that an attempt is finished, whatever came of it.
    ///
    /// # Errors
    /// `LoginUnknown` if it was finished before.
    pub(crate) fn finish_once(&self, state: &str) -> Result<()> {
        let mut finished = self.finished.lock().unwrap_or_else(PoisonError::into_inner);
        let now = Instant::now();
        while finished.front().is_some_and(|(at, _)| now.duration_since(*at) > ATTEMPT_LIFETIME) {
            finished.pop_front();
        }
        if finished.iter().any(|(_, known)| known == state) {
            return Err(Error::new(Code::LoginUnknown, "This sign-in has been finished already. Begin it again."));
        }
        if finished.len() >= MAX_FINISHED {
            finished.pop_front();
        }
        finished.push_back((now, state.to_owned()));
        Ok(())
    }

    /// The role that a person's groups give, the highest if there are several; `None` if roles do not depend on groups.
    ///
    /// # Errors
    /// `ConsoleGroupMissing` if none of the groups gives a role.
    pub(crate) fn role_of(&self, person: &OpenIdPerson) -> Result<Option<Role>> {
        let roles = &self.settings.roles;
        if roles.is_empty() {
            return Ok(None);
        }
        let granted: Vec<Role> =
            roles.iter().filter(|(group, _)| person.groups.contains(group)).map(|(_, role)| *role).collect();
        match Role::ALL.into_iter().find(|role| granted.contains(role)) {
            Some(role) => Ok(Some(role)),
            None => Err(Error::new(
                Code::ConsoleGroupMissing,
                "You are in none of the groups that may use the console. Ask an administrator of this server, or of the \
                 provider, to add you to one.",
            )),
        }
    }

    /// The role of a new user with this address; `None` if people with it do not become users by themselves.
    pub(crate) fn role_of_new_user(&self, email: &str) -> Option<Role> {
        let (_, domain) = email.rsplit_once('@')?;
        let domain = HostName::parse(domain).ok()?;
        self.settings.new_users.iter().find(|(known, _)| *known == domain).map(|(_, role)| *role)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use postern_logins::OpenIdClient;

    fn provider(roles: &[(&str, Role)], new_users: &[(&str, Role)]) -> ConsoleProvider {
        let client = OpenIdClient {
            issuer: "https://id.example.test/realm".to_owned(),
            client_id: "console".to_owned(),
            client_secret: "secret".to_owned().into(),
            scopes: "openid email".to_owned(),
            groups_claim: "groups".to_owned(),
        };
        let settings = ConsoleProviderSettings {
            client,
            name: String::new(),
            address: "https://api.example.test".to_owned(),
            roles: roles.iter().map(|(group, role)| ((*group).to_owned(), *role)).collect(),
            new_users: new_users
                .iter()
                .map(|(domain, role)| (HostName::parse(domain).expect("a domain"), *role))
                .collect(),
        };
        ConsoleProvider::new(settings).expect("a provider")
    }

    fn person(groups: &[&str]) -> OpenIdPerson {
        let groups = groups.iter().map(|group| (*group).to_owned()).collect();
        OpenIdPerson { email: "ada@example.test".into(), email_verified: true, name: "Ada".into(), groups }
    }

    #[test]
    fn the_highest_role_of_all_groups_is_given() {
        let provider = provider(&[("dev", Role::Viewer), ("ops", Role::Admin), ("dev", Role::Editor)], &[]);
        let role = |groups: &[&str]| provider.role_of(&person(groups)).map_err(|error| error.code);
        assert_eq!(role(&["dev"]), Ok(Some(Role::Editor)));
        assert_eq!(role(&["ops", "dev", "other"]), Ok(Some(Role::Admin)));
        assert_eq!(role(&["Ops", "ops "]), Err(Code::ConsoleGroupMissing));
        assert_eq!(role(&[]), Err(Code::ConsoleGroupMissing));
    }

    #[test]
    fn without_groups_the_role_of_the_record_holds() {
        assert_eq!(provider(&[], &[]).role_of(&person(&[])), Ok(None));
    }

    #[test]
    fn people_of_a_domain_and_of_no_other_become_users() {
        let provider = provider(&[], &[("example.test", Role::Editor)]);
        assert_eq!(provider.role_of_new_user("ada@Example.test"), Some(Role::Editor));
        for other in ["ada@sub.example.test", "ada@example.test.evil.test", "example.test", "ada@", "@example.test@x"] {
            assert_eq!(provider.role_of_new_user(other), None, "{other}");
        }
    }

    #[test]
    fn the_name_is_the_host_of_the_issuer() {
        assert_eq!(provider(&[], &[]).name(), "id.example.test");
        assert_eq!(provider(&[], &[]).redirect_uri(), "https://api.example.test/console_sign_in/callback");
    }

    #[tokio::test(start_paused = true)]
    async fn an_attempt_is_finished_once() {
        let provider = provider(&[], &[]);
        provider.finish_once("a").expect("the first time");
        provider.finish_once("b").expect("another");
        assert_eq!(provider.finish_once("a").expect_err("again").code, Code::LoginUnknown);
        for number in 0..MAX_FINISHED {
            provider.finish_once(&number.to_string()).expect("a new one");
        }
        assert_eq!(provider.finished.lock().expect("no panic").len(), MAX_FINISHED);
        tokio::time::advance(ATTEMPT_LIFETIME + Duration::from_secs(1)).await;
        provider.finish_once("c").expect("a new one");
        assert_eq!(provider.finished.lock().expect("no panic").len(), 1);
    }

    #[test]
    fn responses_that_are_verified_at_once_are_bounded() {
        let provider = provider(&[], &[]);
        let permits: Vec<_> = (0..MAX_EXCHANGES).map(|_| provider.admit().expect("a permit")).collect();
        assert_eq!(provider.admit().expect_err("too many").code, Code::Unavailable);
        drop(permits);
        drop(provider.admit().expect("a permit"));
    }
}
