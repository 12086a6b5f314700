//! Modules of a tunnel, requested by its agent: the same bodies as those of routes, in one group.

use crate::{
    Code, Error, Result, Secret, checks,
    headers::{Direction, canonical},
    ip_rules::{Action, IpRule, IpRules},
    module::{
        CircuitBreaker, ErrorPages, HeaderChanges, Maintenance, OAuth, Oidc, RateLimit, Redirect, Rewrite,
        UserAgentFilter, WebhookVerification, check_credentials,
    },
};
use ipnet::IpNet;
use serde::{Deserialize, Serialize};

/// Limit of networks in both address lists together.
pub const ADDRESS_LIMIT: usize = 500;
/// Limit of certificate authorities for visitors' certificates.
pub const AUTHORITY_LIMIT: usize = 20;
/// Total bytes of all modules, which must fit one message to the server.
pub const SIZE_LIMIT: usize = 48 * 1024;

/// Modules of a tunnel. Absent modules are not set; unknown modules make the whole unreadable.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct TunnelModules {
    /// Allowed addresses.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ip_restriction: Option<AddressLists>,
    /// The authorities of visitors' certificates, in PEM, one each.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub mutual_tls: Vec<String>,
    /// Rate limit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rate_limit: Option<RateLimit>,
    /// Maintenance.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub maintenance: Option<Maintenance>,
    /// Redirects.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub redirect: Option<Redirect>,
    /// Path and host of requests for the local service.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rewrite: Option<Rewrite>,
    /// Error pages.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error_pages: Option<ErrorPages>,
    /// User agent filter.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub user_agent_filter: Option<UserAgentFilter>,
    /// Webhook provider.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub webhook_verification: Option<WebhookVerification>,
    /// Allowed users, as `user:password`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub basic_auth: Vec<Secret>,
    /// OAuth login of visitors.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub oauth: Option<OAuth>,
    /// OpenID Connect login of visitors.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub oidc: Option<Oidc>,
    /// Whether WebSocket connections are converted to TCP streams.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub websocket_tcp_converter: bool,
    /// Settings of the circuit breaker.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub circuit_breaker: Option<CircuitBreaker>,
    /// Header changes of requests.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub request_headers: Option<HeaderChanges>,
    /// Header changes of responses.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub response_headers: Option<HeaderChanges>,
    /// Host header sent to the local service instead of the visitor's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub host_header: Option<String>,
    /// Whether responses are compressed.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub compression: bool,
}

/// Allowed networks, minus denied ones.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct AddressLists {
    /// Allowed.
    pub allow: Vec<IpNet>,
    /// Denied.
    pub deny: Vec<IpNet>,
}

impl TunnelModules {
    /// Whether no module is set.
    pub fn is_empty(&self) -> bool {
        *self == TunnelModules::default()
    }

    /// Whether only modules of connections are set, which work with any protocol.
    pub fn concerns_connections_only(&self) -> bool {
        let rate_limit = self.rate_limit.clone().filter(|limit| !limit.fits_connections());
        let rest = TunnelModules { ip_restriction: None, mutual_tls: Vec::new(), rate_limit, ..self.clone() };
        rest.is_empty()
    }

    /// Validates all modules and normalizes them.
    ///
    /// # Errors
    /// The first invalid module; `field` names it as configuration files do.
    pub fn check(&mut self) -> Result<()> {
        if let Some(lists) = &self.ip_restriction {
            within("ip_restriction", lists.check())?;
        }
        if self.mutual_tls.len() > AUTHORITY_LIMIT {
            let many = self.mutual_tls.len();
            let sentence = format!("There are {many} certificate authorities; at most {AUTHORITY_LIMIT} are allowed.");
            return Err(Error::new(Code::MutualTlsCount, sentence).with("field", "mutual_tls_cas"));
        }
        if let Some(limit) = &mut self.rate_limit {
            within("rate_limit", checks::rate_limit(limit))?;
        }
        if let Some(maintenance) = &mut self.maintenance {
            within("maintenance", checks::maintenance(maintenance))?;
        }
        if let Some(redirect) = &mut self.redirect {
            within("redirect", checks::redirect(redirect))?;
        }
        if let Some(rewrite) = &self.rewrite {
            within("rewrite", checks::rewrite(rewrite))?;
        }
        if let Some(pages) = &self.error_pages {
            within("error_pages", checks::error_pages(pages))?;
        }
        if let Some(filter) = &self.user_agent_filter {
            within("user_agent_filter", checks::user_agent_filter(filter))?;
        }
        if let Some(webhooks) = &self.webhook_verification {
            within("verify_webhook", checks::webhook_verification(webhooks))?;
        }
        within("basic_auth", check_credentials(&self.basic_auth))?;
        let logins = [self.oauth.is_some(), self.oidc.is_some(), !self.basic_auth.is_empty()];
        if logins.into_iter().filter(|set| *set).count() > 1 {
            let sentence = "A tunnel has at most one of `basic_auth`, `oauth` and `oidc`: take the others out.";
            return Err(Error::new(Code::Logins, sentence).with("field", "oauth"));
        }
        if let Some(oauth) = &mut self.oauth {
            // Only the server knows its OAuth apps.
            within("oauth", checks::oauth(oauth, |_| true))?;
        }
        if let Some(oidc) = &mut self.oidc {
            within("oidc", checks::oidc(oidc))?;
        }
        if let Some(breaker) = &self.circuit_breaker {
            within("circuit_breaker", checks::circuit_breaker(breaker))?;
        }
        for (changes, direction, field) in [
            (&mut self.request_headers, Direction::Request, "request_header"),
            (&mut self.response_headers, Direction::Response, "response_header"),
        ] {
            if let Some(changes) = changes {
                *changes = within(field, canonical(changes.clone(), direction))?;
            }
        }
        match self.host_header.as_deref().map(str::parse::<http::uri::Authority>) {
            Some(Ok(authority)) if authority.as_str().contains('@') => Err(host_header()),
            Some(Err(_)) => Err(host_header()),
            Some(Ok(_)) | None => Ok(()),
        }
    }
}

fn host_header() -> Error {
    let sentence = "Must be `rewrite`, `preserve`, or a host with or without a port, such as `app.test:8080`.";
    Error::new(Code::ConfigInvalid, sentence).with("field", "host_header")
}

impl AddressLists {
    fn check(&self) -> Result<()> {
        let many = self.allow.len() + self.deny.len();
        if many > ADDRESS_LIMIT {
            let sentence = format!("There are {many} networks; at most {ADDRESS_LIMIT} are allowed.");
            return Err(Error::new(Code::CidrInvalid, sentence));
        }
        if self.allow.is_empty() && !self.deny.is_empty() {
            let sentence = "Networks are denied and none is allowed, so no visitor would be admitted. Allow all others with `0.0.0.0/0` and `::/0`.";
            return Err(Error::new(Code::DenyWithoutAllow, sentence).with("field", "deny_cidrs"));
        }
        Ok(())
    }

    /// The rules, each named by its network.
    pub fn rules(&self) -> IpRules {
        let rule = |action| move |network: &IpNet| IpRule { network: *network, action, id: network.to_string().into() };
        IpRules::new(self.allow.iter().map(rule(Action::Allow)).chain(self.deny.iter().map(rule(Action::Deny))))
    }
}

/// Adds the module to the `field` detail of an error.
fn within<T>(module: &str, judged: Result<T>) -> Result<T> {
    judged.map_err(|error| {
        let field = match error.details.get("field").map(String::as_str) {
            None => module.to_owned(),
            Some(field) if field.starts_with('[') => format!("{module}{field}"),
            Some(field) => format!("{module}.{field}"),
        };
        error.with("field", field)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    fn judged(body: Value) -> Result<TunnelModules, (Code, String)> {
        let mut modules: TunnelModules = serde_json::from_value(body).expect("modules");
        modules.check().map(|()| modules).map_err(|error| (error.code, error.details["field"].clone()))
    }

    #[test]
    fn every_module_is_judged_and_the_field_is_named() {
        for (body, code, field) in [
            (json!({"ip_restriction": {"deny": ["10.0.0.0/8"]}}), Code::DenyWithoutAllow, "ip_restriction.deny_cidrs"),
            (json!({"rate_limit": {"requests": 0, "interval": 1}}), Code::RateRequests, "rate_limit.requests"),
            (json!({"maintenance": {"status_code": 100}}), Code::MaintenanceStatus, "maintenance.status_code"),
            (json!({"redirect": {"rules": [{"to": "x"}]}}), Code::RedirectTarget, "redirect.rules[0].to"),
            (json!({"rewrite": {"strip_prefix": "x"}}), Code::RewritePath, "rewrite.strip_prefix"),
            (json!({"error_pages": {"pages": {"200": ""}}}), Code::ErrorPageStatus, "error_pages.pages"),
            (json!({"user_agent_filter": {"deny": ["("]}}), Code::PatternInvalid, "user_agent_filter.deny[0]"),
            (
                json!({"webhook_verification": {"provider": "x"}}),
                Code::WebhookProviderUnknown,
                "verify_webhook.provider",
            ),
            (json!({"basic_auth": ["a:longenough", "b:short"]}), Code::PasswordInvalid, "basic_auth[1]"),
            (json!({"oauth": {}}), Code::OAuthProviderMissing, "oauth.provider"),
            (json!({"oidc": {"issuer": "x"}}), Code::IssuerInvalid, "oidc.issuer"),
            (
                json!({"circuit_breaker": {"error_threshold_percentage": 2}}),
                Code::CircuitThreshold,
                "circuit_breaker.error_threshold_percentage",
            ),
            (json!({"request_headers": {"remove": ["connection"]}}), Code::HeaderForbidden, "request_header.remove"),
            (json!({"host_header": "a b"}), Code::ConfigInvalid, "host_header"),
            (json!({"host_header": "user@host"}), Code::ConfigInvalid, "host_header"),
            (json!({"response_headers": {"add": {"a b": ""}}}), Code::HeaderName, "response_header.add"),
        ] {
            assert_eq!(judged(body.clone()), Err((code, field.to_owned())), "{body}");
        }
        assert!(judged(json!({})).expect("nothing").is_empty());
        assert!(judged(json!({"compression": true})).is_ok_and(|modules| !modules.concerns_connections_only()));
        let addresses = judged(json!({"ip_restriction": {"allow": ["0.0.0.0/0"]}})).expect("fine");
        assert!(addresses.concerns_connections_only());
        for (key, of_connections) in [("address", true), ("everyone", true), ("header:x-key", false)] {
            let limit = judged(json!({"rate_limit": {"requests": 1, "interval": 1, "key": key}})).expect("fine");
            assert_eq!(limit.concerns_connections_only(), of_connections, "{key}");
        }
    }

    #[test]
    fn one_login_is_enough() {
        let login = json!({"oidc": {"issuer": "https://a.b", "client_id": "a", "client_secret": "b"}, "basic_auth": ["ada:longenough"]});
        assert_eq!(judged(login).map(|_| ()), Err((Code::Logins, "oauth".to_owned())));
    }

    #[test]
    fn networks_become_rules_that_are_called_by_themselves() {
        let lists = AddressLists {
            allow: vec!["10.0.0.0/8".parse().expect("a network")],
            deny: vec!["10.1.0.0/16".parse().expect("a network")],
        };
        let rules = lists.rules();
        assert!(rules.allows([10, 0, 0, 1].into()));
        assert!(!rules.allows([10, 1, 0, 1].into()) && !rules.allows([192, 0, 2, 1].into()));
    }
}
