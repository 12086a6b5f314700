//! The headers and query parameters that count as secrets in captured requests.

use std::collections::BTreeSet;

const HEADERS: [&str; 14] = [
    "authorization",
    "proxy-authorization",
    "cookie",
    "set-cookie",
    "x-api-key",
    "api-key",
    "x-auth-token",
    "x-access-token",
    "x-csrf-token",
    "x-xsrf-token",
    "x-goog-api-key",
    "x-amz-security-token",
    "x-gitlab-token",
    "x-vault-token",
];
const PARAMETERS: [&str; 19] = [
    "token",
    "access_token",
    "refresh_token",
    "id_token",
    "auth_token",
    "authtoken",
    "api_key",
    "apikey",
    "api-key",
    "key",
    "secret",
    "client_secret",
    "password",
    "passwd",
    "pwd",
    "signature",
    "sig",
    "x-amz-signature",
    "x-amz-security-token",
];

/// Rules for what counts as a secret.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RedactionRules {
    headers: BTreeSet<String>,
    parameters: BTreeSet<String>,
}

impl Default for RedactionRules {
    fn default() -> Self {
        let set = |names: &[&str]| names.iter().map(ToString::to_string).collect();
        RedactionRules { headers: set(&HEADERS), parameters: set(&PARAMETERS) }
    }
}

impl RedactionRules {
    /// Whether a header is a secret; `name` is in lower case.
    pub fn is_secret_header(&self, name: &str) -> bool {
        self.headers.contains(name)
    }

    /// Whether a query parameter is a secret; `name` is in lower case.
    pub fn is_secret_parameter(&self, name: &str) -> bool {
        self.parameters.contains(name)
    }

    /// Adds a header (`header.x-secret`) or a query parameter (`query.code`); `false` if it is neither.
    pub fn add(&mut self, rule: &str) -> bool {
        let rule = rule.to_ascii_lowercase();
        let (set, name) = match (rule.strip_prefix("header."), rule.strip_prefix("query.")) {
            (Some(name), _) => (&mut self.headers, name),
            (_, Some(name)) => (&mut self.parameters, name),
            _ => return false,
        };
        let valid = !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_graphic() && !b"=&:;,".contains(&byte));
        if valid {
            set.insert(name.to_owned());
        }
        valid
    }
}
