//! Sign-in by an OpenID provider: from a verified person to a user, and the rights of a session that was begun so.

use super::{
    ended,
    stored_session::{BegunWith, ProviderGrant},
};
use crate::{
    console_provider::ConsoleProvider,
    resources::{Caller, Resources, Rights, audit::CallOrigin, user},
};
use postern_api::{
    AnyId, Code, Error, Id, OwnerId, Result, Role,
    resource::{ConsoleSession, NAME_LIMIT, User, UserCreate},
    token::Token,
};
use postern_logins::OpenIdPerson;

impl Resources {
    /// Begins a session of the user with the verified address of a person. The token is shown once.
    ///
    /// # Errors
    /// `EmailUnverified`, `ConsoleGroupMissing` or `ConsoleUserUnknown` if the person may not sign in, or if the store fails.
    pub(crate) async fn sign_in_person(
        &self,
        provider: &ConsoleProvider,
        person: &OpenIdPerson,
        origin: &CallOrigin,
    ) -> Result<(Token, ConsoleSession)> {
        let email = verified_email(person)?;
        let role = provider.role_of(person)?;
        let user = self.user_of_person(provider, person, &email, origin).await?;
        let issuer = provider.settings.client.issuer.clone();
        let grant = ProviderGrant { issuer, email, role };
        let placeholder = AnyId::from_text(Caller::CONSOLE_PROVIDER);
        let caller = self.caller_of_grant(&user, &grant, placeholder).await?.ok_or_else(ended)?;
        let caller = Caller { origin: origin.clone(), ..caller };
        self.begin_session(&caller, BegunWith::Provider { provider: grant }, provider.is_secure()).await
    }

    /// The caller that a session by a provider stands for; `None` if the user is gone or has another address, or if the
    /// provider is not that of the server any more.
    pub(super) async fn caller_of_person(
        &self,
        owner: &OwnerId,
        grant: &ProviderGrant,
        session: AnyId,
    ) -> Result<Option<Caller>> {
        let is_current = self.console_provider().is_some_and(|known| known.settings.client.issuer == grant.issuer);
        match owner {
            OwnerId::User(user) if is_current => self.caller_of_grant(user, grant, session).await,
            _ => Ok(None),
        }
    }

    async fn caller_of_grant(&self, user: &Id<User>, grant: &ProviderGrant, key: AnyId) -> Result<Option<Caller>> {
        let Some((user, _)) = self.load::<User>(user).await? else { return Ok(None) };
        if !user.spec.email.eq_ignore_ascii_case(&grant.email) {
            return Ok(None);
        }
        let key_role = grant.role.unwrap_or(Role::Admin);
        Ok(Some(Caller {
            key,
            owner: user.id.into(),
            name: user.spec.name,
            key_role,
            rights: Rights::of_key(user.spec.role, key_role),
            origin: CallOrigin::default(),
        }))
    }

    /// The user with an address, who is created if the rule for new users allows it.
    async fn user_of_person(
        &self,
        provider: &ConsoleProvider,
        person: &OpenIdPerson,
        email: &str,
        origin: &CallOrigin,
    ) -> Result<Id<User>> {
        if let Some(user) = self.user_with_email(email).await? {
            return Ok(user);
        }
        let Some(role) = provider.role_of_new_user(email) else {
            tracing::info!(?email, "a sign-in to the console was refused: no user has the address");
            let message = format!(
                "No user of this server has the e-mail address `{email}`. Ask an administrator to add it to your user: page \
                 Users of the console, field E-mail."
            );
            return Err(Error::new(Code::ConsoleUserUnknown, message));
        };
        let body =
            UserCreate { name: name_of(person), role: Some(role), email: Some(email.to_owned()), ..Default::default() };
        let creator = Caller {
            key: AnyId::from_text(Caller::CONSOLE_PROVIDER),
            owner: Id::<User>::new(postern_api::clock::now()).into(),
            name: String::new(),
            key_role: Role::Admin,
            rights: Role::Admin.into(),
            origin: origin.clone(),
        };
        match self.create::<User>(&creator, None, body).await {
            Ok(created) => Ok(created.id),
            // Another browser of the same person was faster.
            Err(error) if error.code == Code::UserEmailTaken => self.user_with_email(email).await?.ok_or(error),
            Err(error) => Err(error),
        }
    }

    async fn user_with_email(&self, email: &str) -> Result<Option<Id<User>>> {
        let Some(claim) = user::email_claim(email) else { return Ok(None) };
        self.claim_holder(&claim).await?.map(|holder| Id::parse(holder.as_str())).transpose()
    }
}

/// The address of a person, in lower case.
fn verified_email(person: &OpenIdPerson) -> Result<String> {
    let refuse = |message: &str| Err(Error::new(Code::EmailUnverified, message));
    if person.email.is_empty() {
        return refuse(
            "The provider did not tell your e-mail address, by which this server knows you. Ask its administrator to allow \
             the scope `email` for this client.",
        );
    }
    if !person.email_verified {
        return refuse("Your e-mail address is not verified. Verify it at the provider, and sign in again.");
    }
    match user::check_email(&person.email) {
        Ok(()) => Ok(person.email.to_ascii_lowercase()),
        Err(_) => refuse("The provider told an e-mail address that this server cannot read. Tell your administrator."),
    }
}

/// Name of a new user: that of the person if it can be one, otherwise the address.
fn name_of(person: &OpenIdPerson) -> String {
    let name = person.name.trim();
    let fits = !name.is_empty() && name.len() <= NAME_LIMIT && !name.contains(char::is_control);
    if fits { name.to_owned() } else { person.email.clone() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        Control, ControlSettings, NoLiveState, console_sessions::SessionUse, resources::RecordPath,
        settings::ConsoleProviderSettings,
    };
    use postern_api::{host::HostName, resource::UserUpdate};
    use postern_logins::OpenIdClient;
    use std::sync::Arc;

    const ACTIVE: SessionUse = SessionUse { secure: true, active: true };

    async fn world(folder: &std::path::Path, roles: &[(&str, Role)]) -> (Control, Caller) {
        let control = Control::open(ControlSettings::new(folder), Arc::new(NoLiveState)).await.expect("it opens");
        let key = control.create_api_key("first", Role::Admin).await.expect("a key");
        let admin = control.resources.authenticate(key.reveal()).await.expect("a caller");
        control.set_console_provider(Some(settings("https://id.test", roles))).expect("a provider");
        (control, (*admin).clone())
    }

    fn settings(issuer: &str, roles: &[(&str, Role)]) -> ConsoleProviderSettings {
        let client = OpenIdClient {
            issuer: issuer.to_owned(),
            client_id: "console".to_owned(),
            client_secret: "secret".to_owned().into(),
            scopes: "openid email".to_owned(),
            groups_claim: "groups".to_owned(),
        };
        ConsoleProviderSettings {
            client,
            name: String::new(),
            address: "https://api.test".to_owned(),
            roles: roles.iter().map(|(group, role)| ((*group).to_owned(), *role)).collect(),
            new_users: vec![(HostName::parse("example.test").expect("a domain"), Role::Editor)],
        }
    }

    fn person(email: &str, groups: &[&str]) -> OpenIdPerson {
        let groups = groups.iter().map(|group| (*group).to_owned()).collect();
        OpenIdPerson { email: email.to_owned(), email_verified: true, name: "Ada".to_owned(), groups }
    }

    async fn sign_in(control: &Control, person: &OpenIdPerson) -> Result<(Token, ConsoleSession)> {
        let provider = control.resources.console_provider().expect("a provider");
        control.resources.sign_in_person(&provider, person, &CallOrigin::default()).await
    }

    async fn role(control: &Control, token: &Token) -> Result<Role, Code> {
        let current = control.resources.session(token, ACTIVE).await;
        current.map(|current| current.session.role).map_err(|error| error.code)
    }

    #[tokio::test]
    async fn a_session_never_has_more_rights_than_its_user_and_ends_with_the_user() {
        let folder = tempfile::tempdir().expect("a folder");
        let (control, admin) = world(folder.path(), &[("ops", Role::Admin), ("support", Role::Viewer)]).await;
        let (ops, session) = sign_in(&control, &person("Ada@Example.test", &["ops"])).await.expect("a session");
        assert_eq!((session.email.as_str(), session.api_key_id), ("ada@example.test", None));
        let (support, other) = sign_in(&control, &person("ada@example.test", &["support"])).await.expect("a session");
        assert_eq!(session.owner_id, other.owner_id, "one user");
        assert_eq!((role(&control, &ops).await, role(&control, &support).await), (Ok(Role::Editor), Ok(Role::Viewer)));
        let OwnerId::User(user) = session.owner_id else { panic!("a user") };
        let path = RecordPath { id: user, parent: None };
        let change = async |change: UserUpdate| {
            control.resources.update::<User>(&admin, &path, change).await.expect("changed");
        };
        change(UserUpdate { role: Some(Role::Admin), ..Default::default() }).await;
        assert_eq!((role(&control, &ops).await, role(&control, &support).await), (Ok(Role::Admin), Ok(Role::Viewer)));
        let ended = Err(Code::ConsoleSessionEnded);
        change(UserUpdate { email: Some("eve@example.test".to_owned()), ..Default::default() }).await;
        assert_eq!(role(&control, &ops).await, ended, "the address belongs to another person now");
        change(UserUpdate { email: Some("ADA@example.test".to_owned()), ..Default::default() }).await;
        assert_eq!(role(&control, &ops).await, Ok(Role::Admin));
        control.set_console_provider(Some(settings("https://other.test", &[]))).expect("another provider");
        assert_eq!(role(&control, &ops).await, ended, "of a former provider");
        control.set_console_provider(Some(settings("https://id.test", &[]))).expect("the provider");
        control.resources.delete::<User>(&admin, &path).await.expect("deleted");
        assert_eq!(role(&control, &ops).await, ended);
        control.resources.sweep_sessions(postern_api::Timestamp::now()).await.expect("swept");
        assert!(control.resources.all_sessions().await.expect("a store").entries.is_empty());
    }

    #[tokio::test]
    async fn an_address_must_be_verified_and_known() {
        let folder = tempfile::tempdir().expect("a folder");
        let (control, admin) = world(folder.path(), &[]).await;
        let code =
            async |person: &OpenIdPerson| sign_in(&control, person).await.map(|_| ()).map_err(|error| error.code);
        let unverified = OpenIdPerson { email_verified: false, ..person("ada@example.test", &[]) };
        assert_eq!(code(&unverified).await, Err(Code::EmailUnverified));
        assert_eq!(code(&person("", &[])).await, Err(Code::EmailUnverified));
        assert_eq!(code(&person("ada@example.test\n", &[])).await, Err(Code::EmailUnverified));
        assert_eq!(code(&person("ada@sub.example.test", &[])).await, Err(Code::ConsoleUserUnknown));
        let body =
            UserCreate { name: "Grace".to_owned(), email: Some("grace@other.test".to_owned()), ..Default::default() };
        control.resources.create::<User>(&admin, None, body.clone()).await.expect("created");
        let twice = control.resources.create::<User>(&admin, None, body).await.expect_err("taken");
        assert_eq!(twice.code, Code::UserEmailTaken);
        assert_eq!(code(&person("grace@other.test", &[])).await, Ok(()));
    }
}
