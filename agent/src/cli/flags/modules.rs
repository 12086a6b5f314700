//! Flags of modules, which the edge applies to visitors' requests.

use clap::{ArgAction, Args};
use postern_api::Secret;
use serde_json::{Map, Value as Json, json};

/// Other users of this machine can see command lines: every secret has an environment variable too.
#[derive(Debug, Args)]
#[command(next_help_heading = "Visitors")]
pub(super) struct ModuleFlags {
    /// User and password that visitors must enter; may be given several times
    #[arg(long, env = "POSTERN_BASIC_AUTH", hide_env_values = true, value_name = "USER:PASSWORD")]
    basic_auth: Vec<Secret>,
    /// Network whose visitors are admitted; may be given several times
    #[arg(long, value_delimiter = ',', value_name = "CIDR")]
    cidr_allow: Vec<String>,
    /// Network whose visitors are denied, even inside an admitted one
    #[arg(long, value_delimiter = ',', value_name = "CIDR")]
    cidr_deny: Vec<String>,
    /// Share of errors among the responses, such as 0.5, at which the local service gets no requests for a while
    #[arg(long, value_name = "SHARE")]
    circuit_breaker: Option<String>,
    /// Compress responses
    #[arg(long, action = ArgAction::SetTrue)]
    compression: bool,
    /// PEM file of the authorities that must have issued the visitors' certificates
    #[arg(long, alias = "mutual-tls", value_name = "FILE")]
    mutual_tls_cas: Option<String>,
    /// Provider that visitors log in with, such as google
    #[arg(long, value_name = "PROVIDER")]
    oauth: Option<String>,
    /// Domain whose e-mail addresses are admitted
    #[arg(long, value_delimiter = ',', value_name = "DOMAIN", requires = "oauth")]
    oauth_allow_domain: Vec<String>,
    /// E-mail address that is admitted
    #[arg(long, value_delimiter = ',', value_name = "EMAIL", requires = "oauth")]
    oauth_allow_email: Vec<String>,
    /// Client id of your own app at the provider
    #[arg(long, value_name = "ID", requires = "oauth")]
    oauth_client_id: Option<String>,
    /// Client secret of that app
    #[arg(long, env = "POSTERN_OAUTH_CLIENT_SECRET", hide_env_values = true, value_name = "SECRET")]
    oauth_client_secret: Option<Secret>,
    /// Scope to request from the provider
    #[arg(long, value_delimiter = ',', value_name = "SCOPE", requires = "oauth")]
    oauth_scope: Vec<String>,
    /// Issuer URL of the OpenID Connect provider that visitors log in with
    #[arg(long, value_name = "ISSUER")]
    oidc: Option<String>,
    /// Client id of the app at that provider
    #[arg(long, value_name = "ID", requires = "oidc")]
    oidc_client_id: Option<String>,
    /// Client secret of that app
    #[arg(long, env = "POSTERN_OIDC_CLIENT_SECRET", hide_env_values = true, value_name = "SECRET")]
    oidc_client_secret: Option<Secret>,
    /// Scope to request from that provider
    #[arg(long, value_delimiter = ',', value_name = "SCOPE", requires = "oidc")]
    oidc_scope: Vec<String>,
    /// Requests that each address may make in an interval, such as 100/10s; connections of tcp and tls tunnels
    #[arg(long, value_name = "REQUESTS/INTERVAL")]
    rate_limit: Option<String>,
    /// Requests that are admitted once beyond the rate limit
    #[arg(long, value_name = "REQUESTS", requires = "rate_limit")]
    rate_limit_burst: Option<String>,
    /// What the rate limit counts: address, identity, header:NAME or everyone
    #[arg(long, value_name = "KEY", requires = "rate_limit")]
    rate_limit_key: Option<String>,
    /// Respond to visitors with 503 in place of the local service
    #[arg(long, action = ArgAction::SetTrue)]
    maintenance: bool,
    /// Beginning that is removed from the path of requests, such as /api
    #[arg(long, value_name = "PATH")]
    rewrite_strip_prefix: Option<String>,
    /// Beginning that is put in front of the path of requests, such as /v1
    #[arg(long, value_name = "PATH")]
    rewrite_add_prefix: Option<String>,
    /// Header to add to requests; may be given several times
    #[arg(long, value_name = "NAME: VALUE")]
    request_header_add: Vec<String>,
    /// Header to remove from requests
    #[arg(long, value_name = "NAME")]
    request_header_remove: Vec<String>,
    /// Header to add to responses; may be given several times
    #[arg(long, value_name = "NAME: VALUE")]
    response_header_add: Vec<String>,
    /// Header to remove from responses
    #[arg(long, value_name = "NAME")]
    response_header_remove: Vec<String>,
    /// Pattern of user agents that are always admitted
    #[arg(long, value_name = "PATTERN")]
    ua_filter_allow: Vec<String>,
    /// Pattern of user agents that are denied
    #[arg(long, value_name = "PATTERN")]
    ua_filter_deny: Vec<String>,
    /// Provider whose webhooks are admitted, such as github; all other requests are denied
    #[arg(long, value_name = "PROVIDER")]
    verify_webhook: Option<String>,
    /// Secret that the provider signs its webhooks with
    #[arg(long, env = "POSTERN_WEBHOOK_SECRET", hide_env_values = true, value_name = "SECRET")]
    verify_webhook_secret: Option<Secret>,
    /// Convert WebSocket connections to TCP byte streams
    #[arg(long, action = ArgAction::SetTrue)]
    websocket_tcp_converter: bool,
}

impl ModuleFlags {
    /// The keys for the given flags.
    pub(super) fn add_to(&self, body: &mut Map<String, Json>) {
        let mut set = |key: &str, value: Option<Json>| {
            if let Some(value) = value {
                body.insert(key.to_owned(), value);
            }
        };
        let revealed: Vec<&str> = self.basic_auth.iter().map(Secret::reveal).collect();
        set("basic_auth", (!revealed.is_empty()).then(|| json!(revealed)));
        set("ip_restriction", group([("allow_cidrs", list(&self.cidr_allow)), ("deny_cidrs", list(&self.cidr_deny))]));
        set("circuit_breaker", text(self.circuit_breaker.as_deref()));
        set("compression", self.compression.then_some(Json::Bool(true)));
        set("mutual_tls_cas", text(self.mutual_tls_cas.as_deref()));
        if let Some(rate) = &self.rate_limit {
            let (requests, interval) = rate.split_once('/').unwrap_or((rate.as_str(), ""));
            let rate = [
                ("requests", Some(Json::from(requests))),
                ("interval", Some(Json::from(interval))),
                ("burst", text(self.rate_limit_burst.as_deref())),
                ("key", text(self.rate_limit_key.as_deref())),
            ];
            set("rate_limit", group(rate));
        }
        set("maintenance", self.maintenance.then_some(Json::Bool(true)));
        let prefixes = [
            ("strip_prefix", text(self.rewrite_strip_prefix.as_deref())),
            ("add_prefix", text(self.rewrite_add_prefix.as_deref())),
        ];
        set("rewrite", group(prefixes));
        // A secret of the environment is ignored without its login.
        if self.oauth.is_some() {
            let oauth = [
                ("provider", text(self.oauth.as_deref())),
                ("allow_domains", list(&self.oauth_allow_domain)),
                ("allow_emails", list(&self.oauth_allow_email)),
                ("client_id", text(self.oauth_client_id.as_deref())),
                ("client_secret", secret(self.oauth_client_secret.as_ref())),
                ("scopes", list(&self.oauth_scope)),
            ];
            set("oauth", group(oauth));
        }
        if self.oidc.is_some() {
            let oidc = [
                ("issuer_url", text(self.oidc.as_deref())),
                ("client_id", text(self.oidc_client_id.as_deref())),
                ("client_secret", secret(self.oidc_client_secret.as_ref())),
                ("scopes", list(&self.oidc_scope)),
            ];
            set("oidc", group(oidc));
        }
        let changes = |add: &[String], remove: &[String]| group([("add", list(add)), ("remove", list(remove))]);
        set("request_header", changes(&self.request_header_add, &self.request_header_remove));
        set("response_header", changes(&self.response_header_add, &self.response_header_remove));
        set("user_agent_filter", group([("allow", list(&self.ua_filter_allow)), ("deny", list(&self.ua_filter_deny))]));
        if self.verify_webhook.is_some() {
            let secret = secret(self.verify_webhook_secret.as_ref());
            set("verify_webhook", group([("provider", text(self.verify_webhook.as_deref())), ("secret", secret)]));
        }
        set("websocket_tcp_converter", self.websocket_tcp_converter.then_some(Json::Bool(true)));
    }
}

fn text(given: Option<&str>) -> Option<Json> {
    given.map(Json::from)
}

fn secret(given: Option<&Secret>) -> Option<Json> {
    given.map(|secret| secret.reveal().into())
}

fn list(given: &[String]) -> Option<Json> {
    (!given.is_empty()).then(|| Json::from(given.to_vec()))
}

/// A group of the given members; `None` if there are none.
fn group<const N: usize>(members: [(&str, Option<Json>); N]) -> Option<Json> {
    let given: Map<String, Json> =
        members.into_iter().filter_map(|(key, value)| Some((key.to_owned(), value?))).collect();
    (!given.is_empty()).then_some(Json::Object(given))
}

#[cfg(test)]
mod tests {
    use super::super::{Definition, TunnelFlags};
    use clap::Parser;
    use postern_api::Secret;

    #[derive(Debug, Parser)]
    struct TestCommandLine {
        #[command(flatten)]
        tunnel: TunnelFlags,
    }

    fn read(arguments: &[&str]) -> Result<Definition, String> {
        let line =
            TestCommandLine::try_parse_from([&["postern"], arguments].concat()).map_err(|error| error.to_string())?;
        line.tunnel.definition("http", "8080").map_err(|error| error.message)
    }

    #[test]
    fn flags_are_equivalent_to_keys_of_the_file() {
        let all = read(&[
            "--basic-auth",
            "ada:long,enough",
            "--cidr-allow",
            "10.0.0.0/8,::1",
            "--cidr-deny",
            "10.1.0.0/16",
            "--circuit-breaker",
            "0.5",
            "--compression",
            "--maintenance",
            "--rewrite-strip-prefix",
            "/api",
            "--rate-limit",
            "100/10s",
            "--rate-limit-key",
            "header:X-Key",
            "--request-header-add",
            "X-A: b",
            "--request-header-remove",
            "X-B",
            "--response-header-add",
            "X-C: d",
            "--ua-filter-deny",
            "bot",
            "--verify-webhook",
            "github",
            "--verify-webhook-secret",
            "s3cret",
            "--websocket-tcp-converter",
            "--host-header",
            "rewrite",
        ])
        .expect("valid");
        let modules = all.modules.expect("modules");
        assert_eq!(modules.basic_auth, [Secret::new("ada:long,enough")]);
        assert_eq!(modules.ip_restriction.map(|lists| (lists.allow.len(), lists.deny.len())), Some((2, 1)));
        assert!(modules.compression && modules.websocket_tcp_converter && modules.circuit_breaker.is_some());
        assert_eq!(modules.request_headers.map(|changes| changes.remove), Some(vec!["x-b".to_owned()]));
        assert!(modules.maintenance.is_some() && modules.rewrite.is_some_and(|rewrite| rewrite.strip_prefix == "/api"));
        let limit = modules.rate_limit.expect("a limit");
        assert_eq!((limit.requests, limit.interval, limit.burst, limit.key.as_str()), (100, 10, 0, "header:x-key"));
        assert!(modules.response_headers.is_some() && modules.user_agent_filter.is_some());
        assert_eq!(modules.webhook_verification.and_then(|module| module.secret), Some(Secret::new("s3cret")));
        assert_eq!(modules.host_header.as_deref(), Some("localhost:8080"));
        assert!(read(&[]).expect("nothing").modules.is_none());
    }

    #[test]
    fn login_modules_have_flags_and_problems_name_the_key() {
        let oidc = ["--oidc", "https://id.test", "--oidc-client-id", "a", "--oidc-client-secret", "b"];
        assert!(read(&oidc).expect("valid").modules.is_some_and(|modules| modules.oidc.is_some()));
        let oauth = ["--oauth", "google", "--oauth-allow-domain", "a.test", "--oauth-allow-email", "a@b.test"];
        assert!(read(&oauth).expect("valid").modules.is_some_and(|modules| modules.oauth.is_some()));
        assert!(read(&["--oauth-allow-domain", "a.test"]).is_err());
        assert!(read(&["--basic-auth", "ada:planted"]).is_err_and(|text| !text.contains("planted")));
        for wrong in ["100", "100/", "0/1s", "x/1s", "1/1ms", "1/2d"] {
            assert!(read(&["--rate-limit", wrong]).is_err_and(|text| text.contains("rate_limit.")), "{wrong}");
        }
        assert!(read(&["--circuit-breaker", "7"]).is_err_and(|text| text.contains("circuit_breaker")));
    }
}
