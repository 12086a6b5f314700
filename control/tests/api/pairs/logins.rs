//! The rows of the login modules of HTTPS routes: OAuth, OpenID Connect and SAML.

use super::{Cases, Things};
use postern_api::Code;
use serde_json::{Value, json};

/// A metadata document of an identity provider.
const METADATA: &str =
    r#"<md:EntityDescriptor xmlns:md="urn:oasis:names:tc:SAML:2.0:metadata" entityID="https://idp.test"/>"#;

/// A body with these members added or replaced.
fn with(mut body: Value, own: Value) -> Value {
    let Value::Object(own) = own else { panic!("{own} is no object") };
    body.as_object_mut().expect("an object").extend(own);
    body
}

/// A view with the default session options and a module's own members.
fn session(own: Value) -> Value {
    with(
        json!({
            "enabled": true, "options_passthrough": false, "cookie_prefix": "postern.",
            "inactivity_timeout": 0, "maximum_duration": 0,
        }),
        own,
    )
}

/// Generated values of a SAML module, different for each route.
pub(crate) const MADE_UP: [&str; 5] = [
    "entity_id",
    "metadata_url",
    "assertion_consumer_service_url",
    "single_logout_url",
    "request_signing_certificate_pem",
];

/// Session options that all differ from the defaults.
fn unusual(own: Value) -> Value {
    with(
        json!({
            "enabled": false, "options_passthrough": true, "cookie_prefix": "Shop.2.", "inactivity_timeout": 31_536_000,
            "maximum_duration": u32::MAX,
        }),
        own,
    )
}

/// Refused session options, with valid other members.
fn wrong_sessions(module: &Value) -> Vec<(Value, Code, &'static str)> {
    [
        ("cookie_prefix", json!("a b"), Code::CookiePrefixInvalid),
        ("cookie_prefix", json!("a;b"), Code::CookiePrefixInvalid),
        ("cookie_prefix", json!("é"), Code::CookiePrefixInvalid),
        ("cookie_prefix", json!("a".repeat(65)), Code::CookiePrefixInvalid),
        ("inactivity_timeout", json!(31_536_001), Code::InactivityTooLong),
        ("inactivity_timeout", json!(-1), Code::FieldInvalid),
        ("inactivity_timeout", json!(1.5), Code::FieldInvalid),
        ("maximum_duration", json!(1_u64 << 32), Code::FieldInvalid),
    ]
    .map(|(option, value, code)| (with(module.clone(), json!({option: value})), code, option))
    .into()
}

pub(crate) fn oauth(_: &Things) -> Cases {
    let none = json!({
        "github": null, "facebook": null, "microsoft": null, "google": null, "linkedin": null, "gitlab": null,
        "twitch": null, "amazon": null,
    });
    let app = |own: Value| with(json!({"client_id": "app", "client_secret": "planted-one"}), own);
    let lists = |scopes: Value| json!({"scopes": scopes, "email_addresses": [], "email_domains": []});
    let shown = |provider: &str, login: Value| with(none.clone(), json!({provider: login}));
    let least = json!({"provider": {"gitlab": app(json!({}))}});
    let least_shown = session(json!({
        "auth_check_interval": 0,
        "provider": shown("gitlab", app(lists(json!(["openid", "profile", "email"])))),
    }));
    let github = app(json!({
        "scopes": ["read:user", "user:email", "read:org"], "email_addresses": ["ada@example.com"],
        "email_domains": ["example.com"], "teams": ["acme/web", "12345"], "organizations": ["acme"],
    }));
    let full = unusual(json!({"auth_check_interval": 31_536_000, "provider": {"github": github}}));
    let full_shown = with(full.clone(), json!({"provider": shown("github", github)}));
    let mut fine = vec![(least, least_shown), (full, full_shown)];
    // The required scopes are added before the requested ones.
    for (provider, needed) in [
        ("facebook", json!(["email", "x"])),
        ("microsoft", json!(["User.Read", "offline_access", "x"])),
        (
            "google",
            json!([
                "https://www.googleapis.com/auth/userinfo.email",
                "https://www.googleapis.com/auth/userinfo.profile",
                "x"
            ]),
        ),
        ("linkedin", json!(["openid", "profile", "email", "x"])),
        ("twitch", json!(["user:read:email", "x"])),
        ("amazon", json!(["profile", "x"])),
    ] {
        fine.push((
            json!({"auth_check_interval": 180, "provider": with(none.clone(), json!({provider: app(json!({"scopes": ["x"]}))}))}),
            session(json!({"auth_check_interval": 180, "provider": shown(provider, app(lists(needed)))})),
        ));
    }
    let one = |login: Value| json!({"provider": {"github": login}});
    let many = |count: usize, form: fn(usize) -> String| (0..count).map(form).collect::<Vec<_>>();
    let mut wrong = vec![
        (json!({}), Code::OAuthProviderMissing, "provider"),
        (json!({"provider": none}), Code::OAuthProviderMissing, "provider"),
        (json!({"provider": {"github": app(json!({})), "gitlab": app(json!({}))}}), Code::OAuthProviders, "provider"),
        (one(json!({})), Code::OAuthAppMissing, "provider.github.client_id"),
        (one(json!({"client_id": "a"})), Code::OAuthClientPair, "provider.github.client_secret"),
        (one(json!({"client_secret": "planted"})), Code::OAuthClientPair, "provider.github.client_id"),
        (one(json!({"scopes": ["repo"]})), Code::OAuthScopesNeedApp, "provider.github.scopes"),
        (one(app(json!({"client_id": "a".repeat(513)}))), Code::FieldInvalid, "provider.github.client_id"),
        (one(app(json!({"client_secret": "planted".repeat(74)}))), Code::FieldInvalid, "provider.github.client_secret"),
        (one(app(json!({"client_secret": 731}))), Code::FieldInvalid, "provider.github.client_secret"),
        (one(app(json!({"scopes": ["a b"]}))), Code::FieldInvalid, "provider.github.scopes"),
        (one(app(json!({"scopes": many(51, |n| n.to_string())}))), Code::FieldInvalid, "provider.github.scopes"),
        (one(app(json!({"scopes": [5]}))), Code::FieldInvalid, "provider.github.scopes[0]"),
        (one(app(json!({"email_addresses": ["ada"]}))), Code::EmailInvalid, "provider.github.email_addresses"),
        (
            one(app(json!({"email_addresses": ["a@b.test", "A@B.test"]}))),
            Code::EmailRepeated,
            "provider.github.email_addresses",
        ),
        (
            one(app(json!({"email_addresses": many(101, |n| format!("a{n}@b.test"))}))),
            Code::FieldInvalid,
            "provider.github.email_addresses",
        ),
        (one(app(json!({"email_domains": ["@b.test"]}))), Code::EmailDomainInvalid, "provider.github.email_domains"),
        (
            one(app(json!({"email_domains": ["b.test", "B.test"]}))),
            Code::EmailDomainRepeated,
            "provider.github.email_domains",
        ),
        (one(app(json!({"teams": ["acme"]}))), Code::TeamInvalid, "provider.github.teams"),
        (one(app(json!({"organizations": ["a b"]}))), Code::FieldInvalid, "provider.github.organizations"),
        (json!({"provider": {"gitlab": app(json!({"teams": ["a/b"]}))}}), Code::FieldUnknown, "provider.gitlab.teams"),
        (json!({"provider": {"myspace": app(json!({}))}}), Code::FieldUnknown, "provider.myspace"),
    ];
    for (seconds, code) in [
        (json!(1), Code::CheckIntervalShort),
        (json!(9), Code::CheckIntervalShort),
        (json!(31_536_001), Code::CheckIntervalLong),
        (json!(-1), Code::FieldInvalid),
    ] {
        wrong.push((with(one(app(json!({}))), json!({"auth_check_interval": seconds})), code, "auth_check_interval"));
    }
    wrong.extend(wrong_sessions(&one(app(json!({})))));
    Cases { fine, wrong, ..Cases::default() }
}

pub(crate) fn oidc(_: &Things) -> Cases {
    let app = |own: Value| {
        with(json!({"issuer": "https://id.test", "client_id": "app", "client_secret": "planted-one"}), own)
    };
    let full = unusual(json!({
        "issuer": "https://id.test:8443/realms/one/", "client_id": "app", "client_secret": "planted-two",
        "scopes": ["groups", "openid"],
    }));
    let shown = |own: Value| session(app(own));
    let mut fine =
        vec![(app(json!({})), shown(json!({"scopes": ["openid", "profile", "email"]}))), (full.clone(), full)];
    for (scopes, all) in
        [(json!([]), json!(["openid", "profile", "email"])), (json!(["groups", "groups"]), json!(["openid", "groups"]))]
    {
        fine.push((app(json!({"scopes": scopes})), shown(json!({"scopes": all}))));
    }
    for issuer in ["http://localhost:8080", "http://127.0.0.1/x", "http://[::1]:5556/dex"] {
        let scopes = json!({"issuer": issuer, "scopes": ["openid"]});
        fine.push((app(scopes.clone()), shown(scopes)));
    }
    let mut wrong = vec![
        (json!({}), Code::IssuerMissing, "issuer"),
        (app(json!({"issuer": ""})), Code::IssuerMissing, "issuer"),
        (app(json!({"client_id": ""})), Code::ClientIdMissing, "client_id"),
        (app(json!({"client_secret": ""})), Code::ClientSecretMissing, "client_secret"),
        (app(json!({"client_id": "a".repeat(513)})), Code::FieldInvalid, "client_id"),
        (app(json!({"client_secret": "planted".repeat(74)})), Code::FieldInvalid, "client_secret"),
        (app(json!({"scopes": [""]})), Code::FieldInvalid, "scopes"),
        (app(json!({"scopes": vec!["a".repeat(257)]})), Code::FieldInvalid, "scopes"),
    ];
    for issuer in [
        "id.test",
        "http://id.test",
        "ftp://id.test",
        "https://",
        "https://ada:planted@id.test",
        "https://id.test/?a",
        "https://id.test/#a",
        "https://id.test/ a",
        "javascript:alert(1)",
    ] {
        wrong.push((app(json!({"issuer": issuer})), Code::IssuerInvalid, "issuer"));
    }
    wrong.push((app(json!({"issuer": format!("https://id.test/{}", "a".repeat(240))})), Code::IssuerInvalid, "issuer"));
    wrong.extend(wrong_sessions(&app(json!({}))));
    Cases { fine, wrong, ..Cases::default() }
}

pub(crate) fn saml(_: &Things) -> Cases {
    let shown = |said: Value| {
        let made_up: Value = MADE_UP.into_iter().map(|member| (member.to_owned(), json!("made up"))).collect();
        with(with(said, made_up), json!({"idp_metadata_url": ""}))
    };
    let said = |own: Value| with(json!({"idp_metadata": METADATA}), own);
    let least = session(json!({
        "idp_metadata": METADATA, "force_authn": false, "allow_idp_initiated": true, "authorized_groups": [],
        "nameid_format": "urn:oasis:names:tc:SAML:2.0:nameid-format:persistent",
    }));
    let full = unusual(json!({
        "idp_metadata": "<?xml version=\"1.0\"?>\n<EntityDescriptor/>\n", "force_authn": true,
        "allow_idp_initiated": false, "authorized_groups": ["ops", "Web team"],
        "nameid_format": "urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress",
    }));
    let mut fine = vec![(said(json!({})), shown(least.clone())), (full.clone(), shown(full))];
    fine.push((said(json!({"nameid_format": ""})), shown(least.clone())));
    for format in ["2.0:nameid-format:transient", "1.1:nameid-format:unspecified"] {
        let format = json!({"nameid_format": format!("urn:oasis:names:tc:SAML:{format}")});
        fine.push((said(format.clone()), shown(with(least.clone(), format))));
    }
    let twice = json!({"authorized_groups": ["ops", "ops"]});
    fine.push((said(twice), shown(with(least, json!({"authorized_groups": ["ops"]})))));
    let many: Vec<String> = (0..101).map(|number| number.to_string()).collect();
    let mut wrong = vec![
        (json!({}), Code::IdpMetadataMissing, "idp_metadata"),
        (said(json!({"nameid_format": "persistent"})), Code::NameIdFormat, "nameid_format"),
        (said(json!({"authorized_groups": [""]})), Code::FieldInvalid, "authorized_groups"),
        (said(json!({"authorized_groups": many})), Code::FieldInvalid, "authorized_groups"),
        (said(json!({"authorized_groups": ["a", 5]})), Code::FieldInvalid, "authorized_groups[1]"),
        (said(json!({"entity_id": "https://x.test"})), Code::FieldUnknown, "entity_id"),
    ];
    for (metadata, code) in [
        (String::new(), Code::IdpMetadataMissing),
        ("no".to_owned(), Code::IdpMetadataInvalid),
        ("<html/>".to_owned(), Code::IdpMetadataInvalid),
        ("<EntityDescriptor>".to_owned(), Code::IdpMetadataInvalid),
        ("<!DOCTYPE a><EntityDescriptor/>".to_owned(), Code::IdpMetadataInvalid),
        (
            "<!DOCTYPE a [<!ENTITY b \"c\">]><EntityDescriptor>&b;</EntityDescriptor>".to_owned(),
            Code::IdpMetadataInvalid,
        ),
        (format!("<EntityDescriptor>{}</EntityDescriptor>", "<a/>".repeat(6000)), Code::IdpMetadataTooLarge),
        (format!("{}<EntityDescriptor/>", " ".repeat(128 << 10)), Code::IdpMetadataTooLarge),
    ] {
        wrong.push((json!({"idp_metadata": metadata}), code, "idp_metadata"));
    }
    wrong.extend(wrong_sessions(&said(json!({}))));
    Cases { fine, wrong, ..Cases::default() }
}
