//! Table of modules: owners, valid bodies with their views, and refused bodies.

mod logins;
mod visitor_modules;

use crate::{
    certificates::authority_pem,
    kit::{BASE_URL, Caller},
};
use postern_api::Code;
use serde_json::{Value, json};

/// A module on an owner.
pub(crate) struct Pair {
    /// Path of the owner's collection; that of a nested kind contains `{edge_id}`.
    pub(crate) owner: &'static str,
    pub(crate) name: &'static str,
    cases: fn(&Things) -> Cases,
}

/// Bodies of a module.
#[derive(Default)]
pub(crate) struct Cases {
    /// Valid bodies and their views. The first is minimal; the second has every member, none with its default value, and is
    /// disabled.
    pub(crate) fine: Vec<(Value, Value)>,
    /// Refused bodies, with the code and the field of the error.
    pub(crate) wrong: Vec<(Value, Code, &'static str)>,
    /// Other modules its owner must have.
    pub(crate) beside: Option<Value>,
    /// Record that the first valid body names and that cannot be deleted then, with the code of that refusal.
    pub(crate) needs: Vec<(String, Code)>,
    /// Record that the first valid body names and that can be deleted nevertheless.
    pub(crate) mentions: Vec<String>,
}

const ROUTES: &str = "/edges/https/{edge_id}/routes";

/// Every module of every owner.
pub(crate) fn pairs() -> Vec<Pair> {
    let pair = |owner, name, cases| Pair { owner, name, cases };
    vec![
        pair("/edges/https", "mutual_tls", mutual_tls),
        pair("/edges/https", "tls_termination", https_termination),
        pair(ROUTES, "backend", backend),
        pair(ROUTES, "basic_auth", basic_auth),
        pair(ROUTES, "circuit_breaker", circuit_breaker),
        pair(ROUTES, "compression", switch),
        pair(ROUTES, "error_pages", visitor_modules::error_pages),
        pair(ROUTES, "ip_restriction", ip_restriction),
        pair(ROUTES, "maintenance", visitor_modules::maintenance),
        pair(ROUTES, "oauth", logins::oauth),
        pair(ROUTES, "oidc", logins::oidc),
        pair(ROUTES, "rate_limit", visitor_modules::rate_limit),
        pair(ROUTES, "redirect", visitor_modules::redirect),
        pair(ROUTES, "rewrite", visitor_modules::rewrite),
        pair(ROUTES, "request_headers", request_headers),
        pair(ROUTES, "response_headers", response_headers),
        pair(ROUTES, "saml", logins::saml),
        pair(ROUTES, "user_agent_filter", user_agent_filter),
        pair(ROUTES, "webhook_verification", webhook_verification),
        pair(ROUTES, "websocket_tcp_converter", switch),
        pair("/edges/tcp", "backend", backend),
        pair("/edges/tcp", "ip_restriction", ip_restriction),
        pair("/edges/tcp", "rate_limit", visitor_modules::rate_limit_of_connections),
        pair("/edges/tls", "backend", backend),
        pair("/edges/tls", "ip_restriction", ip_restriction),
        pair("/edges/tls", "mutual_tls", mutual_tls_of_a_tls_edge),
        pair("/edges/tls", "rate_limit", visitor_modules::rate_limit_of_connections),
        pair("/edges/tls", "tls_termination", tls_termination),
    ]
}

/// Records that modules may name.
pub(crate) struct Things {
    groups: [String; 2],
    /// One backend of each other kind: path and id.
    backends: Vec<(&'static str, String)>,
    policies: [String; 2],
    authorities: [String; 2],
}

impl Things {
    pub(crate) async fn make(caller: &Caller) -> Self {
        let authority = || async { caller.id("/certificate_authorities", &json!({"ca_pem": authority_pem()})).await };
        let mut backends = Vec::new();
        for (path, body) in [
            ("/backends/failover", json!({"backends": []})),
            ("/backends/http_response", json!({"body": "gone", "status_code": 410})),
            ("/backends/static", json!({"address": "service.test:80"})),
            ("/backends/weighted", json!({"backends": {}})),
        ] {
            backends.push((path, caller.id(path, &body).await));
        }
        Things {
            groups: [caller.group().await, caller.group().await],
            backends,
            policies: [caller.policy().await, caller.policy().await],
            authorities: [authority().await, authority().await],
        }
    }
}

impl Pair {
    pub(crate) fn cases(&self, things: &Things) -> Cases {
        (self.cases)(things)
    }

    /// Path of the owner's collection; a nested kind gets a new parent.
    pub(crate) async fn collection(&self, caller: &Caller) -> String {
        match self.owner.split_once("/{edge_id}") {
            Some((parents, _)) => self.owner.replace("{edge_id}", &caller.id(parents, &json!({})).await),
            None => self.owner.to_owned(),
        }
    }

    /// Body of an owner with only the modules that this one requires.
    pub(crate) fn bare(&self, cases: &Cases) -> Value {
        let mut body = cases.beside.clone().unwrap_or_else(|| json!({}));
        if self.owner.ends_with("/routes") {
            body["match_type"] = json!("path_prefix");
            body["match"] = json!("/");
        }
        body
    }
}

/// View of a module, without the generated values of each owner.
pub(crate) fn seen(mut module: Value) -> Value {
    for member in logins::MADE_UP {
        if let Some(text) = module.get_mut(member) {
            assert!(text.as_str().is_some_and(|text| !text.is_empty()), "{member} is empty");
            *text = json!("made up");
        }
    }
    module
}

fn refer(path: &str, id: &str) -> Value {
    json!({"id": id, "uri": format!("{BASE_URL}{path}/{id}")})
}

fn backend(things: &Things) -> Cases {
    const GROUPS: &str = "/backends/tunnel_group";
    let [one, two] = &things.groups;
    let mut fine = vec![
        (json!({"backend_id": one}), json!({"enabled": true, "backend": refer(GROUPS, one)})),
        (json!({"enabled": false, "backend_id": two}), json!({"enabled": false, "backend": refer(GROUPS, two)})),
    ];
    for (path, id) in &things.backends {
        fine.push((json!({"backend_id": id}), json!({"enabled": true, "backend": refer(path, id)})));
    }
    let wrong = vec![
        (json!({}), Code::FieldMissing, "backend_id"),
        (json!({"enabled": true}), Code::FieldMissing, "backend_id"),
        (json!({"backend_id": ""}), Code::FieldMissing, "backend_id"),
        (json!({"backend_id": "x"}), Code::IdShape, "backend_id"),
        (json!({"backend_id": things.policies[0]}), Code::IdShape, "backend_id"),
        (json!({"backend_id": "bkdtg_0ujtsYcgvSTl8PAuAdqWYSMnLOv"}), Code::BackendUnknown, "backend_id"),
        (json!({"backend_id": "bkdsc_0ujtsYcgvSTl8PAuAdqWYSMnLOv"}), Code::BackendUnknown, "backend_id"),
    ];
    Cases { fine, wrong, needs: vec![(format!("{GROUPS}/{one}"), Code::BackendInUse)], ..Cases::default() }
}

fn ip_restriction(things: &Things) -> Cases {
    let [one, two] = &things.policies;
    let list = |ids: &[&String]| ids.iter().map(|id| refer("/ip_policies", id)).collect::<Vec<_>>();
    let fine = vec![
        (json!({"ip_policy_ids": [one]}), json!({"enabled": true, "ip_policies": list(&[one])})),
        (
            json!({"enabled": false, "ip_policy_ids": [two, one, two]}),
            json!({"enabled": false, "ip_policies": list(&[two, one])}),
        ),
    ];
    let ghost = "ipp_0ujtsYcgvSTl8PAuAdqWYSMnLOv";
    let wrong = vec![
        (json!({}), Code::FieldMissing, "ip_policy_ids"),
        (json!({"ip_policy_ids": []}), Code::PolicyCount, "ip_policy_ids"),
        (json!({"ip_policy_ids": vec![one; 101]}), Code::PolicyLimit, "ip_policy_ids"),
        (json!({"ip_policy_ids": [one, ghost]}), Code::ModulePolicyUnknown, "ip_policy_ids"),
        (json!({"ip_policy_ids": [one, "x"]}), Code::IdShape, "ip_policy_ids"),
        (json!({"ip_policy_ids": [one, 5]}), Code::FieldInvalid, "ip_policy_ids[1]"),
    ];
    Cases { fine, wrong, mentions: vec![format!("/ip_policies/{one}")], ..Cases::default() }
}

fn mutual_tls(things: &Things) -> Cases {
    const AUTHORITIES: &str = "/certificate_authorities";
    let [one, two] = &things.authorities;
    let list = |ids: &[&String]| ids.iter().map(|id| refer(AUTHORITIES, id)).collect::<Vec<_>>();
    let fine = vec![
        (
            json!({"certificate_authority_ids": [one]}),
            json!({"enabled": true, "certificate_authorities": list(&[one])}),
        ),
        (
            json!({"enabled": false, "certificate_authority_ids": [two, one, two]}),
            json!({"enabled": false, "certificate_authorities": list(&[two, one])}),
        ),
    ];
    let field = "certificate_authority_ids";
    let ghost = "ca_0ujtsYcgvSTl8PAuAdqWYSMnLOv";
    let wrong = vec![
        (json!({}), Code::FieldMissing, field),
        (json!({field: []}), Code::MutualTlsCount, field),
        (json!({field: vec![one; 11]}), Code::MutualTlsCount, field),
        (json!({field: [one, ghost]}), Code::AuthorityUnknown, field),
        (json!({field: ["x"]}), Code::IdShape, field),
        (json!({field: [things.policies[0]]}), Code::IdShape, field),
        (json!({field: [5]}), Code::FieldInvalid, "certificate_authority_ids[0]"),
    ];
    Cases { fine, wrong, needs: vec![(format!("{AUTHORITIES}/{one}"), Code::AuthorityInUse)], ..Cases::default() }
}

fn mutual_tls_of_a_tls_edge(things: &Things) -> Cases {
    Cases { beside: Some(json!({"tls_termination": {}})), ..mutual_tls(things) }
}

/// Unsupported versions.
fn wrong_versions() -> Vec<(Value, Code, &'static str)> {
    let versions = ["", "1.0", "1.1", "1.4", "TLS 1.3", "1.2 "];
    versions.map(|version| (json!({"min_version": version}), Code::TlsVersion, "min_version")).into()
}

fn https_termination(_: &Things) -> Cases {
    let shown =
        |enabled: bool, version: &str| json!({"enabled": enabled, "terminate_at": "edge", "min_version": version});
    let fine = vec![
        (json!({}), shown(true, "1.2")),
        (json!({"enabled": false, "min_version": "1.3"}), shown(false, "1.3")),
        (json!({"min_version": "1.2"}), shown(true, "1.2")),
    ];
    let mut wrong = wrong_versions();
    for place in [json!("edge"), json!("upstream"), json!(5)] {
        wrong.push((json!({"terminate_at": place}), Code::TlsTerminateFixed, "terminate_at"));
    }
    Cases { fine, wrong, ..Cases::default() }
}

fn tls_termination(_: &Things) -> Cases {
    let shown = |enabled: bool, place: &str, version: Value| json!({"enabled": enabled, "terminate_at": place, "min_version": version});
    let fine = vec![
        (json!({}), shown(true, "edge", json!("1.2"))),
        (json!({"enabled": false, "terminate_at": "upstream"}), shown(false, "upstream", Value::Null)),
        (json!({"terminate_at": "edge", "min_version": "1.3"}), shown(true, "edge", json!("1.3"))),
    ];
    let mut wrong = wrong_versions();
    for place in ["", "agent", "Edge"] {
        wrong.push((json!({"terminate_at": place}), Code::TlsTerminateAt, "terminate_at"));
    }
    wrong.push((json!({"terminate_at": 5}), Code::FieldInvalid, "terminate_at"));
    let both = json!({"terminate_at": "upstream", "min_version": "1.2"});
    wrong.push((both, Code::TlsVersionUpstream, "min_version"));
    Cases { fine, wrong, ..Cases::default() }
}

fn circuit_breaker(_: &Things) -> Cases {
    let full = json!({
        "enabled": false,
        "tripped_duration": 1,
        "rolling_window": u32::MAX,
        "num_buckets": 128,
        "volume_threshold": 0,
        "error_threshold_percentage": 1.0,
    });
    let usual = json!({
        "enabled": true,
        "tripped_duration": 10,
        "rolling_window": 10,
        "num_buckets": 10,
        "volume_threshold": 20,
        "error_threshold_percentage": 0.5,
    });
    let mut least = usual.clone();
    least["num_buckets"] = json!(1);
    least["error_threshold_percentage"] = json!(0.0);
    let least_said = json!({"num_buckets": 1, "error_threshold_percentage": 0});
    let mut wrong = Vec::new();
    for (field, code, values) in [
        ("tripped_duration", Code::CircuitDuration, vec![json!(0)]),
        ("rolling_window", Code::CircuitWindow, vec![json!(0)]),
        ("num_buckets", Code::CircuitBuckets, vec![json!(0), json!(129), json!(u32::MAX)]),
        ("error_threshold_percentage", Code::CircuitThreshold, vec![json!(-0.001), json!(1.001), json!(50)]),
    ] {
        wrong.extend(values.into_iter().map(|value| (json!({field: value}), code, field)));
    }
    for field in ["tripped_duration", "rolling_window", "num_buckets", "volume_threshold"] {
        for value in [json!(-1), json!(1.5), json!(1_u64 << 32)] {
            wrong.push((json!({field: value}), Code::FieldInvalid, field));
        }
    }
    Cases { fine: vec![(json!({}), usual), (full.clone(), full), (least_said, least)], wrong, ..Cases::default() }
}

/// Modules with `enabled` only.
fn switch(_: &Things) -> Cases {
    let fine = vec![(json!({}), json!({"enabled": true})), (json!({"enabled": false}), json!({"enabled": false}))];
    Cases { fine, ..Cases::default() }
}

fn request_headers(things: &Things) -> Cases {
    let mut cases = response_headers(things);
    cases.wrong.push((json!({"add": {"User-Agent": "x"}}), Code::HeaderForbidden, "add"));
    cases.wrong.push((json!({"remove": ["user-agent"]}), Code::HeaderForbidden, "remove"));
    cases
}

fn response_headers(_: &Things) -> Cases {
    let fine = vec![
        (json!({}), json!({"enabled": true, "add": {}, "remove": []})),
        (
            json!({"enabled": false, "add": {"X-One": "a ${conn.client_ip}", "Host": "b.test"}, "remove": ["X-Two", "HOST"]}),
            json!({"enabled": false, "add": {"x-one": "a ${conn.client_ip}", "host": "b.test"}, "remove": ["x-two", "host"]}),
        ),
        (json!({"add": {"x": ""}}), json!({"enabled": true, "add": {"x": ""}, "remove": []})),
    ];
    let many = |count: usize| (0..count).map(|number| format!("x-{number}")).collect::<Vec<_>>();
    let added = |count, value: &str| many(count).into_iter().map(|name| (name, json!(value))).collect::<Value>();
    let long = "x".repeat(257);
    let wrong = vec![
        (json!({"add": {"a b": "1"}}), Code::HeaderName, "add"),
        (json!({"add": {"": "1"}}), Code::HeaderName, "add"),
        (json!({"remove": ["ä"]}), Code::HeaderName, "remove"),
        (json!({"add": {"a": "planted-\n"}}), Code::HeaderValue, "add"),
        (json!({"add": {"a": "planted-ä"}}), Code::HeaderValue, "add"),
        (json!({"add": {"X-One": "1", "x-one": "2"}}), Code::HeaderTwice, "add"),
        (json!({"remove": ["x", "X"]}), Code::HeaderTwice, "remove"),
        (json!({"remove": ["host"]}), Code::HeaderHostRemoved, "remove"),
        (json!({"add": {"Content-Length": "1"}}), Code::HeaderForbidden, "add"),
        (json!({"remove": ["transfer-encoding"]}), Code::HeaderForbidden, "remove"),
        (json!({"add": {"postern-error-code": "x"}}), Code::HeaderForbidden, "add"),
        (json!({"remove": [long]}), Code::HeaderNameLength, "remove"),
        (json!({"add": {"x": format!("planted-{}", "x".repeat(4089))}}), Code::HeaderValueLength, "add"),
        (json!({"add": added(9, &"x".repeat(4096))}), Code::HeaderValueLength, "add"),
        (json!({"add": added(101, "x")}), Code::HeaderCount, "add"),
        (json!({"remove": many(101)}), Code::HeaderCount, "remove"),
        (json!({"add": {"x": 5}}), Code::FieldInvalid, "add.x"),
        (json!({"remove": [5]}), Code::FieldInvalid, "remove[0]"),
    ];
    Cases { fine, wrong, ..Cases::default() }
}

fn user_agent_filter(_: &Things) -> Cases {
    let full = json!({"enabled": false, "allow": ["^curl/", "^$"], "deny": ["(?i)bot"]});
    let fine = vec![
        (json!({}), json!({"enabled": true, "allow": [], "deny": []})),
        (full.clone(), full),
        (json!({"deny": [".*"]}), json!({"enabled": true, "allow": [], "deny": [".*"]})),
    ];
    let wrong = vec![
        (json!({"allow": ["("]}), Code::PatternInvalid, "allow[0]"),
        (json!({"deny": ["fine", "[z-a]"]}), Code::PatternInvalid, "deny[1]"),
        (json!({"deny": ["((a{100}){100}){100}"]}), Code::PatternInvalid, "deny[0]"),
        (json!({"allow": ["x".repeat(1025)]}), Code::PatternLength, "allow[0]"),
        (json!({"allow": vec!["x"; 101]}), Code::PatternCount, "allow"),
        (json!({"deny": vec!["x"; 101]}), Code::PatternCount, "deny"),
        (json!({"deny": [5]}), Code::FieldInvalid, "deny[0]"),
    ];
    Cases { fine, wrong, ..Cases::default() }
}

fn basic_auth(_: &Things) -> Cases {
    let user = |name: &str, password: &str| json!({"username": name, "password": password});
    let shown = |names: &[&str]| names.iter().map(|name| json!({"username": name})).collect::<Vec<_>>();
    let fine = vec![
        (json!({"users": [user("ada", "planted-1")]}), json!({"enabled": true, "users": shown(&["ada"])})),
        (
            json!({"enabled": false, "users": [user("ada", "planted-2"), user("bob", "planted-3")]}),
            json!({"enabled": false, "users": shown(&["ada", "bob"])}),
        ),
        (json!({"users": [user("Zoë Ada", "planted:1 ")]}), json!({"enabled": true, "users": shown(&["Zoë Ada"])})),
    ];
    let wrong = vec![
        (json!({}), Code::FieldMissing, "users"),
        (json!({"users": []}), Code::PasswordInvalid, "users"),
        (json!({"users": [user("ada", "planted")]}), Code::PasswordInvalid, "users[0].password"),
        (
            json!({"users": [user("ada", &format!("planted-{}", "x".repeat(245)))]}),
            Code::PasswordInvalid,
            "users[0].password",
        ),
        (json!({"users": [user("ada", "planted-\u{7}")]}), Code::PasswordInvalid, "users[0].password"),
        (json!({"users": [user("", "planted-1")]}), Code::PasswordInvalid, "users[0].username"),
        (json!({"users": [user("a:b", "planted-1")]}), Code::PasswordInvalid, "users[0].username"),
        (json!({"users": [user("ada", "planted-1"), {"username": "bob"}]}), Code::PasswordInvalid, "users[1].password"),
        (
            json!({"users": [user("ada", "planted-1"), user("ada", "planted-2")]}),
            Code::PasswordInvalid,
            "users[1].username",
        ),
        (json!({"users": [{"password": "planted-1"}]}), Code::FieldMissing, "users[0].username"),
        (json!({"users": [{"username": 5}]}), Code::FieldInvalid, "users[0].username"),
    ];
    Cases { fine, wrong, ..Cases::default() }
}

fn webhook_verification(_: &Things) -> Cases {
    // Public ECDSA key on P-256, in the form of the only provider that needs one.
    let key = "MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEaxfR8uEsQkf4vOblY6RA8ncDfYEt6zOg9KE5RdiYwpZP40Li/hp/m47n60p8D54WK84zV2sxXs7LtkBoN79R9Q==";
    let said = |provider: &str, secret: &str| json!({"provider": provider, "secret": secret});
    let shown =
        |enabled, provider: &str, secret: &str| json!({"enabled": enabled, "provider": provider, "secret": secret});
    let full = shown(false, "TWILIO", "planted-two");
    let fine = vec![
        (said("github", "planted-one"), shown(true, "github", "planted-one")),
        (full.clone(), full),
        (json!({"provider": "sns"}), shown(true, "sns", "")),
        (said("SNS", ""), shown(true, "SNS", "")),
        (said("SendGrid", key), shown(true, "SendGrid", key)),
    ];
    let wrong = vec![
        (json!({}), Code::FieldMissing, "provider"),
        (json!({"secret": "planted-three"}), Code::FieldMissing, "provider"),
        (said("", "planted-three"), Code::WebhookProviderMissing, "provider"),
        (said("githib", "planted-three"), Code::WebhookProviderUnknown, "provider"),
        (json!({"provider": "github"}), Code::WebhookSecretMissing, "secret"),
        (said("github", ""), Code::WebhookSecretMissing, "secret"),
        (said("sns", "planted-three"), Code::WebhookSecretUnwanted, "secret"),
        (said("sendgrid", "planted-three"), Code::WebhookSecretKey, "secret"),
        (said("stripe", &format!("planted-{}", "x".repeat(2041))), Code::WebhookSecretLength, "secret"),
    ];
    Cases { fine, wrong, ..Cases::default() }
}
