//! File of OAuth providers: OAuth apps of the operator and custom endpoint URLs.

use crate::io_error::reason;
use postern_api::{Secret, module::IdentityProvider};
use postern_control::{OAuthApp, OAuthApps};
use postern_logins::{OAuthEndpoints, OAuthProvider, OAuthProviders};
use serde::Deserialize;
use std::{collections::BTreeMap, io::Read, path::Path};

/// Largest file in bytes.
const MAX_FILE_BYTES: u64 = 64 << 10;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Provider {
    #[serde(default)]
    client_id: String,
    #[serde(default)]
    client_secret: Secret,
    #[serde(default)]
    endpoints: Addresses,
    #[serde(default)]
    tenants: Vec<String>,
}

/// Custom endpoint URLs of a provider.
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct Addresses {
    authorization: String,
    token: String,
    user: String,
    emails: String,
    organizations: String,
    teams: String,
}

/// Reads the file. Errors continue a sentence that begins with the file name. They never quote the file, because it
/// contains secrets.
pub(super) fn read(name: &str) -> Result<OAuthProviders, String> {
    let unreadable = |error: &std::io::Error| format!("cannot be read: {}", reason(error));
    let file = std::fs::File::open(Path::new(name)).map_err(|error| unreadable(&error))?;
    let mut text = String::new();
    file.take(MAX_FILE_BYTES + 1).read_to_string(&mut text).map_err(|error| unreadable(&error))?;
    if text.len() as u64 > MAX_FILE_BYTES {
        return Err("cannot be read: it is larger than 64 KiB".to_owned());
    }
    parse(&text)
}

fn parse(text: &str) -> Result<OAuthProviders, String> {
    let read = serde_saphyr::from_str::<Option<BTreeMap<IdentityProvider, Provider>>>(text).map_err(|error| {
        let error = error.without_snippet();
        let line = error.location().map_or_else(String::new, |location| format!(" in line {}", location.line()));
        format!(
            "is not valid{line}: each provider ({}) takes a `client_id` and a `client_secret`, and perhaps `endpoints` \
             (authorization, token, user, emails, organizations, teams) and `tenants`",
            IdentityProvider::ALL.map(IdentityProvider::name).join(", ")
        )
    })?;
    read.unwrap_or_default().into_iter().map(|(name, provider)| Ok((name, operator(name, provider)?))).collect()
}

fn operator(name: IdentityProvider, provider: Provider) -> Result<OAuthProvider, String> {
    let Provider { client_id, client_secret, endpoints, tenants } = provider;
    let Addresses { authorization, token, user, emails, organizations, teams } = endpoints;
    let endpoints = OAuthEndpoints { authorization, token, user, emails, organizations, teams };
    if let Some(why) = endpoints.invalid_url() {
        return Err(format!("is not valid: an endpoint URL of {name} cannot be used: {why}"));
    }
    if !tenants.is_empty() && name != IdentityProvider::Microsoft {
        return Err(format!("is not valid: {name} has no `tenants`; they belong to microsoft"));
    }
    let app = match (client_id.is_empty(), client_secret.is_empty()) {
        (false, false) => Some((client_id, client_secret)),
        (true, true) if endpoints != OAuthEndpoints::default() || !tenants.is_empty() => None,
        _ => return Err(format!("is not valid: the `client_id` or the `client_secret` of {name} is empty")),
    };
    Ok(OAuthProvider { app, endpoints, tenants })
}

/// The OAuth apps without endpoints.
pub(crate) fn apps(operators: &OAuthProviders) -> OAuthApps {
    let app = |(name, operator): (&IdentityProvider, &OAuthProvider)| {
        let (client_id, client_secret) = operator.app.clone()?;
        Some((*name, OAuthApp { client_id, client_secret }))
    };
    operators.iter().filter_map(app).collect()
}

/// Whether Microsoft tenants are listed.
pub(crate) fn has_microsoft_tenants(operators: &OAuthProviders) -> bool {
    operators.get(&IdentityProvider::Microsoft).is_some_and(|microsoft| !microsoft.tenants.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn apps_are_read_by_provider() {
        let apps = parse(
            "google:\n  client_id: one\n  client_secret: planted\ngitlab: {client_id: two, client_secret: planted}\n",
        );
        let apps = apps.expect("two apps");
        let apps = super::apps(&apps);
        let ids: Vec<_> = apps.iter().map(|(provider, app)| (provider.name(), app.client_id.as_str())).collect();
        assert_eq!(ids, [("google", "one"), ("gitlab", "two")]);
        assert!(!format!("{apps:?}").contains("planted"));
        assert!(parse("").expect("none").is_empty());
    }

    #[test]
    fn a_provider_may_run_elsewhere_and_have_no_app() {
        let read = parse(
            "github:\n  endpoints: {user: 'https://git.test/api/v3/user'}\nmicrosoft: {tenants: [one], client_id: a, client_secret: planted}\n",
        );
        let read = read.expect("two providers");
        let github = &read[&IdentityProvider::Github];
        assert!(github.app.is_none());
        assert_eq!(github.endpoints.user, "https://git.test/api/v3/user");
        assert_eq!(read[&IdentityProvider::Microsoft].tenants, ["one"]);
        assert_eq!(super::apps(&read).len(), 1);
    }

    #[test]
    fn errors_explain_the_mistake_without_secrets() {
        for wrong in [
            "planted",
            "- planted",
            "google: planted",
            "google:\n  client_id: a\n",
            "google:\n  client_secret: planted\n",
            "google:\n  client_id: a\n  client_secret: ''\n",
            "google:\n  client_id: ''\n  client_secret: planted\n",
            "google:\n  client_id: a\n  client_secret: planted\n  scopes: planted\n",
            "google:\n  client_id: a\n  client_secret: [planted]\n",
            "planted:\n  client_id: a\n  client_secret: b\n",
            "google: {client_id: a, client_secret: b}\ngoogle: {client_id: planted, client_secret: planted}\n",
            "google: {client_id: planted",
            "google: {endpoints: {user: 'http://other.test/x'}}\n",
            "google: {endpoints: {users: 'https://other.test/'}}\n",
            "google: {tenants: [a]}\n",
        ] {
            let why = parse(wrong).expect_err(wrong);
            assert!(why.starts_with("is not valid") && !why.contains("planted"), "{why}");
        }
        assert!(read("/does/not/exist.yml").expect_err("absent").contains("no such file"));
    }
}
