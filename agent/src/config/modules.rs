//! The keys that say what the edge does with visitors. Each is judged here as the server will judge it.

use super::{
    fields::Fields,
    logins,
    pem::certificates,
    problem::Place,
    tree::{Node, Value},
};
use ipnet::IpNet;
use postern_api::{
    Code, Secret,
    ip_rules::parse_cidr,
    module::{CircuitBreaker, HeaderChanges, UserAgentFilter, WebhookVerification},
    tunnel_modules::{AddressLists, SIZE_LIMIT, TunnelModules},
};
use std::collections::BTreeMap;

/// Reads all of them. What is wrong is said and left out. `host_header` says what the local service is to be called.
pub(super) fn read(
    fields: &mut Fields<'_>,
    host_header: impl FnOnce(&mut Fields<'_>) -> Option<String>,
) -> TunnelModules {
    let mut all = TunnelModules::default();
    if let Some(lists) = addresses(fields) {
        let part = TunnelModules { ip_restriction: Some(lists), ..Default::default() };
        judge(fields, part, |part| all.ip_restriction = part.ip_restriction);
    }
    if let Some(authorities) = authorities(fields) {
        let part = TunnelModules { mutual_tls: authorities, ..Default::default() };
        judge(fields, part, |part| all.mutual_tls = part.mutual_tls);
    }
    if let Some(filter) = user_agents(fields) {
        let part = TunnelModules { user_agent_filter: Some(filter), ..Default::default() };
        judge(fields, part, |part| all.user_agent_filter = part.user_agent_filter);
    }
    if let Some(webhooks) = webhooks(fields) {
        let part = TunnelModules { webhook_verification: Some(webhooks), ..Default::default() };
        judge(fields, part, |part| all.webhook_verification = part.webhook_verification);
    }
    let part = TunnelModules { basic_auth: users(fields), ..Default::default() };
    judge(fields, part, |part| all.basic_auth = part.basic_auth);
    if let Some(oauth) = logins::oauth(fields) {
        let part = TunnelModules { oauth: Some(oauth), ..Default::default() };
        judge(fields, part, |part| all.oauth = part.oauth);
    }
    if let Some(oidc) = logins::oidc(fields) {
        let part = TunnelModules { oidc: Some(oidc), ..Default::default() };
        judge(fields, part, |part| all.oidc = part.oidc);
    }
    if let Some(breaker) = circuit_breaker(fields) {
        let part = TunnelModules { circuit_breaker: Some(breaker), ..Default::default() };
        judge(fields, part, |part| all.circuit_breaker = part.circuit_breaker);
    }
    if let Some(changes) = headers(fields, "request_header") {
        let part = TunnelModules { request_headers: Some(changes), ..Default::default() };
        judge(fields, part, |part| all.request_headers = part.request_headers);
    }
    if let Some(changes) = headers(fields, "response_header") {
        let part = TunnelModules { response_headers: Some(changes), ..Default::default() };
        judge(fields, part, |part| all.response_headers = part.response_headers);
    }
    let part = TunnelModules { host_header: host_header(fields), ..Default::default() };
    judge(fields, part, |part| all.host_header = part.host_header);
    all.websocket_tcp_converter = fields.flag("websocket_tcp_converter").unwrap_or(false);
    all.compression = fields.flag("compression").unwrap_or(false);
    together(fields, &all);
    all
}

/// Judges one module, so that all that is wrong is said at once.
fn judge(fields: &mut Fields<'_>, mut part: TunnelModules, take: impl FnOnce(TunnelModules)) {
    let error = match part.check() {
        Ok(()) => return take(part),
        Err(error) => error,
    };
    let field = error.details.get("field").cloned().unwrap_or_default();
    let mut field = logins::key_of(&field).unwrap_or(field);
    if field.starts_with("basic_auth") && fields.pair("basic_auth").is_none() {
        field = field.replacen("basic_auth", "auth", 1);
    }
    let place = fields.place_of(&field);
    let key = fields.key(&field);
    let message = error.message.replace("`issuer`", "`issuer_url`");
    fields.problems.add_coded(error.code, &place, &key, message);
}

/// Judges what only all of them together can get wrong.
fn together(fields: &mut Fields<'_>, all: &TunnelModules) {
    if let Err(error) = all.clone().check() {
        let field = error.details.get("field").cloned().unwrap_or_default();
        let (place, key) = (fields.place_of(&field), fields.key(&field));
        fields.problems.add_coded(error.code, &place, &key, error.message);
        return;
    }
    let size = serde_json::to_vec(all).map_or(0, |bytes| bytes.len());
    if size > SIZE_LIMIT {
        let (place, key) = (fields.place_of(""), fields.key(""));
        let message = format!("The tunnel's modules take {size} bytes together; at most {SIZE_LIMIT} are allowed.");
        fields.problems.add(&place, key.trim_end_matches('.'), message);
    }
}

fn addresses(fields: &mut Fields<'_>) -> Option<AddressLists> {
    let mut group = fields.group("ip_restriction")?;
    group.only(&["allow_cidrs", "deny_cidrs"], &[]);
    let (allow, deny) = (networks(&mut group, "allow_cidrs"), networks(&mut group, "deny_cidrs"));
    let lists = AddressLists { allow: allow?, deny: deny? };
    if lists == AddressLists::default() {
        group.wrong("allow_cidrs", &Place::default(), "Is missing: say who may come in, such as `- 203.0.113.0/24`.");
        return None;
    }
    Some(lists)
}

/// `None` if one of them is wrong.
fn networks(group: &mut Fields<'_>, name: &str) -> Option<Vec<IpNet>> {
    let mut networks = Some(Vec::new());
    for text in group.texts(name).unwrap_or_default() {
        match parse_cidr(&text.value) {
            Ok(network) => networks.iter_mut().for_each(|networks| networks.push(network)),
            Err(error) => {
                let key = group.key(name);
                group.problems.add_coded(error.code, text.place, &key, error.message);
                networks = None;
            }
        }
    }
    networks
}

fn authorities(fields: &mut Fields<'_>) -> Option<Vec<String>> {
    let mut all = Vec::new();
    for path in fields.texts("mutual_tls_cas")? {
        match certificates(&path.value, path.place) {
            Ok(found) => all.extend(found),
            Err(error) => {
                let key = fields.key("mutual_tls_cas");
                fields.problems.add_coded(error.code, path.place, &key, error.message);
                return None;
            }
        }
    }
    Some(all)
}

fn user_agents(fields: &mut Fields<'_>) -> Option<UserAgentFilter> {
    let mut group = fields.group("user_agent_filter")?;
    group.only(&["allow", "deny"], &[]);
    let mut list =
        |name: &str| group.texts(name).unwrap_or_default().into_iter().map(|text| text.value).collect::<Vec<_>>();
    Some(UserAgentFilter { enabled: true, allow: list("allow"), deny: list("deny") })
}

fn webhooks(fields: &mut Fields<'_>) -> Option<WebhookVerification> {
    let mut group = fields.group("verify_webhook")?;
    group.only(&["provider", "secret"], &[]);
    let provider = group.text("provider").map(|text| text.value).unwrap_or_default();
    let secret = group.text("secret").map(|text| Secret::new(text.value));
    Some(WebhookVerification { enabled: true, provider, secret })
}

/// `basic_auth`, and `auth` as older files call it.
fn users(fields: &mut Fields<'_>) -> Vec<Secret> {
    if let (Some(_), Some(older)) = (fields.pair("basic_auth"), fields.pair("auth")) {
        fields.wrong("auth", &older.place, "Is another word for `basic_auth`, which is there too: take this one out.");
    }
    let name = if fields.pair("basic_auth").is_some() { "basic_auth" } else { "auth" };
    fields.texts(name).unwrap_or_default().into_iter().map(|text| Secret::new(text.value)).collect()
}

/// The share of errors that opens the circuit.
fn circuit_breaker(fields: &mut Fields<'_>) -> Option<CircuitBreaker> {
    let written = fields.text("circuit_breaker")?;
    match written.value.parse::<f64>() {
        Ok(share) if share > 0.0 && share <= 1.0 => {
            Some(CircuitBreaker { error_threshold_percentage: share, ..CircuitBreaker::default() })
        }
        _ => {
            let message = "Must be a share of errors above 0 and up to 1, such as 0.5 for one half.";
            let key = fields.key("circuit_breaker");
            fields.problems.add_coded(Code::CircuitThreshold, written.place, &key, message);
            None
        }
    }
}

/// Headers to add, as a list of `name: value` or as a group, and to remove.
fn headers(fields: &mut Fields<'_>, name: &str) -> Option<HeaderChanges> {
    let mut group = fields.group(name)?;
    group.only(&["add", "remove"], &[]);
    let remove = group.texts("remove").unwrap_or_default().into_iter().map(|text| text.value).collect();
    let mut add = BTreeMap::new();
    let mut fine = true;
    for (place, pair) in headers_of(&mut group, "add") {
        let message = match pair {
            None => "Every header is written `name: value`.",
            Some((name, _)) if add.contains_key(&name) => "A header can be added once only.",
            Some((name, value)) => {
                add.insert(name, value);
                continue;
            }
        };
        group.wrong("add", &place, message);
        fine = false;
    }
    fine.then_some(HeaderChanges { enabled: true, add, remove })
}

/// The name and value of a header; `None` for what is none.
type Header = Option<(String, String)>;

/// Headers as a list of `name: value` or as a group.
pub(super) fn headers_of(group: &mut Fields<'_>, name: &str) -> Vec<(Place, Header)> {
    let scalar = |node: &Node| match &node.value {
        Value::Text(text) => Some(text.clone()),
        Value::Integer(number) => Some(number.to_string()),
        Value::Bool(flag) => Some(flag.to_string()),
        Value::Null => Some(String::new()),
        _ => None,
    };
    let from_pairs = |node: &Node| -> Vec<(Place, Header)> {
        let pairs = node.pairs().unwrap_or_default().iter();
        pairs.map(|pair| (pair.place.clone(), scalar(&pair.value).map(|value| (pair.key.clone(), value)))).collect()
    };
    let Some(pair) = group.pair(name) else { return Vec::new() };
    match &pair.value.value {
        Value::Mapping(_) => from_pairs(&pair.value),
        // Without quotes, `- name: value` is a group of one in YAML.
        Value::Sequence(items) if items.iter().any(|item| item.pairs().is_some()) => items
            .iter()
            .flat_map(|item| match &item.value {
                Value::Mapping(_) => from_pairs(item),
                _ => vec![(item.place.clone(), scalar(item).as_deref().and_then(split))],
            })
            .collect(),
        _ => {
            let texts = group.texts(name).unwrap_or_default();
            texts.into_iter().map(|text| (text.place.clone(), split(&text.value))).collect()
        }
    }
}

fn split(text: &str) -> Header {
    let (name, value) = text.split_once(':')?;
    Some((name.trim().to_owned(), value.trim().to_owned()))
}

#[cfg(test)]
mod tests;
