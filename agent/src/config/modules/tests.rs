//! Reading the keys of modules, and the problems that are reported.

use crate::config::{Config, Definition, Problems};
use postern_api::{Secret, tunnel_modules::TunnelModules};
use serde_json::{Value, json};

fn read(keys: Value) -> Result<TunnelModules, Problems> {
    let mut body = json!({"proto": "http", "addr": 80});
    body.as_object_mut().expect("an object").extend(keys.as_object().expect("an object").clone());
    Definition::from_json("site", body.as_object().expect("an object"))
        .map(|definition| definition.modules.map_or_else(TunnelModules::default, |modules| *modules))
}

#[test]
fn every_module_has_its_key() {
    let modules = read(json!({
        "basic_auth": ["ada:longenough"],
        "circuit_breaker": 0.25,
        "compression": true,
        "ip_restriction": {"allow_cidrs": ["10.0.0.0/8", "::1"], "deny_cidrs": ["10.1.0.0/16"]},
        "error_pages": {"pages": {"404": "<h1>${res.status}</h1>"}, "upstream": true},
        "maintenance": {"until": "2030-01-31T12:00:00Z", "status_code": 500, "allow_cidrs": ["::1"]},
        "redirect": [{"path": "/old/(.*)", "to": "/new/${1}"}, {"host": "a.test", "to": "https://b.test", "status_code": 308}],
        "rewrite": {"strip_prefix": "/api"},
        "rate_limit": {"requests": 100, "interval": "1m", "burst": 5},
        "request_header": {"add": ["X-A: b: c"], "remove": ["X-B"]},
        "response_header": {"add": {"X-Number": 3}},
        "user_agent_filter": {"allow": ["^curl/"], "deny": ["."]},
        "verify_webhook": {"provider": "github", "secret": "s3cret"},
        "websocket_tcp_converter": true,
    }))
    .expect("valid");
    assert_eq!(modules.basic_auth, [Secret::new("ada:longenough")]);
    assert_eq!(modules.circuit_breaker.map(|breaker| breaker.error_threshold_percentage), Some(0.25));
    assert!(modules.compression && modules.websocket_tcp_converter);
    let addresses = modules.ip_restriction.expect("lists");
    assert_eq!((addresses.allow.len(), addresses.deny.len()), (2, 1));
    assert!(modules.error_pages.is_some_and(|pages| pages.upstream && pages.pages.contains_key("404")));
    let maintenance = modules.maintenance.expect("a maintenance");
    assert_eq!((maintenance.status_code, maintenance.allow), (500, vec!["::1/128".to_owned()]));
    assert!(maintenance.until.is_some_and(|until| until.to_string() == "2030-01-31T12:00:00Z"));
    let statuses: Vec<u16> = modules.redirect.expect("rules").rules.iter().map(|rule| rule.status_code).collect();
    assert_eq!(statuses, [302, 308]);
    assert_eq!(modules.rewrite.expect("a rewrite").strip_prefix, "/api");
    let limit = modules.rate_limit.expect("a limit");
    assert_eq!((limit.requests, limit.interval, limit.burst, limit.key.as_str()), (100, 60, 5, "address"));
    let headers = modules.request_headers.expect("changes");
    assert_eq!((headers.add["x-a"].as_str(), headers.remove[0].as_str()), ("b: c", "x-b"));
    assert_eq!(modules.response_headers.expect("changes").add["x-number"], "3");
    assert_eq!(modules.user_agent_filter.expect("patterns").allow, ["^curl/"]);
    assert_eq!(modules.webhook_verification.expect("a provider").provider, "github");
}

#[test]
fn login_modules_are_read_and_checked() {
    let own = json!({"provider": "GitHub", "allow_domains": ["a.test"], "client_id": "a", "client_secret": "planted"});
    let oauth = read(json!({"oauth": own})).expect("valid").oauth.expect("a login");
    let github = oauth.provider.github.expect("GitHub");
    assert_eq!((github.email_domains.as_slice(), github.client_id.as_str()), (["a.test".to_owned()].as_slice(), "a"));
    let oidc = json!({"issuer_url": "https://id.test", "client_id": "a", "client_secret": "b", "scopes": ["groups"]});
    assert_eq!(read(json!({"oidc": oidc})).expect("valid").oidc.expect("a login").scopes, ["openid", "groups"]);
    for (keys, sentence) in [
        (json!({"oauth": {"provider": "myspace"}}), "oauth.provider: Is not a known provider"),
        (json!({"oauth": {}}), "oauth.provider: Is missing"),
        (json!({"oauth": {"provider": "google", "allow_emails": ["unknown"]}}), "oauth.allow_emails: `unknown`"),
        (json!({"oauth": {"provider": "google", "client_secret": "planted"}}), "oauth.client_id: "),
        (json!({"oidc": {"issuer_url": "http://id.test"}}), "oidc.issuer_url: `issuer_url` is"),
        (json!({"oidc": {"allow_emails": ["a@b.c"]}}), "oidc.allow_emails: The issuer decides"),
        (json!({"basic_auth": ["ada:longenough"], "oidc": oidc}), "oauth: A tunnel has at most one"),
    ] {
        let text = read(keys.clone()).expect_err("wrong").to_string();
        assert!(text.contains(sentence) && !text.contains("planted"), "{keys}: {text}");
    }
}

#[test]
fn modules_for_visitors_name_the_key_that_is_wrong() {
    assert!(read(json!({"maintenance": true})).expect("valid").maintenance.is_some());
    assert!(read(json!({"maintenance": false})).expect("valid").maintenance.is_none());
    for (keys, sentence) in [
        (json!({"maintenance": {"until": "tomorrow"}}), "maintenance.until: Must be a time"),
        (
            json!({"maintenance": {"status_code": 100}}),
            "maintenance.status_code: Must be a whole number from 200 to 599",
        ),
        (json!({"maintenance": {"allow_cidrs": ["x"]}}), "`x` is not an IP range"),
        (json!({"redirect": {"path": "/a"}}), "redirect.to: Is missing"),
        (json!({"redirect": [{"to": "//a"}]}), "Begin a path with one slash"),
        (
            json!({"rewrite": {"strip_prefx": "/a"}}),
            "rewrite.strip_prefx: There is no such key. Did you mean `strip_prefix`?",
        ),
        (json!({"rewrite": {"strip_prefix": "a"}}), "rewrite.strip_prefix: `strip_prefix` must be a path"),
        (json!({"error_pages": {"pages": {"200": "x"}}}), "error_pages.pages: `200` is not a status of errors"),
        (json!({"error_pages": {}}), "error_pages.pages: There are 0 pages"),
    ] {
        let text = read(keys.clone()).expect_err("wrong").to_string();
        assert!(text.contains(sentence), "{keys}: {text}");
    }
}

#[test]
fn headers_may_be_written_in_three_ways() {
    for add in ["[\"X-A: b\"]", "[{X-A: b}]", "{X-A: b}"] {
        let text = format!("version: 2\ntunnels:\n  s: {{proto: http, addr: 1, request_header: {{add: {add}}}}}\n");
        let config = Config::parse(&text).expect("valid");
        let modules = config.tunnels["s"].modules.as_ref().expect("modules");
        assert_eq!(modules.request_headers.as_ref().expect("changes").add["x-a"], "b", "{add}");
    }
}

#[test]
fn all_problems_are_reported_with_their_location_and_without_secrets() {
    let text = "version: 2\ntunnels:\n  s:\n    proto: http\n    addr: 1\n    basic_auth: [\"ada:longenough\", \"bob:planted\"]\n    \
                circuit_breaker: 3\n    ip_restriction:\n      alow_cidrs: [10.0.0.0/8]\n      deny_cidrs: [10.0.0.1/8]\n    \
                request_header:\n      add: [\"no colon here\"]\n      remove: [Connection]\n    user_agent_filter:\n      deny: [\"x\", \"(\"]\n    \
                verify_webhook: {provider: github}\n    rate_limit: {requests: 0, interval: 10, key: ip}\n    mutual_tls_cas: /nowhere/at/all.pem\n    traffic_policy: {}\n";
    let problems = Config::parse(text).expect_err("wrong");
    let text = problems.to_string();
    for part in [
        "postern.yml:6:36: tunnels.s.basic_auth[1]: The password is too short",
        "postern.yml:7:22: tunnels.s.circuit_breaker: Must be a share",
        "postern.yml:9:7: tunnels.s.ip_restriction.alow_cidrs: There is no such key. Did you mean `allow_cidrs`?",
        "postern.yml:10:20: tunnels.s.ip_restriction.deny_cidrs: `10.0.0.1/8` has bits set",
        "postern.yml:12:13: tunnels.s.request_header.add: Write every header as",
        "postern.yml:15:19: tunnels.s.user_agent_filter.deny[1]: ",
        "postern.yml:16:5: tunnels.s.verify_webhook.secret: `secret` is needed",
        "postern.yml:17:28: tunnels.s.rate_limit.requests: Must be a whole number from 1 to 1000000",
        "postern.yml:18:21: tunnels.s.mutual_tls_cas: /nowhere/at/all.pem cannot be read",
        "tunnels.s.traffic_policy: Traffic policies are not supported",
    ] {
        assert!(text.contains(part), "{part} is not in:\n{text}");
    }
    assert!(!text.contains("planted"), "{text}");
}

#[test]
fn modules_are_accepted_only_for_kinds_that_support_them() {
    let refused = |body: Value| Definition::from_json("t", body.as_object().expect("an object")).is_err();
    let addresses = json!({"allow_cidrs": ["127.0.0.1"]});
    assert!(!refused(json!({"proto": "tcp", "addr": 1, "ip_restriction": addresses})));
    assert!(refused(json!({"labels": ["a=b"], "addr": 1, "ip_restriction": addresses})));
    assert!(!refused(json!({"proto": "tcp", "addr": 1, "rate_limit": {"requests": 5, "interval": "1s"}})));
    assert!(refused(json!({"labels": ["a=b"], "addr": 1, "rate_limit": {"requests": 5, "interval": "1s"}})));
    for key in ["basic_auth", "compression", "circuit_breaker", "oauth", "verify_webhook", "mutual_tls_cas"] {
        assert!(refused(json!({"proto": "tcp", "addr": 1, key: "x"})), "{key}");
        assert!(refused(json!({"labels": ["a=b"], "addr": 1, key: "x"})), "{key}");
    }
}

#[test]
fn passwords_are_never_shown_by_debug() {
    let modules = read(json!({"basic_auth": "ada:planted-word"})).expect("one is a list of one");
    assert!(!format!("{modules:?}").contains("planted"));
    let older = read(json!({"auth": "ada:planted-word"})).expect("the older word");
    assert_eq!(older.basic_auth, modules.basic_auth);
    assert!(read(json!({"auth": "ada:longenough", "basic_auth": "ada:longenough"})).is_err());
}
