//! The modules an agent asks for with a tunnel of its own: bodies as those of routes, in one group.

use crate::{
    Code, Error, Result, Secret, checks,
    headers::{Direction, canonical},
    ip_rules::{Action, IpRule, IpRules},
    module::{CircuitBreaker, HeaderChanges, OAuth, Oidc, UserAgentFilter, WebhookVerification},
};
use ipnet::IpNet;
use serde::{Deserialize, Serialize};

/// The most networks that both lists of addresses hold together.
pub const ADDRESS_LIMIT: usize = 500;
/// The most users one tunnel knows by their passwords.
pub const USER_LIMIT: usize = 100;
/// The shortest password, in characters.
pub const SHORTEST_PASSWORD: usize = 8;
/// The longest user name and password together, in bytes.
pub const LONGEST_USER: usize = 256;
/// The most certificate authorities for visitors' certificates.
pub const AUTHORITY_LIMIT: usize = 20;
/// What one message to the server can hold of all modules together, in bytes.
pub const SIZE_LIMIT: usize = 48 * 1024;

/// All modules a tunnel may have. What is absent is not set; what is not known here cannot be read.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct TunnelModules {
    /// Which addresses may come in.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ip_restriction: Option<AddressLists>,
    /// The authorities of visitors' certificates, in PEM, one each.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub mutual_tls: Vec<String>,
    /// Which programs may come in.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub user_agent_filter: Option<UserAgentFilter>,
    /// Whose webhooks these are.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub webhook_verification: Option<WebhookVerification>,
    /// Who may come in with a password, as `user:password`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub basic_auth: Vec<Secret>,
    /// Visitors log in with an account they have elsewhere.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub oauth: Option<OAuth>,
    /// Visitors log in with a provider that speaks OpenID Connect.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub oidc: Option<Oidc>,
    /// WebSocket connections become TCP streams.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub websocket_tcp_converter: bool,
    /// When a failing local service is left alone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub circuit_breaker: Option<CircuitBreaker>,
    /// What happens to the headers of requests.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub request_headers: Option<HeaderChanges>,
    /// What happens to the headers of answers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub response_headers: Option<HeaderChanges>,
    /// What the local service is told to be called, in the place of what the visitor said.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub host_header: Option<String>,
    /// Answers are compressed.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub compression: bool,
}

/// Networks that may come in, except those that may not.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct AddressLists {
    /// Who may come in.
    pub allow: Vec<IpNet>,
    /// Who of them may not.
    pub deny: Vec<IpNet>,
}

impl TunnelModules {
    /// Whether nothing is asked for.
    pub fn is_empty(&self) -> bool {
        *self == TunnelModules::default()
    }

    /// Whether nothing is asked for but what concerns connections as a whole, whatever is spoken on them.
    pub fn concerns_connections_only(&self) -> bool {
        let rest = TunnelModules { ip_restriction: None, mutual_tls: Vec::new(), ..self.clone() };
        rest.is_empty()
    }

    /// Judges everything and brings it into the form in which it is applied.
    ///
    /// # Errors
    /// The first thing that is wrong; `field` names it as configuration files do.
    pub fn check(&mut self) -> Result<()> {
        if let Some(lists) = &self.ip_restriction {
            within("ip_restriction", lists.check())?;
        }
        if self.mutual_tls.len() > AUTHORITY_LIMIT {
            let many = self.mutual_tls.len();
            let sentence = format!("There are {many} certificate authorities; at most {AUTHORITY_LIMIT} are allowed.");
            return Err(Error::new(Code::MutualTlsCount, sentence).with("field", "mutual_tls_cas"));
        }
        if let Some(filter) = &self.user_agent_filter {
            within("user_agent_filter", checks::user_agent_filter(filter))?;
        }
        if let Some(webhooks) = &self.webhook_verification {
            within("verify_webhook", checks::webhook_verification(webhooks))?;
        }
        within("basic_auth", users(&self.basic_auth))?;
        let logins = [self.oauth.is_some(), self.oidc.is_some(), !self.basic_auth.is_empty()];
        if logins.into_iter().filter(|set| *set).count() > 1 {
            let sentence = "A tunnel has at most one of `basic_auth`, `oauth` and `oidc`: take the others out.";
            return Err(Error::new(Code::Logins, sentence).with("field", "oauth"));
        }
        if let Some(oauth) = &mut self.oauth {
            // Which apps a server has is known there only.
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
            let sentence = "Networks are denied and none is allowed, so that nobody could come in. Allow everybody else with `0.0.0.0/0` and `::/0`.";
            return Err(Error::new(Code::DenyWithoutAllow, sentence).with("field", "deny_cidrs"));
        }
        Ok(())
    }

    /// The rules these are. Each is called by its network.
    pub fn rules(&self) -> IpRules {
        let rule = |action| move |network: &IpNet| IpRule { network: *network, action, id: network.to_string().into() };
        IpRules::new(self.allow.iter().map(rule(Action::Allow)).chain(self.deny.iter().map(rule(Action::Deny))))
    }
}

/// Judges users and passwords, and shows none of them.
fn users(users: &[Secret]) -> Result<()> {
    if users.len() > USER_LIMIT {
        let sentence = format!("There are {} users; at most {USER_LIMIT} are allowed.", users.len());
        return Err(Error::new(Code::PasswordInvalid, sentence));
    }
    for (place, user) in users.iter().enumerate() {
        user_and_password(user).map_err(|error| error.with("field", format!("[{place}]")))?;
    }
    Ok(())
}

/// Judges one `user:password`.
pub fn user_and_password(text: &Secret) -> Result<()> {
    let refuse = |sentence: String| Err(Error::new(Code::PasswordInvalid, sentence));
    let Some((user, password)) = text.reveal().split_once(':') else {
        return refuse("There is no colon between a user and a password: write `user:password`.".to_owned());
    };
    if user.is_empty() {
        return refuse("The user has no name: write `user:password`.".to_owned());
    }
    if password.chars().count() < SHORTEST_PASSWORD {
        return refuse(format!("The password is too short: at least {SHORTEST_PASSWORD} characters are needed."));
    }
    if text.reveal().len() > LONGEST_USER || text.reveal().chars().any(char::is_control) {
        return refuse(format!(
            "User and password have at most {LONGEST_USER} bytes together, and no control characters."
        ));
    }
    Ok(())
}

/// Says in which module a field is.
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
    }

    #[test]
    fn users_have_a_name_and_a_password_of_some_length() {
        for (text, fits) in [
            ("ada:longenough", true),
            ("ada:with:colons:", true),
            ("ada:schlüssel", true),
            ("ada:1234567", false),
            (":longenough", false),
            ("adalongenough", false),
            ("ada:long\nenough", false),
        ] {
            let judged = user_and_password(&Secret::new(text));
            assert_eq!(judged.is_ok(), fits, "{text}");
            assert!(judged.is_ok() || !judged.unwrap_err().to_string().contains("enough"));
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
