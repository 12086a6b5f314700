//! The keys of modules, which the edge applies to visitors' requests. They are checked here with the server's rules.

use super::{
    fields::Fields,
    login_modules,
    pem::certificates,
    problem::SourceLocation,
    rate_limit,
    tree::{ConfigNode, ConfigValue},
    visitor_modules,
};
use ipnet::IpNet;
use postern_api::{
    Code, Error, Secret,
    ip_rules::parse_cidr,
    module::{CircuitBreaker, HeaderChanges, UserAgentFilter, WebhookVerification},
    tunnel_modules::{AddressLists, SIZE_LIMIT, TunnelModules},
};
use std::collections::BTreeMap;

/// Keys of the modules that check or change requests: only HTTP tunnels have them. `auth` is the older name of
/// `basic_auth`.
pub(super) const REQUEST_MODULES: &[&str] = &[
    "auth",
    "basic_auth",
    "circuit_breaker",
    "compression",
    "error_pages",
    "maintenance",
    "oauth",
    "oidc",
    "redirect",
    "request_header",
    "response_header",
    "rewrite",
    "user_agent_filter",
    "verify_webhook",
    "websocket_tcp_converter",
];
/// Keys of the modules that check connections.
pub(super) const CONNECTION_MODULES: &[&str] = &["ip_restriction", "mutual_tls_cas", "rate_limit"];

/// Reads all modules; those with problems are left out. `host_header` reads the `Host` header for the local service.
pub(super) fn read(
    fields: &mut Fields<'_>,
    host_header: impl FnOnce(&mut Fields<'_>) -> Option<String>,
) -> TunnelModules {
    let mut all = TunnelModules::default();
    keep(fields, &mut all, addresses, |all| &mut all.ip_restriction);
    keep(fields, &mut all, |fields| authorities(fields).unwrap_or_default(), |all| &mut all.mutual_tls);
    keep(fields, &mut all, rate_limit::read, |all| &mut all.rate_limit);
    keep(fields, &mut all, visitor_modules::maintenance, |all| &mut all.maintenance);
    keep(fields, &mut all, visitor_modules::redirect, |all| &mut all.redirect);
    keep(fields, &mut all, visitor_modules::rewrite, |all| &mut all.rewrite);
    keep(fields, &mut all, visitor_modules::error_pages, |all| &mut all.error_pages);
    keep(fields, &mut all, user_agents, |all| &mut all.user_agent_filter);
    keep(fields, &mut all, webhooks, |all| &mut all.webhook_verification);
    keep(fields, &mut all, users, |all| &mut all.basic_auth);
    keep(fields, &mut all, login_modules::oauth, |all| &mut all.oauth);
    keep(fields, &mut all, login_modules::oidc, |all| &mut all.oidc);
    keep(fields, &mut all, circuit_breaker, |all| &mut all.circuit_breaker);
    keep(fields, &mut all, |fields| headers(fields, "request_header"), |all| &mut all.request_headers);
    keep(fields, &mut all, |fields| headers(fields, "response_header"), |all| &mut all.response_headers);
    keep(fields, &mut all, host_header, |all| &mut all.host_header);
    all.websocket_tcp_converter = fields.flag("websocket_tcp_converter").unwrap_or(false);
    all.compression = fields.flag("compression").unwrap_or(false);
    check_all(fields, &all);
    all
}

/// Reads one module, and keeps it if it is valid. It is checked alone, so that all problems are reported.
fn keep<T: Default>(
    fields: &mut Fields<'_>,
    all: &mut TunnelModules,
    read: impl FnOnce(&mut Fields<'_>) -> T,
    module: fn(&mut TunnelModules) -> &mut T,
) {
    let mut alone = TunnelModules::default();
    *module(&mut alone) = read(fields);
    match alone.check() {
        Ok(()) => *module(all) = std::mem::take(module(&mut alone)),
        Err(error) => report(fields, error),
    }
}

/// Reports a problem of a module under the key that the file has for it.
fn report(fields: &mut Fields<'_>, error: Error) {
    let field = error.details.get("field").cloned().unwrap_or_default();
    let mut field = login_modules::key_of(&field).unwrap_or(field);
    if field.starts_with("basic_auth") && fields.pair("basic_auth").is_none() {
        field = field.replacen("basic_auth", "auth", 1);
    }
    let location = fields.location_of(&field);
    let key = fields.key(&field);
    let message = error.message.replace("`issuer`", "`issuer_url`");
    fields.problems.add_coded(error.code, &location, &key, message);
}

/// Checks constraints between modules, and their total size.
fn check_all(fields: &mut Fields<'_>, all: &TunnelModules) {
    if let Err(error) = all.clone().check() {
        let field = error.details.get("field").cloned().unwrap_or_default();
        let (location, key) = (fields.location_of(&field), fields.key(&field));
        fields.problems.add_coded(error.code, &location, &key, error.message);
        return;
    }
    let size = serde_json::to_vec(all).map_or(0, |bytes| bytes.len());
    if size > SIZE_LIMIT {
        let (location, key) = (fields.location_of(""), fields.key(""));
        let message = format!("The tunnel's modules take {size} bytes together; at most {SIZE_LIMIT} are allowed.");
        fields.problems.add(&location, key.trim_end_matches('.'), message);
    }
}

fn addresses(fields: &mut Fields<'_>) -> Option<AddressLists> {
    let mut group = fields.group("ip_restriction")?;
    group.check_known(&["allow_cidrs", "deny_cidrs"], &[]);
    let (allow, deny) = (networks(&mut group, "allow_cidrs"), networks(&mut group, "deny_cidrs"));
    let lists = AddressLists { allow: allow?, deny: deny? };
    if lists == AddressLists::default() {
        group.reject(
            "allow_cidrs",
            &SourceLocation::default(),
            "Is missing: name the networks to admit, such as `- 203.0.113.0/24`.",
        );
        return None;
    }
    Some(lists)
}

/// `None` if one of them is invalid.
fn networks(group: &mut Fields<'_>, name: &str) -> Option<Vec<IpNet>> {
    let mut networks = Some(Vec::new());
    for text in group.texts(name).unwrap_or_default() {
        match parse_cidr(&text.value) {
            Ok(network) => networks.iter_mut().for_each(|networks| networks.push(network)),
            Err(error) => {
                let key = group.key(name);
                group.problems.add_coded(error.code, text.location, &key, error.message);
                networks = None;
            }
        }
    }
    networks
}

fn authorities(fields: &mut Fields<'_>) -> Option<Vec<String>> {
    let mut all = Vec::new();
    for path in fields.texts("mutual_tls_cas")? {
        match certificates(&path.value, path.location) {
            Ok(found) => all.extend(found),
            Err(error) => {
                let key = fields.key("mutual_tls_cas");
                fields.problems.add_coded(error.code, path.location, &key, error.message);
                return None;
            }
        }
    }
    Some(all)
}

fn user_agents(fields: &mut Fields<'_>) -> Option<UserAgentFilter> {
    let mut group = fields.group("user_agent_filter")?;
    group.check_known(&["allow", "deny"], &[]);
    let mut list =
        |name: &str| group.texts(name).unwrap_or_default().into_iter().map(|text| text.value).collect::<Vec<_>>();
    Some(UserAgentFilter { enabled: true, allow: list("allow"), deny: list("deny") })
}

fn webhooks(fields: &mut Fields<'_>) -> Option<WebhookVerification> {
    let mut group = fields.group("verify_webhook")?;
    group.check_known(&["provider", "secret"], &[]);
    let provider = group.text("provider").map(|text| text.value).unwrap_or_default();
    let secret = group.text("secret").map(|text| Secret::new(text.value));
    Some(WebhookVerification { enabled: true, provider, secret })
}

/// `basic_auth`, or its old name `auth`.
fn users(fields: &mut Fields<'_>) -> Vec<Secret> {
    if let (Some(_), Some(older)) = (fields.pair("basic_auth"), fields.pair("auth")) {
        fields.reject("auth", &older.location, "Is another name for `basic_auth`, which is set too: remove this one.");
    }
    let name = if fields.pair("basic_auth").is_some() { "basic_auth" } else { "auth" };
    fields.texts(name).unwrap_or_default().into_iter().map(|text| Secret::new(text.value)).collect()
}

/// The share of errors that opens the circuit.
fn circuit_breaker(fields: &mut Fields<'_>) -> Option<CircuitBreaker> {
    let field = fields.text("circuit_breaker")?;
    match field.value.parse::<f64>() {
        Ok(share) if share > 0.0 && share <= 1.0 => {
            Some(CircuitBreaker { error_threshold_percentage: share, ..CircuitBreaker::default() })
        }
        _ => {
            let message = "Must be a share of errors above 0 and up to 1, such as 0.5 for one half.";
            let key = fields.key("circuit_breaker");
            fields.problems.add_coded(Code::CircuitThreshold, field.location, &key, message);
            None
        }
    }
}

/// Headers to add and to remove.
fn headers(fields: &mut Fields<'_>, name: &str) -> Option<HeaderChanges> {
    let mut group = fields.group(name)?;
    group.check_known(&["add", "remove"], &[]);
    let remove = group.texts("remove").unwrap_or_default().into_iter().map(|text| text.value).collect();
    let mut add = BTreeMap::new();
    let mut valid = true;
    for (location, pair) in headers_of(&mut group, "add") {
        let message = match pair {
            None => "Write every header as `name: value`.",
            Some((name, _)) if add.contains_key(&name) => "A header can be added once only.",
            Some((name, value)) => {
                add.insert(name, value);
                continue;
            }
        };
        group.reject("add", &location, message);
        valid = false;
    }
    valid.then_some(HeaderChanges { enabled: true, add, remove })
}

/// The name and value of a header; `None` if it cannot be parsed.
type HeaderField = Option<(String, String)>;

/// Headers as a list of `name: value` or as a group.
pub(super) fn headers_of(group: &mut Fields<'_>, name: &str) -> Vec<(SourceLocation, HeaderField)> {
    let scalar = |node: &ConfigNode| match &node.value {
        ConfigValue::Text(text) => Some(text.clone()),
        ConfigValue::Integer(number) => Some(number.to_string()),
        ConfigValue::Bool(flag) => Some(flag.to_string()),
        ConfigValue::Null => Some(String::new()),
        _ => None,
    };
    let from_pairs = |node: &ConfigNode| -> Vec<(SourceLocation, HeaderField)> {
        let pairs = node.pairs().unwrap_or_default().iter();
        pairs.map(|pair| (pair.location.clone(), scalar(&pair.value).map(|value| (pair.key.clone(), value)))).collect()
    };
    let Some(pair) = group.pair(name) else { return Vec::new() };
    match &pair.value.value {
        ConfigValue::Mapping(_) => from_pairs(&pair.value),
        // Without quotes, YAML reads `- name: value` as a mapping with one key.
        ConfigValue::Sequence(items) if items.iter().any(|item| item.pairs().is_some()) => items
            .iter()
            .flat_map(|item| match &item.value {
                ConfigValue::Mapping(_) => from_pairs(item),
                _ => vec![(item.location.clone(), scalar(item).as_deref().and_then(split))],
            })
            .collect(),
        _ => {
            let texts = group.texts(name).unwrap_or_default();
            texts.into_iter().map(|text| (text.location.clone(), split(&text.value))).collect()
        }
    }
}

fn split(text: &str) -> HeaderField {
    let (name, value) = text.split_once(':')?;
    Some((name.trim().to_owned(), value.trim().to_owned()))
}

#[cfg(test)]
mod tests;
