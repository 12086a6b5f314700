//! Settings of the OpenID provider by which people sign in to the console.

use super::{
    resolver::Resolver,
    values::{base_url, password_file, plain_name, plain_text},
};
use http::Uri;
use postern_api::{Role, host::HostName};
use postern_control::ConsoleProviderSettings;
use postern_logins::OpenIdClient;
use std::net::IpAddr;

/// Most groups or domains of a list.
const MAX_ENTRIES: usize = 200;
/// Longest name of the provider on the sign-in page, in bytes.
const MAX_NAME_BYTES: usize = 60;
const OWNER: &str = "console_oidc_issuer";

pub(super) fn console_oidc(resolver: &mut Resolver<'_>) -> Option<ConsoleProviderSettings> {
    let issuer = resolver.value(OWNER, issuer);
    let client_id = resolver.value("console_oidc_client_id", plain_text);
    let client_secret = resolver.value("console_oidc_client_secret_file", password_file);
    let name = resolver.value("console_oidc_name", name).unwrap_or_default();
    let address = resolver.value("console_oidc_address", base_url).unwrap_or_default();
    let scopes = resolver.value("console_oidc_scopes", scopes).unwrap_or_else(|| "openid email profile".to_owned());
    let groups_claim = resolver.value("console_oidc_groups_claim", plain_text).unwrap_or_else(|| "groups".to_owned());
    let roles = resolver.value("console_oidc_roles", roles).unwrap_or_default();
    let new_users = resolver.value("console_oidc_new_users", new_users).unwrap_or_default();
    for key in ["name", "address", "scopes", "groups_claim", "roles", "new_users"] {
        resolver.belongs_to(&format!("console_oidc_{key}"), OWNER);
    }
    resolver.belong_together(OWNER, "console_oidc_client_id");
    resolver.belong_together(OWNER, "console_oidc_client_secret_file");
    let client =
        OpenIdClient { issuer: issuer?, client_id: client_id?, client_secret: client_secret?, scopes, groups_claim };
    Some(ConsoleProviderSettings { client, name, address, roles, new_users })
}

/// HTTPS, or plain HTTP to this machine.
fn issuer(text: &str) -> Result<String, String> {
    let uri: Option<Uri> = text.parse().ok();
    let host = |uri: &Uri| uri.host().unwrap_or_default().trim_matches(['[', ']']).to_owned();
    let is_local =
        |host: &str| host == "localhost" || host.parse::<IpAddr>().is_ok_and(|address| address.is_loopback());
    let fits = uri.is_some_and(|uri| match uri.scheme_str() {
        Some("https") => !host(&uri).is_empty(),
        Some("http") => is_local(&host(&uri)),
        _ => false,
    });
    if fits && !text.contains(['?', '#', '@']) {
        Ok(text.to_owned())
    } else {
        Err("is not an issuer; write it as https://id.example.com, exactly as the provider names itself".into())
    }
}

fn name(text: &str) -> Result<String, String> {
    if text.is_empty() || text.len() > MAX_NAME_BYTES || text.chars().any(char::is_control) {
        return Err(format!("is not a name; write 1 to {MAX_NAME_BYTES} printable characters"));
    }
    Ok(text.to_owned())
}

fn scopes(text: &str) -> Result<String, String> {
    let scopes: Vec<&str> = text.split([',', ' ']).filter(|scope| !scope.is_empty()).collect();
    let plain = |scope: &&str| scope.bytes().all(|byte| byte.is_ascii_graphic() && byte != b'"' && byte != b'\\');
    if !scopes.contains(&"openid") || !scopes.iter().all(plain) {
        return Err("is not a list of scopes with `openid` among them, such as openid,email,groups".into());
    }
    Ok(scopes.join(" "))
}

/// `GROUP=ROLE`, separated by commas.
fn roles(text: &str) -> Result<Vec<(String, Role)>, String> {
    entries(text, "a list of groups and roles, such as ops=admin,dev=editor")
}

/// `DOMAIN=ROLE`, separated by commas.
fn new_users(text: &str) -> Result<Vec<(HostName, Role)>, String> {
    let entries = entries(text, "a list of domains and roles, such as example.com=editor")?;
    entries.into_iter().map(|(domain, role)| Ok((plain_name(&domain)?, role))).collect()
}

fn entries(text: &str, form: &str) -> Result<Vec<(String, Role)>, String> {
    let shape = || format!("is not {form}; roles are {}", Role::ALL.map(Role::as_str).join(", "));
    let entry = |text: &str| {
        let (name, role) = text.split_once('=').ok_or_else(shape)?;
        let role = Role::ALL.into_iter().find(|known| known.as_str() == role.trim()).ok_or_else(shape)?;
        let name = name.trim();
        if name.is_empty() { Err(shape()) } else { Ok((name.to_owned(), role)) }
    };
    let entries = text.split(',').map(entry).collect::<Result<Vec<_>, String>>()?;
    if entries.len() > MAX_ENTRIES { Err(format!("has more than {MAX_ENTRIES} entries")) } else { Ok(entries) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::configuration::{Configuration, RawSettings};
    use postern_api::{Code, Error};

    const ISSUER: (&str, &str) = ("console_oidc_issuer", "https://id.example.test/realm");
    const CLIENT: (&str, &str) = ("console_oidc_client_id", "console");

    fn check(flags: &[(&'static str, &str)]) -> Result<Configuration, Error> {
        let all = [&[("data_dir", "/data")], flags].concat();
        let flags = all.iter().map(|(key, text)| (*key, (*text).to_owned()));
        let (raw, errors) = RawSettings::gather(flags, |_| None, None);
        Ok(Configuration::resolve(&raw, errors)?)
    }

    #[test]
    fn a_provider_has_a_client_and_rules() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("secret");
        std::fs::write(&file, "planted\n").expect("written");
        let file = file.to_string_lossy().into_owned();
        let secret = ("console_oidc_client_secret_file", file.as_str());
        let with = |more: &[(&'static str, &str)]| check(&[&[ISSUER, CLIENT, secret], more].concat());
        let found = with(&[]).expect("complete").console_oidc.expect("a provider");
        assert_eq!(
            (found.client.scopes.as_str(), found.client.groups_claim.as_str()),
            ("openid email profile", "groups")
        );
        assert!(found.roles.is_empty() && found.new_users.is_empty() && found.address.is_empty());
        let found = with(&[
            ("console_oidc_roles", "ops=admin, dev = editor"),
            ("console_oidc_new_users", "Example.test=viewer"),
            ("console_oidc_scopes", "openid,email,groups"),
            ("console_oidc_address", "https://console.example.test/"),
        ]);
        let found = found.expect("complete").console_oidc.expect("a provider");
        assert_eq!(found.roles, [("ops".to_owned(), Role::Admin), ("dev".to_owned(), Role::Editor)]);
        assert_eq!(found.new_users[0].0.as_str(), "example.test");
        assert_eq!(
            (found.client.scopes.as_str(), found.address.as_str()),
            ("openid email groups", "https://console.example.test")
        );
        assert!(!format!("{found:?}").contains("planted"));
        for (values, part) in [
            (&[("console_oidc_roles", "ops")][..], "is not a list of groups and roles"),
            (&[("console_oidc_roles", "ops=root")], "roles are admin, editor, viewer, agent-owner"),
            (&[("console_oidc_roles", "=admin")], "is not a list of groups"),
            (&[("console_oidc_new_users", "a b=editor")], "is not a host name"),
            (&[("console_oidc_scopes", "email")], "`openid` among them"),
            (&[("console_oidc_address", "console.example.test")], "is not a base URL"),
            (&[("console_oidc_issuer", "http://id.example.test")], "is not an issuer"),
        ] {
            let error = with(values).expect_err(part);
            assert_eq!(error.code, Code::ConfigInvalid);
            assert!(error.message.contains(part) && !error.message.contains("planted"), "{part} in {}", error.message);
        }
        for (values, part) in [
            (&[ISSUER][..], "--console-oidc-client-id belong together"),
            (&[ISSUER, CLIENT], "--console-oidc-client-secret-file belong together"),
            (&[("console_oidc_roles", "ops=admin")], "--console-oidc-roles belongs to --console-oidc-issuer"),
        ] {
            let error = check(values).expect_err(part);
            assert!(error.message.contains(part), "{part} in {}", error.message);
        }
        assert!(check(&[]).expect("nothing").console_oidc.is_none());
    }
}
