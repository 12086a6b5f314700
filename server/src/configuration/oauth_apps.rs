//! The file of OAuth apps that the operator registered with identity providers.

use super::plain;
use postern_api::{Secret, module::IdentityProvider};
use postern_control::{OAuthApp, OAuthApps};
use serde::Deserialize;
use std::{collections::BTreeMap, io::Read, path::Path};

/// Larger than any sensible file of eight apps.
const LONGEST: u64 = 64 << 10;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct App {
    client_id: String,
    client_secret: Secret,
}

/// Reads the file with this name. What is wrong comes back as the rest of a sentence that begins with the name; no
/// line of the file is ever repeated, for secrets stand there.
pub(super) fn read(name: &str) -> Result<OAuthApps, String> {
    let unreadable = |error: &std::io::Error| format!("cannot be read: {}", plain(error));
    let file = std::fs::File::open(Path::new(name)).map_err(|error| unreadable(&error))?;
    let mut text = String::new();
    file.take(LONGEST + 1).read_to_string(&mut text).map_err(|error| unreadable(&error))?;
    if text.len() as u64 > LONGEST {
        return Err("cannot be read: it is larger than 64 KiB".to_owned());
    }
    parse(&text)
}

fn parse(text: &str) -> Result<OAuthApps, String> {
    let read = serde_saphyr::from_str::<Option<BTreeMap<IdentityProvider, App>>>(text).map_err(|error| {
        let error = error.without_snippet();
        let line = error.location().map_or_else(String::new, |location| format!(" in line {}", location.line()));
        format!(
            "is not right{line}: each provider ({}) takes a `client_id` and a `client_secret`",
            IdentityProvider::ALL.map(IdentityProvider::name).join(", ")
        )
    })?;
    let mut apps = OAuthApps::new();
    for (provider, App { client_id, client_secret }) in read.unwrap_or_default() {
        if client_id.is_empty() || client_secret.is_empty() {
            return Err(format!("is not right: the `client_id` or the `client_secret` of {provider} is empty"));
        }
        apps.insert(provider, OAuthApp { client_id, client_secret });
    }
    Ok(apps)
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
        let ids: Vec<_> = apps.iter().map(|(provider, app)| (provider.name(), app.client_id.as_str())).collect();
        assert_eq!(ids, [("google", "one"), ("gitlab", "two")]);
        assert!(!format!("{apps:?}").contains("planted"));
        assert!(parse("").expect("none").is_empty());
    }

    #[test]
    fn what_is_wrong_is_said_and_no_secret_is() {
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
        ] {
            let why = parse(wrong).expect_err(wrong);
            assert!(why.starts_with("is not right") && !why.contains("planted"), "{why}");
        }
        assert!(read("/does/not/exist.yml").expect_err("absent").contains("no such file"));
    }
}
