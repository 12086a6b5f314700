//! Rate limits, maintenance, redirects, rewrites and error pages.

use super::{Cases, Things};
use postern_api::Code;
use serde_json::{Value, json};

/// Bodies whose key needs no requests.
pub(super) fn rate_limit_of_connections(things: &Things) -> Cases {
    let mut cases = rate_limit(things);
    let fits = |body: &Value| body["key"].as_str().is_none_or(|key| matches!(key, "address" | "everyone"));
    cases.fine.retain(|(body, _)| fits(body));
    for key in ["identity", "header:x-key"] {
        cases.wrong.push((json!({"requests": 1, "interval": 1, "key": key}), Code::RateKey, "key"));
    }
    cases
}

pub(super) fn rate_limit(_: &Things) -> Cases {
    let shown = |requests: u32, interval: u32, key: &str| json!({"enabled": true, "requests": requests, "interval": interval, "burst": 0, "key": key});
    let full =
        json!({"enabled": false, "requests": 1_000_000, "interval": 86_400, "burst": 1_000_000, "key": "everyone"});
    let fine = vec![
        (json!({}), shown(100, 10, "address")),
        (full.clone(), full),
        (json!({"requests": 1, "interval": 60, "key": "identity"}), shown(1, 60, "identity")),
        (json!({"requests": 1, "interval": 60, "key": "header:X-Key"}), shown(1, 60, "header:x-key")),
    ];
    let mut wrong = vec![
        (json!({"requests": 0, "interval": 1}), Code::RateRequests, "requests"),
        (json!({"requests": 1_000_001, "interval": 1}), Code::RateRequests, "requests"),
        (json!({"requests": 1, "interval": 0}), Code::RateInterval, "interval"),
        (json!({"requests": 1, "interval": 86_401}), Code::RateInterval, "interval"),
        (json!({"requests": 1, "interval": 1, "burst": 1_000_001}), Code::RateBurst, "burst"),
        (json!({"requests": -1, "interval": 1}), Code::FieldInvalid, "requests"),
        (json!({"requests": 1, "interval": 1.5}), Code::FieldInvalid, "interval"),
    ];
    for key in ["", "ip", "Address", "header:", "header:a b", "header:planted\n"] {
        wrong.push((json!({"requests": 1, "interval": 1, "key": key}), Code::RateKey, "key"));
    }
    Cases { fine, wrong, ..Cases::default() }
}

pub(super) fn maintenance(_: &Things) -> Cases {
    let usual = json!({
        "enabled": true,
        "until": null,
        "status_code": 503,
        "body": "",
        "content_type": "text/html; charset=utf-8",
        "allow": [],
    });
    let full = json!({
        "enabled": false,
        "until": "2030-01-31T12:00:00Z",
        "status_code": 200,
        "body": "soon",
        "content_type": "text/plain",
        "allow": ["203.0.113.0/24"],
    });
    let wrong = vec![
        (json!({"until": "tomorrow"}), Code::FieldInvalid, "until"),
        (json!({"status_code": 100}), Code::MaintenanceStatus, "status_code"),
        (json!({"body": "x".repeat(32 * 1024 + 1)}), Code::MaintenanceBody, "body"),
        (json!({"content_type": "planted\n"}), Code::MaintenanceType, "content_type"),
        (json!({"allow": vec!["::1"; 101]}), Code::MaintenanceNetworks, "allow"),
        (json!({"allow": ["::1", "10.0.0.1/8"]}), Code::CidrHostBits, "allow[1]"),
    ];
    Cases { fine: vec![(json!({}), usual), (full.clone(), full)], wrong, ..Cases::default() }
}

pub(super) fn redirect(_: &Things) -> Cases {
    let shown = |enabled: bool, host: &str, path: &str, to: &str, status_code: u16| {
        let rule = json!({"host": host, "path": path, "to": to, "status_code": status_code});
        json!({"enabled": enabled, "rules": [rule]})
    };
    let full = |host: &str| json!({"enabled": false, "rules": [{"host": host, "path": "/a/(.*)", "to": "https://b.test/${1}?${req.query}", "status_code": 308}]});
    let fine = vec![
        (json!({"rules": [{"to": "/new"}]}), shown(true, "", "", "/new", 302)),
        (full("*.A.test"), full("*.a.test")),
    ];
    let rule = |rule: Value| json!({"rules": [{"to": "/"}, rule]});
    let wrong = vec![
        (json!({}), Code::FieldMissing, "rules"),
        (json!({"rules": []}), Code::RedirectCount, "rules"),
        (json!({"rules": vec![json!({"to": "/"}); 101]}), Code::RedirectCount, "rules"),
        (rule(json!({})), Code::FieldMissing, "rules[1].to"),
        (rule(json!({"to": "//evil.test"})), Code::RedirectTarget, "rules[1].to"),
        (rule(json!({"to": "https://${1}/"})), Code::RedirectTarget, "rules[1].to"),
        (rule(json!({"to": "/", "host": "a b"})), Code::RedirectHost, "rules[1].host"),
        (rule(json!({"to": "/", "path": "("})), Code::PatternInvalid, "rules[1].path"),
        (rule(json!({"to": "/", "path": "x".repeat(1025)})), Code::PatternLength, "rules[1].path"),
        (rule(json!({"to": "/", "status_code": 200})), Code::RedirectStatus, "rules[1].status_code"),
    ];
    Cases { fine, wrong, ..Cases::default() }
}

pub(super) fn rewrite(_: &Things) -> Cases {
    let shown = |enabled: bool, members: Value| {
        let mut all =
            json!({"enabled": enabled, "strip_prefix": "", "add_prefix": "", "path": "", "to": "", "host": ""});
        all.as_object_mut().expect("an object").extend(members.as_object().expect("an object").clone());
        all
    };
    let pattern = json!({"path": "/a/(.*)", "to": "/b/${1}", "host": "app.test:8080"});
    let prefix = json!({"strip_prefix": "/api", "add_prefix": "/v1"});
    let fine = vec![
        (json!({"strip_prefix": "/api"}), shown(true, json!({"strip_prefix": "/api"}))),
        (shown(false, pattern.clone()), shown(false, pattern)),
        (prefix.clone(), shown(true, prefix)),
    ];
    let wrong = vec![
        (json!({}), Code::RewriteEmpty, "strip_prefix"),
        (json!({"strip_prefix": "api"}), Code::RewritePath, "strip_prefix"),
        (json!({"strip_prefix": "/a/../b"}), Code::RewritePath, "strip_prefix"),
        (json!({"add_prefix": "/a/"}), Code::RewritePath, "add_prefix"),
        (json!({"path": "/a"}), Code::RewritePath, "to"),
        (json!({"to": "/a"}), Code::RewritePath, "path"),
        (json!({"path": "/a", "to": "/b", "strip_prefix": "/c"}), Code::RewritePath, "path"),
        (json!({"path": "(", "to": "/b"}), Code::PatternInvalid, "path"),
        (json!({"path": "/a", "to": "//b"}), Code::RewritePath, "to"),
        (json!({"path": "/a", "to": "/${1}"}), Code::RewritePath, "to"),
        (json!({"host": "user@planted"}), Code::RewriteHost, "host"),
    ];
    Cases { fine, wrong, ..Cases::default() }
}

pub(super) fn error_pages(_: &Things) -> Cases {
    let full = json!({"enabled": false, "pages": {"404": "<h1>${req.id}</h1>", "5xx": ""}, "upstream": true});
    let fine = vec![
        (json!({"pages": {"404": "gone"}}), json!({"enabled": true, "pages": {"404": "gone"}, "upstream": false})),
        (full.clone(), full),
    ];
    let many: Value = (400..421).map(|status: u16| (status.to_string(), json!(""))).collect();
    let wrong = vec![
        (json!({}), Code::FieldMissing, "pages"),
        (json!({"pages": {}}), Code::ErrorPageCount, "pages"),
        (json!({"pages": many}), Code::ErrorPageCount, "pages"),
        (json!({"pages": {"200": "x"}}), Code::ErrorPageStatus, "pages"),
        (json!({"pages": {"404": "x".repeat(32 * 1024 + 1)}}), Code::ErrorPageSize, "pages"),
        (json!({"pages": {"404": 5}}), Code::FieldInvalid, "pages.404"),
    ];
    Cases { fine, wrong, ..Cases::default() }
}
