//! Converts files of version 3 to version 2: settings under `agent`, and endpoints, which become tunnels.
//!
//! Values keep their locations, so that problems are reported where they were written.

use super::{
    Definition,
    fields::Fields,
    problem::{Problems, SourceLocation},
    tree::{ConfigNode, ConfigValue, KeyValue},
};

/// Keys of `agent` that have another name in version 2.
const RENAMED: &[(&str, &str)] = &[("connect_url", "server_addr"), ("connect_cas", "root_cas")];
/// The top-level keys of version 3.
const TOP: &[&str] = &["version", "agent", "endpoints", "tunnels"];
const ENDPOINT: &[&str] = &["name", "url", "upstream", "bindings", "metadata", "description", "agent_tls_termination"];
const UPSTREAM: &[&str] = &["url", "protocol", "proxy_protocol"];
const TERMINATION: &[&str] = &["server_certificate", "server_private_key", "mutual_tls_certificate_authorities"];
const NO_POLICY: &str =
    "Traffic policies are not supported. Write the endpoint as a tunnel of version 2, with the keys of its modules.";
const NO_POOL: &str = "Endpoints cannot share an address; use labelled tunnels and an edge that selects them.";
const FOREIGN: &[(&str, &str)] =
    &[("traffic_policy", NO_POLICY), ("traffic_policy_file", NO_POLICY), ("pooling_enabled", NO_POOL)];

impl Definition {
    /// Reads the body of an API call that describes an endpoint.
    ///
    /// # Errors
    /// All problems of the body.
    pub fn from_endpoint(body: &serde_json::Map<String, serde_json::Value>) -> Result<Self, Problems> {
        let mut problems = Problems::default();
        let node = ConfigNode::from_json(&serde_json::Value::Object(body.clone()));
        let read = endpoint(&node, "", &mut problems)
            .filter(|_| problems.0.is_empty())
            .and_then(|tunnel| Definition::read(&tunnel.key, &tunnel.location, &tunnel.value, "", &mut problems));
        read.ok_or(problems)
    }
}

/// Converts a configuration to version 2.
pub(super) fn to_version_2(root: &ConfigNode, problems: &mut Problems) -> ConfigNode {
    let mut top = Vec::new();
    Fields::new(root, "", problems).check_known(TOP, &[]);
    for pair in root.pairs().unwrap_or_default() {
        match pair.key.as_str() {
            "agent" => match pair.value.pairs() {
                Some(settings) => top.extend(settings.iter().map(setting)),
                None if matches!(pair.value.value, ConfigValue::Null) => {}
                None => problems.add(&pair.value.location, "agent", "Must be a group of keys."),
            },
            "version" => top.push(pair.clone()),
            "tunnels" => {
                reject_labels(&pair.value, problems);
                add_tunnels(&mut top, pair.value.pairs().unwrap_or_default().to_vec(), &pair.location);
            }
            "endpoints" => {
                let tunnels = endpoints(&pair.value, problems);
                add_tunnels(&mut top, tunnels, &pair.location);
            }
            _ => {}
        }
    }
    ConfigNode { value: ConfigValue::Mapping(top), ..root.clone() }
}

fn setting(pair: &KeyValue) -> KeyValue {
    let renamed = RENAMED.iter().find(|(newer, _)| *newer == pair.key);
    KeyValue { key: renamed.map_or_else(|| pair.key.clone(), |(_, older)| (*older).to_owned()), ..pair.clone() }
}

/// Adds tunnels to the existing ones.
fn add_tunnels(top: &mut Vec<KeyValue>, more: Vec<KeyValue>, location: &SourceLocation) {
    if let Some(KeyValue { value: ConfigNode { value: ConfigValue::Mapping(there), .. }, .. }) =
        top.iter_mut().find(|pair| pair.key == "tunnels")
    {
        there.extend(more);
        return;
    }
    let value = ConfigNode { location: location.clone(), span: 0..0, flow: false, value: ConfigValue::Mapping(more) };
    top.push(KeyValue { key: "tunnels".to_owned(), location: location.clone(), span: 0..0, value });
}

fn reject_labels(tunnels: &ConfigNode, problems: &mut Problems) {
    for tunnel in tunnels.pairs().unwrap_or_default() {
        if let Some(labels) = tunnel.value.pair("labels") {
            let key = format!("tunnels.{}.labels", tunnel.key);
            problems.add(&labels.location, &key, "Version 3 has no labels: write `version: 2`.");
        }
    }
}

fn endpoints(list: &ConfigNode, problems: &mut Problems) -> Vec<KeyValue> {
    let items = match &list.value {
        ConfigValue::Sequence(items) => items.as_slice(),
        ConfigValue::Null => &[],
        _ => {
            problems.add(&list.location, "endpoints", "Must be a list of endpoints.");
            &[]
        }
    };
    let mut tunnels: Vec<KeyValue> = Vec::new();
    for (index, item) in items.iter().enumerate() {
        let Some(tunnel) = endpoint(item, &format!("endpoints[{index}]"), problems) else { continue };
        if tunnels.iter().any(|there| there.key == tunnel.key) {
            problems.add(&tunnel.location, &format!("endpoints[{index}].name"), "Another endpoint has this name.");
            continue;
        }
        tunnels.push(tunnel);
    }
    tunnels
}

fn endpoint(item: &ConfigNode, path: &str, problems: &mut Problems) -> Option<KeyValue> {
    let mut fields = Fields::new(item, path, problems);
    fields.check_known(ENDPOINT, FOREIGN);
    let Some(name) = fields.text("name") else {
        if fields.pair("name").is_none() {
            fields.reject("name", &item.location, "Is missing: every endpoint needs a name.");
        }
        return None;
    };
    for binding in fields.texts("bindings").unwrap_or_default() {
        if binding.value != "public" {
            fields.reject(
                "bindings",
                binding.location,
                "Endpoints are always public: write `public`, or remove the key.",
            );
        }
    }
    let mut keys = address(&mut fields, &item.location)?;
    if let Some(pair) = fields.pair("metadata").or_else(|| fields.pair("description")) {
        keys.push(KeyValue { key: "metadata".to_owned(), ..pair.clone() });
    }
    let Some(mut upstream) = fields.group("upstream") else {
        fields.reject(
            "upstream",
            &item.location,
            "Is missing: say where the local service is, `upstream: {url: 8080}`.",
        );
        return None;
    };
    upstream.check_known(UPSTREAM, &[]);
    for (newer, older) in [("url", "addr"), ("protocol", "app_protocol"), ("proxy_protocol", "proxy_proto")] {
        if let Some(pair) = upstream.pair(newer) {
            keys.push(KeyValue { key: older.to_owned(), ..pair.clone() });
        } else if newer == "url" {
            upstream.reject("url", &item.location, "Is missing: say where the local service is.");
        }
    }
    if let Some(mut termination) = fields.group("agent_tls_termination") {
        termination.check_known(TERMINATION, &[]);
        for (newer, older) in TERMINATION.iter().zip(["crt", "key", "mutual_tls_cas"]) {
            if let Some(pair) = termination.pair(newer) {
                keys.push(KeyValue { key: older.to_owned(), ..pair.clone() });
            }
        }
    }
    let value = ConfigNode {
        location: item.location.clone(),
        span: item.span.clone(),
        flow: item.flow,
        value: ConfigValue::Mapping(keys),
    };
    Some(KeyValue { key: name.value, location: name.location.clone(), span: 0..0, value })
}

/// The keys of a tunnel for the public address of an endpoint: `https://name`, a name, a scheme, or nothing.
fn address(fields: &mut Fields<'_>, location: &SourceLocation) -> Option<Vec<KeyValue>> {
    let field = fields.text("url");
    let (text, location) = match &field {
        Some(field) => (field.value.trim(), field.location),
        None if fields.pair("url").is_none() => ("", location),
        None => return None,
    };
    let (scheme, rest) = text.split_once("://").unwrap_or(("https", text));
    let rest = rest.trim_end_matches('/');
    let node = |value: &str| ConfigNode {
        location: location.clone(),
        span: 0..0,
        flow: true,
        value: ConfigValue::Text(value.to_owned()),
    };
    let pair = |key: &str, value: &str| KeyValue {
        key: key.to_owned(),
        location: location.clone(),
        span: 0..0,
        value: node(value),
    };
    let mut keys = match scheme {
        "http" | "https" => vec![pair("proto", "http"), pair("schemes", scheme)],
        "tcp" | "tls" => vec![pair("proto", scheme)],
        _ => {
            fields.reject("url", location, "Must begin with `https://`, `http://`, `tcp://` or `tls://`.");
            return None;
        }
    };
    match (scheme, rest) {
        (_, "") => {}
        ("tcp", rest) => keys.push(pair("remote_addr", rest)),
        // The server decides the port.
        (_, rest) => keys.push(pair("domain", rest.rsplit_once(':').map_or(rest, |(host, _)| host))),
    }
    Some(keys)
}

#[cfg(test)]
mod tests {
    use crate::config::{Config, DefinitionKind, Schemes};

    #[test]
    fn endpoints_become_tunnels_and_settings_are_under_agent() {
        let config = Config::parse(
            "version: 3\nagent:\n  authtoken: x\n  connect_url: server.test:4443\n  web_addr: false\nendpoints:\n\
             - name: site\n  url: https://shop.test\n  description: a shop\n  upstream: {url: 8080, protocol: http2}\n\
             - name: plain\n  url: \"http://\"\n  upstream: {url: \"http://localhost:81\"}\n\
             - name: shell\n  url: tcp://server.test:24001\n  upstream: {url: 22, proxy_protocol: 2}\n\
             - name: any\n  upstream: {url: 82}\n\
             tunnels:\n  older: {proto: tcp, addr: 23}\n",
        )
        .expect("valid");
        assert_eq!(config.settings.servers[0].host, "server.test");
        let kind = |name: &str| config.tunnels[name].kind.clone();
        let http = |host: Option<&str>, schemes| DefinitionKind::Http { host: host.map(str::to_owned), schemes };
        assert_eq!(kind("site"), http(Some("shop.test"), Schemes::Https));
        assert_eq!(kind("plain"), http(None, Schemes::Http));
        assert_eq!(kind("any"), http(None, Schemes::Https));
        assert_eq!(kind("shell"), DefinitionKind::Tcp { port: Some(24001) });
        assert_eq!(kind("older"), DefinitionKind::Tcp { port: None });
        assert_eq!(config.tunnels["site"].metadata, "a shop");
    }

    #[test]
    fn problems_use_the_keys_of_the_file() {
        let problems = Config::parse(
            "version: 3\nauthtoken: planted-secret\nagent: {server_adr: x}\nendpoints:\n- name: a\n  url: gopher://x\n  \
             upstream: {url: 80}\n- upstream: {url: 80}\n- name: b\n  traffic_policy: {}\n  bindings: [internal]\n  \
             upstream: {uri: 80}\n- name: c\n  upstream: {url: x y}\ntunnels:\n  t: {labels: [a=b], addr: 1}\n",
        )
        .expect_err("wrong");
        let text = problems.to_string();
        for part in [
            "postern.yml:2:1: authtoken: There is no such key",
            "server_adr: There is no such key. Did you mean `server_addr`?",
            "postern.yml:6:8: endpoints[0].url: Must begin with",
            "endpoints[1].name: Is missing",
            "endpoints[2].traffic_policy: Traffic policies are not supported",
            "endpoints[2].bindings: Endpoints are always public",
            "endpoints[2].upstream.uri: There is no such key. Did you mean `url`?",
            "endpoints[2].upstream.url: Is missing",
            "postern.yml:14:19: tunnels.c.addr: `x y` is not a local address",
            "tunnels.t.labels: Version 3 has no labels",
        ] {
            assert!(text.contains(part), "{part} is not in:\n{text}");
        }
        assert!(!text.contains("planted"), "{text}");
    }
}
