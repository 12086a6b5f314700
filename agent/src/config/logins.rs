//! The keys of logins: `oauth` and `oidc`.

use super::fields::Fields;
use postern_api::{
    Secret,
    module::{OAuth, Oidc},
};
use serde_json::json;

/// Reads `oauth`: one provider, and whom it lets in.
pub(super) fn oauth(fields: &mut Fields<'_>) -> Option<OAuth> {
    let mut group = fields.group("oauth")?;
    group.only(&["provider", "allow_domains", "allow_emails", "scopes", "client_id", "client_secret"], &[]);
    let provider = group.needed_text("provider", "say which, such as `google`")?;
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
            let message = format!("Is no provider that is known. Known are: {}.", known.join(", "));
            group.wrong("provider", provider.place, message);
            None
        }
    }
}

/// Reads `oidc`: an issuer and an app at it.
pub(super) fn oidc(fields: &mut Fields<'_>) -> Option<Oidc> {
    const AT_ISSUER: &str = "Whoever the issuer lets in comes in here: say at the issuer who that is.";
    let mut group = fields.group("oidc")?;
    let foreign = [("allow_domains", AT_ISSUER), ("allow_emails", AT_ISSUER)];
    group.only(&["issuer_url", "client_id", "client_secret", "scopes"], &foreign);
    let body = json!({
        "issuer": group.text("issuer_url").map(|text| text.value).unwrap_or_default(),
        "client_id": group.text("client_id").map(|text| text.value).unwrap_or_default(),
        "client_secret": group.secret("client_secret"),
        "scopes": group.list("scopes"),
    });
    serde_json::from_value(body).ok()
}

/// The key in a configuration file that a field of a login's body is read from.
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
    /// A secret as text, empty if there is none.
    fn secret(&mut self, name: &str) -> Secret {
        Secret::new(self.text(name).map(|text| text.value).unwrap_or_default())
    }

    fn list(&mut self, name: &str) -> Vec<String> {
        self.texts(name).unwrap_or_default().into_iter().map(|text| text.value).collect()
    }
}
