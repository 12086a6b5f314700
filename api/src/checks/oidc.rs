//! Validation of the OpenID Connect module: an issuer and a client.

use super::login::{client, refusal, scopes, session, shown};
use crate::{
    Code, Result,
    module::{DEFAULT_SCOPES, ISSUER_LIMIT, Oidc},
};
use url::{Host, Url};

/// Validates the module and completes it.
///
/// # Errors
/// The code of the first invalid member, with the `field` detail.
pub fn oidc(module: &mut Oidc) -> Result<()> {
    module.set_session_options(session(module.session_options())?);
    issuer(&module.issuer)?;
    if module.client_id.is_empty() {
        let sentence = "`client_id` is needed: the id the issuer gave to your app.";
        return Err(refusal(Code::ClientIdMissing, "client_id", sentence));
    }
    if module.client_secret.is_empty() {
        let sentence = "`client_secret` is needed: the secret the issuer gave to your app.";
        return Err(refusal(Code::ClientSecretMissing, "client_secret", sentence));
    }
    client(&module.client_id, "client_id")?;
    client(module.client_secret.reveal(), "client_secret")?;
    if module.scopes.is_empty() {
        module.scopes = DEFAULT_SCOPES.map(str::to_owned).to_vec();
    }
    scopes(&mut module.scopes, "scopes")?;
    if !module.scopes.iter().any(|scope| scope == "openid") {
        module.scopes.insert(0, "openid".to_owned());
    }
    Ok(())
}

/// Validates an issuer. It is stored unchanged, because tokens must contain exactly the same text.
fn issuer(text: &str) -> Result<()> {
    if text.is_empty() {
        let sentence = "`issuer` is needed: the address of the provider, such as `https://accounts.example.com`.";
        return Err(refusal(Code::IssuerMissing, "issuer", sentence));
    }
    let refuse = |why: &str| {
        let sentence = format!("`issuer` {why}. Write it like `https://accounts.example.com`.");
        Err(refusal(Code::IssuerInvalid, "issuer", sentence))
    };
    if text.len() > ISSUER_LIMIT {
        return refuse(&format!("is longer than {ISSUER_LIMIT} bytes"));
    }
    let url = match Url::parse(text) {
        Ok(url) if text.bytes().all(|byte| byte.is_ascii_graphic()) && text.contains("://") => url,
        _ => return refuse("is not an address"),
    };
    // The text may be a password, so the error does not repeat it.
    if !url.username().is_empty() || url.password().is_some() || text.contains('@') {
        return refuse("has a user name in it");
    }
    if text.contains(['?', '#']) {
        return refuse("has a query or a fragment");
    }
    match url.scheme() {
        "https" => Ok(()),
        "http" if loopback(&url) => Ok(()),
        "http" => refuse(&format!("is `{}`: plain HTTP is for loopback addresses only", shown(text))),
        other => refuse(&format!("begins with `{}:`, but must with `https:`", shown(other))),
    }
}

fn loopback(url: &Url) -> bool {
    match url.host() {
        Some(Host::Domain(name)) => name == "localhost",
        Some(Host::Ipv4(address)) => address.is_loopback(),
        Some(Host::Ipv6(address)) => address.is_loopback(),
        None => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Error;
    use proptest::prelude::*;
    use serde_json::{Value, json};

    fn judged(changes: Value) -> Result<Oidc, Error> {
        let mut body = json!({"issuer": "https://id.example.com", "client_id": "a", "client_secret": "planted"});
        body.as_object_mut().expect("an object").extend(changes.as_object().expect("an object").clone());
        let mut module: Oidc = serde_json::from_value(body).expect("an OIDC module");
        oidc(&mut module)?;
        Ok(module)
    }

    #[test]
    fn issuer_client_id_and_secret_are_needed() {
        for (field, code) in [
            ("issuer", Code::IssuerMissing),
            ("client_id", Code::ClientIdMissing),
            ("client_secret", Code::ClientSecretMissing),
        ] {
            let error = judged(json!({field: ""})).expect_err("refused");
            assert_eq!((error.code, error.details["field"].as_str()), (code, field));
        }
        let long = "x".repeat(513);
        for field in ["client_id", "client_secret"] {
            let error = judged(json!({field: long})).expect_err("refused");
            assert_eq!((error.code, error.details["field"].as_str()), (Code::FieldInvalid, field));
            assert!(!error.message.contains("xxx"), "{error}");
        }
    }

    #[test]
    fn issuers_are_https_or_on_this_machine() {
        for fine in [
            "https://accounts.example.com",
            "https://accounts.example.com/realms/a/",
            "https://10.0.0.1:8443/x",
            "http://localhost:8080",
            "http://127.0.0.1:8080/realms/a",
            "http://127.7.0.1",
            "http://[::1]:1",
        ] {
            assert_eq!(judged(json!({"issuer": fine})).expect(fine).issuer, fine, "it is kept as it was written");
        }
        let (longest, long) =
            (format!("https://e.co/{}", "a".repeat(242)), format!("https://e.co/{}", "a".repeat(243)));
        assert!(judged(json!({"issuer": longest})).is_ok());
        for wrong in [
            "accounts.example.com",
            "https:accounts.example.com",
            "https://",
            "http://accounts.example.com",
            "http://localhost.example.com",
            "http://127.0.0.1.example.com",
            "http://10.0.0.1",
            "ftp://example.com",
            "javascript://example.com",
            "https://example.com?x=1",
            "https://example.com/#x",
            "https://user:planted@example.com",
            "https://@example.com",
            " https://example.com",
            "https://exa\tmple.com",
            "https://bücher.example",
            &long,
        ] {
            let error = judged(json!({"issuer": wrong})).expect_err(wrong);
            assert_eq!((error.code, error.details["field"].as_str()), (Code::IssuerInvalid, "issuer"), "{wrong}");
            assert!(!error.message.contains("planted"), "{error}");
        }
    }

    #[test]
    fn openid_is_always_asked_for() {
        for (given, expected) in [
            (json!([]), json!(["openid", "profile", "email"])),
            (json!(["groups"]), json!(["openid", "groups"])),
            (json!(["groups", "openid", "groups"]), json!(["groups", "openid"])),
        ] {
            assert_eq!(json!(judged(json!({"scopes": given})).expect("fine").scopes), expected);
        }
        assert_eq!(judged(json!({"scopes": ["a b"]})).expect_err("refused").code, Code::FieldInvalid);
    }

    proptest! {
        #[test]
        fn any_issuer_is_judged_without_a_panic(text in "\\PC{0,80}", scheme in "(https?:/{0,3})?") {
            let whole = format!("{scheme}{text}");
            if issuer(&whole).is_ok() {
                prop_assert!(whole.starts_with("http") || whole.to_ascii_lowercase().starts_with("http"));
            }
        }
    }
}
