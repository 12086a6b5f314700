//! The login modules: `oauth` and `oidc`.

use super::fields::Fields;
use postern_api::{
    Secret,
    module::{OAuth, Oidc},
};
use serde_json::json;

/// Reads `oauth`: a provider and the accounts it admits.
pub(super) fn oauth(fields: &mut Fields<'_>) -> Option<OAuth> {
    let mut group = fields.group("oauth")?;
    group.check_known(&["provider", "allow_domains", "allow_emails", "scopes", "client_id", "client_secret"], &[]);
    let provider = group.required_text("provider", "name the provider, such as `google`")?;
    let (emails, domains, scopes) = (group.list("allow_emails"), group.list("allow_domains"), group.list("scopes"));
    let login = json!({
        "client_id": group.text("client_id").map(|text| text.value).unwrap_or_default(),
        "client_secret": group.secret("client_secret"),
        "scopes": scopes,
        "email_addresses": emails,
        "email_domains": domains,
    });
    match serde_json::from_value(json!({ "provider": { provider.value.to_lowercase(): login } })) {
        Ok(oauth) => Some(oauth),
        Err(_) => {
            let known: Vec<&str> = postern_api::module::IdentityProvider::ALL.iter().map(|one| one.name()).collect();
            let message = format!("Is not a known provider. Known providers: {}.", known.join(", "));
            group.reject("provider", provider.location, message);
            None
        }
    }
}

/// Reads `oidc`: an issuer and a client registered there.
pub(super) fn oidc(fields: &mut Fields<'_>) -> Option<Oidc> {
    const AT_ISSUER: &str = "The issuer decides which accounts are admitted: configure them there, and remove the key.";
    let mut group = fields.group("oidc")?;
    let foreign = [("allow_domains", AT_ISSUER), ("allow_emails", AT_ISSUER)];
    group.check_known(&["issuer_url", "client_id", "client_secret", "scopes"], &foreign);
    let body = json!({
        "issuer": group.text("issuer_url").map(|text| text.value).unwrap_or_default(),
        "client_id": group.text("client_id").map(|text| text.value).unwrap_or_default(),
        "client_secret": group.secret("client_secret"),
        "scopes": group.list("scopes"),
    });
    serde_json::from_value(body).ok()
}

/// The key in a configuration file for a field of the module's JSON.
pub(super) fn key_of(field: &str) -> Option<String> {
    let (group, rest) = field.split_once('.')?;
    let last = rest.rsplit('.').next()?;
    let key = match (group, last) {
        ("oauth", "email_addresses") => "allow_emails",
        ("oauth", "email_domains") => "allow_domains",
        ("oidc", "issuer") => "issuer_url",
        ("oauth" | "oidc", other) => other,
        _ => return None,
    };
    Some(format!("{group}.{key}"))
}

impl Fields<'_> {
    /// A secret; empty if absent.
    fn secret(&mut self, name: &str) -> Secret {
        Secret::new(self.text(name).map(|text| text.value).unwrap_or_default())
    }

    fn list(&mut self, name: &str) -> Vec<String> {
        self.texts(name).unwrap_or_default().into_iter().map(|text| text.value).collect()
    }
}
