//! Validation of the OAuth module: one provider, its OAuth app and access lists.

use super::{
    admitted::{domains, emails, organizations, teams},
    login::{client, refusal, scopes, session},
};
use crate::{
    Code, Error, Result,
    module::{IdentityProvider, LONGEST_CHECK, LoginMembers, OAuth, OAuthProvider, SHORTEST_CHECK},
};

/// Validates the module and completes it. `has_app` tells whether the server has an OAuth app of its own at a provider; a
/// disabled module does not need one yet.
///
/// # Errors
/// The code of the first invalid member, with the `field` detail.
pub fn oauth(module: &mut OAuth, has_app: impl Fn(IdentityProvider) -> bool) -> Result<()> {
    module.set_session_options(session(module.session_options())?);
    interval(module.auth_check_interval)?;
    let provider = only(&mut module.provider)?;
    for (provider, mut members) in module.provider.configured() {
        let app_is_needed = module.enabled && !has_app(provider);
        login(provider, &mut members, app_is_needed).map_err(|error| within(error, provider))?;
    }
    if let Some(github) = &mut module.provider.github {
        teams(&github.teams)
            .and_then(|()| organizations(&github.organizations))
            .map_err(|error| within(error, provider))?;
    }
    Ok(())
}

/// The configured provider.
fn only(provider: &mut OAuthProvider) -> Result<IdentityProvider> {
    let configured: Vec<_> = provider.configured().into_iter().map(|(provider, _)| provider).collect();
    let names = |providers: &[IdentityProvider]| {
        providers.iter().map(|provider| format!("`{provider}`")).collect::<Vec<_>>().join(", ")
    };
    match configured.as_slice() {
        [one] => Ok(*one),
        [] => {
            let sentence = format!("`provider` names none. Configure one of {}.", names(&IdentityProvider::ALL));
            Err(refusal(Code::OAuthProviderMissing, "provider", sentence))
        }
        several => {
            let sentence = format!("`provider` names {}. Leave one of them.", names(several));
            Err(refusal(Code::OAuthProviders, "provider", sentence))
        }
    }
}

fn login(provider: IdentityProvider, members: &mut LoginMembers<'_>, app_is_needed: bool) -> Result<()> {
    emails(members.email_addresses)?;
    domains(members.email_domains)?;
    client(members.client_id, "client_id")?;
    client(members.client_secret.reveal(), "client_secret")?;
    match (members.client_id.is_empty(), members.client_secret.is_empty()) {
        (true, true) => managed(provider, members, app_is_needed),
        (false, false) => own(provider, members),
        (true, false) => {
            let sentence = "There is a `client_secret` without a `client_id`. Give both, or neither to use the app that the server's operator configured.";
            Err(refusal(Code::OAuthClientPair, "client_id", sentence))
        }
        (false, true) => {
            let sentence = "There is a `client_id` without its `client_secret`. Give both, or neither to use the app that the server's operator configured.";
            Err(refusal(Code::OAuthClientPair, "client_secret", sentence))
        }
    }
}

/// The scopes of the OAuth app of the server's operator cannot be changed.
fn managed(provider: IdentityProvider, members: &LoginMembers<'_>, app_is_needed: bool) -> Result<()> {
    if !members.scopes.is_empty() {
        let sentence = "`scopes` can be set only for an app of your own: give its `client_id` and `client_secret` too, or leave the scopes out.";
        return Err(refusal(Code::OAuthScopesNeedApp, "scopes", sentence));
    }
    if app_is_needed {
        let sentence = format!(
            "This server has no {provider} app of its own. Register one with the provider and give its `client_id` and `client_secret`, or let the server's operator name one with `--oauth-apps`. A module with `enabled` false can be stored before."
        );
        return Err(refusal(Code::OAuthAppMissing, "client_id", sentence));
    }
    Ok(())
}

/// An own OAuth app: the scopes that the login needs are always added.
fn own(provider: IdentityProvider, members: &mut LoginMembers<'_>) -> Result<()> {
    scopes(members.scopes, "scopes")?;
    let lists = !members.email_addresses.is_empty() || !members.email_domains.is_empty();
    // Addresses that a GitHub user keeps private are seen only with this one.
    let addresses = (provider == IdentityProvider::Github && lists).then_some("user:email");
    let needed = provider.minimum_scopes().iter().copied().chain(addresses);
    let mut all: Vec<String> =
        needed.filter(|needed| !members.scopes.iter().any(|scope| scope == needed)).map(str::to_owned).collect();
    all.append(members.scopes);
    *members.scopes = all;
    Ok(())
}

fn interval(seconds: u32) -> Result<()> {
    let (code, sentence) = match seconds {
        0 | SHORTEST_CHECK..=LONGEST_CHECK => return Ok(()),
        ..SHORTEST_CHECK => (
            Code::CheckIntervalShort,
            format!(
                "`auth_check_interval` is {seconds} seconds; at least {SHORTEST_CHECK} are needed, or 0 to check at the login only."
            ),
        ),
        _ => (
            Code::CheckIntervalLong,
            format!("`auth_check_interval` is {seconds} seconds; at most {LONGEST_CHECK}, a year, are allowed."),
        ),
    };
    Err(refusal(code, "auth_check_interval", sentence))
}

/// Adds the provider to the `field` detail of an error.
fn within(error: Error, provider: IdentityProvider) -> Error {
    let field = error.details.get("field").cloned().unwrap_or_default();
    error.with("field", format!("provider.{provider}.{field}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    fn judged(body: Value) -> Result<Value, Error> {
        let mut module: OAuth = serde_json::from_value(body).expect("an OAuth module");
        oauth(&mut module, |provider| provider == IdentityProvider::Google)?;
        Ok(serde_json::to_value(module).expect("shown"))
    }
    fn one(provider: &str, login: Value) -> Value {
        json!({"provider": {provider: login}})
    }
    #[track_caller]
    fn refused(body: Value, code: Code, field: &str) {
        let error = judged(body.clone()).expect_err("refused");
        assert_eq!((error.code, error.details["field"].as_str()), (code, field), "{body}: {error}");
        assert!(!error.to_string().contains("planted"), "{error}");
    }

    #[test]
    fn there_is_exactly_one_provider() {
        refused(json!({}), Code::OAuthProviderMissing, "provider");
        refused(json!({"provider": {}}), Code::OAuthProviderMissing, "provider");
        refused(json!({"provider": {"google": {}, "twitch": {}}}), Code::OAuthProviders, "provider");
        assert!(judged(one("google", json!({}))).is_ok());
    }

    #[test]
    fn a_client_id_and_its_secret_belong_together() {
        let (id, secret) = (json!({"client_id": "a"}), json!({"client_secret": "planted"}));
        refused(one("google", id), Code::OAuthClientPair, "provider.google.client_secret");
        refused(one("google", secret), Code::OAuthClientPair, "provider.google.client_id");
        let long = json!({"client_id": "a", "client_secret": "planted".repeat(80)});
        refused(one("google", long), Code::FieldInvalid, "provider.google.client_secret");
    }

    #[test]
    fn without_an_app_there_must_be_one_of_the_server_and_no_scopes() {
        let shown = judged(one("google", json!({"scopes": []}))).expect("fine");
        assert_eq!(shown["provider"]["google"]["scopes"], json!([]));
        refused(one("google", json!({"scopes": ["a"]})), Code::OAuthScopesNeedApp, "provider.google.scopes");
        for provider in IdentityProvider::ALL {
            if provider != IdentityProvider::Google {
                let field = format!("provider.{provider}.client_id");
                refused(one(provider.name(), json!({})), Code::OAuthAppMissing, &field);
                let mut disabled = one(provider.name(), json!({}));
                disabled["enabled"] = json!(false);
                assert!(judged(disabled).is_ok(), "{provider}: nothing logs in with it yet");
            }
        }
    }

    #[test]
    fn scopes_that_a_login_needs_are_added_before_the_others() {
        let app = |more: Value| {
            let mut app = json!({"client_id": "a", "client_secret": "b"});
            app.as_object_mut().expect("an object").extend(more.as_object().expect("an object").clone());
            app
        };
        let scopes = |provider: &str, more: Value| {
            let shown = judged(one(provider, app(more))).expect("fine");
            let again = judged(shown.clone()).expect("what is shown can be put");
            assert_eq!(again, shown, "and stays as it is");
            shown["provider"][provider]["scopes"].clone()
        };
        assert_eq!(scopes("github", json!({})), json!(["read:user", "read:org"]));
        assert_eq!(scopes("github", json!({"scopes": ["repo", "read:org"]})), json!(["read:user", "repo", "read:org"]));
        let lists = json!({"email_domains": ["example.com"], "scopes": ["repo"]});
        assert_eq!(scopes("github", lists), json!(["read:user", "read:org", "user:email", "repo"]));
        for provider in IdentityProvider::ALL {
            assert_eq!(scopes(provider.name(), json!({})), json!(provider.minimum_scopes()), "{provider}");
        }
    }

    #[test]
    fn users_are_checked_again_never_or_after_ten_seconds_to_a_year() {
        for (seconds, code) in [
            (0, None),
            (1, Some(Code::CheckIntervalShort)),
            (9, Some(Code::CheckIntervalShort)),
            (10, None),
            (31_536_000, None),
            (31_536_001, Some(Code::CheckIntervalLong)),
            (u32::MAX, Some(Code::CheckIntervalLong)),
        ] {
            let mut body = one("google", json!({}));
            body["auth_check_interval"] = json!(seconds);
            assert_eq!(judged(body).err().map(|error| error.code), code, "{seconds}");
        }
    }

    #[test]
    fn lists_of_the_provider_are_judged_and_the_field_is_named() {
        refused(
            one("google", json!({"email_addresses": ["x"]})),
            Code::EmailInvalid,
            "provider.google.email_addresses",
        );
        let app = json!({"client_id": "a", "client_secret": "b", "teams": ["x"]});
        refused(one("github", app), Code::TeamInvalid, "provider.github.teams");
        let app = json!({"client_id": "a", "client_secret": "b", "organizations": ["a b"]});
        refused(one("github", app), Code::FieldInvalid, "provider.github.organizations");
        let shown = judged(one("google", json!({"email_domains": ["Bücher.Example"]}))).expect("fine");
        assert_eq!(shown["provider"]["google"]["email_domains"], json!(["xn--bcher-kva.example"]));
    }
}
