//! The kind of a tunnel: HTTP, TLS, TCP or labels, with the keys that belong to it.

use super::{
    fields::{Fields, Located},
    modules::{CONNECTION_MODULES, REQUEST_MODULES},
    problem::SourceLocation,
    tree::{ConfigNode, ConfigValue},
};
use postern_api::{Code, host::HostName};
use std::collections::BTreeMap;

/// The public address of a tunnel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DefinitionKind {
    /// A host name for HTTP.
    Http {
        /// A full host name, a bare label under the server's domain, or none: the server chooses.
        host: Option<String>,
        /// The schemes.
        schemes: Schemes,
    },
    /// A host name for TLS with any protocol inside.
    Tls {
        /// A full host name, a bare label under the server's domain, or none: the server chooses.
        host: Option<String>,
        /// Where TLS is terminated.
        terminate: Terminate,
    },
    /// A TCP port.
    Tcp {
        /// The requested port; without one, the server chooses.
        port: Option<u16>,
    },
    /// Labels that edges select.
    Labels(BTreeMap<String, String>),
}

/// Where a visitor's TLS is terminated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Terminate {
    /// At the local service: it is passed through.
    Upstream,
    /// At this agent, with a certificate of its own.
    Agent,
    /// At the server, with its certificate for the name.
    Edge,
}

/// The schemes of an HTTP tunnel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Schemes {
    /// HTTPS only, the default.
    Https,
    /// Plain HTTP only.
    Http,
    /// Both: two endpoints.
    Both,
}

/// Further keys of HTTP tunnels only.
const HTTP_KEYS: &[&str] = &["host_header"];
/// Keys for the public name.
const NAME_KEYS: &[&str] = &["domain", "hostname", "subdomain"];
/// Keys for TLS termination.
const TLS_KEYS: &[&str] = &["crt", "key", "terminate_at"];
const SCHEME_KEYS: &[&str] = &["schemes", "bind_tls"];

impl DefinitionKind {
    /// Reads the keys of a kind and rejects those of other kinds. `None` if there are problems.
    pub(super) fn read(fields: &mut Fields<'_>, location: &SourceLocation) -> Option<DefinitionKind> {
        let proto = fields.text("proto");
        if let Some(pair) = fields.pair("labels") {
            if let Some(proto) = proto {
                let message =
                    "A tunnel has either `proto` or `labels`: the edge that selects the labels decides the protocol.";
                fields.reject("proto", proto.location, message);
                return None;
            }
            return read_labelled(fields, &pair.value);
        }
        let Some(proto) = proto else {
            fields.reject(
                "proto",
                location,
                "Is missing: write `proto: http`, `proto: tcp` or `proto: tls`, or give `labels`.",
            );
            return None;
        };
        match proto.value.as_str() {
            "http" | "https" => read_http(fields),
            "tcp" => read_tcp(fields),
            "tls" => read_tls(fields),
            _ => {
                fields.reject("proto", proto.location, "Must be `http`, `tcp` or `tls`.");
                None
            }
        }
    }
}

fn read_labelled(fields: &mut Fields<'_>, node: &ConfigNode) -> Option<DefinitionKind> {
    let others: &[&str] = &["remote_addr", "terminate_at"];
    for keys in [REQUEST_MODULES, CONNECTION_MODULES, HTTP_KEYS, NAME_KEYS, SCHEME_KEYS, others] {
        reject_foreign(fields, keys, "a labelled tunnel: its edge has the modules");
    }
    own_certificate(fields).and_then(|_| labels(fields, node)).map(DefinitionKind::Labels)
}

fn read_http(fields: &mut Fields<'_>) -> Option<DefinitionKind> {
    reject_foreign(fields, &["remote_addr"], "an http tunnel");
    reject_foreign(fields, TLS_KEYS, "an http tunnel: the server terminates TLS with its own certificate");
    let (host, schemes) = (host(fields), schemes(fields));
    if schemes.is_some_and(|schemes| schemes != Schemes::Https)
        && let Some(pair) = fields.pair("mutual_tls_cas")
    {
        let message = "Client certificates need HTTPS: remove `http` from `schemes`.";
        fields.reject("mutual_tls_cas", &pair.location, message);
        return None;
    }
    Some(DefinitionKind::Http { host: host?, schemes: schemes? })
}

fn read_tcp(fields: &mut Fields<'_>) -> Option<DefinitionKind> {
    for keys in [REQUEST_MODULES, HTTP_KEYS, NAME_KEYS, SCHEME_KEYS, TLS_KEYS, &["app_protocol", "mutual_tls_cas"]] {
        reject_foreign(fields, keys, "a tcp tunnel");
    }
    remote_port(fields).map(|port| DefinitionKind::Tcp { port })
}

fn read_tls(fields: &mut Fields<'_>) -> Option<DefinitionKind> {
    for keys in [REQUEST_MODULES, HTTP_KEYS, SCHEME_KEYS, &["app_protocol", "remote_addr"]] {
        reject_foreign(fields, keys, "a tls tunnel");
    }
    let (host, terminate) = (host(fields), terminate(fields));
    Some(DefinitionKind::Tls { host: host?, terminate: terminate? })
}

/// Where TLS is terminated: as `terminate_at` says, else here if there is a certificate, else at the local service.
fn terminate(fields: &mut Fields<'_>) -> Option<Terminate> {
    let own = own_certificate(fields)?;
    let has_own = own.is_some();
    let (terminate, location) = match fields.text("terminate_at") {
        None => (if has_own { Terminate::Agent } else { Terminate::Upstream }, own),
        Some(field) => match field.value.as_str() {
            "upstream" => (Terminate::Upstream, Some(field.location)),
            "agent" => (Terminate::Agent, Some(field.location)),
            "edge" => (Terminate::Edge, Some(field.location)),
            _ => {
                fields.reject("terminate_at", field.location, "Must be `upstream`, `agent` or `edge`.");
                return None;
            }
        },
    };
    let location = location.cloned().unwrap_or_default();
    let asks = fields.pair("mutual_tls_cas").map(|pair| pair.location.clone());
    match (terminate, has_own, asks) {
        (Terminate::Agent, false, _) => {
            fields.reject(
                "terminate_at",
                &location,
                "The agent needs a certificate to terminate TLS: give `crt` and `key`.",
            );
            None
        }
        (Terminate::Upstream | Terminate::Edge, true, _) => {
            let message =
                "`crt` and `key` are for TLS termination at the agent: remove them, or write `terminate_at: agent`.";
            fields.reject("terminate_at", &location, message);
            None
        }
        (Terminate::Upstream, _, Some(location)) => {
            let message = "Client certificates can be required only where TLS is terminated: give `crt` and `key`, or write `terminate_at: edge`.";
            fields.reject("mutual_tls_cas", &location, message);
            None
        }
        _ => Some(terminate),
    }
}

/// The location of `crt` if a certificate and its key are given; the outer `None` means that one of the two is missing.
fn own_certificate<'a>(fields: &mut Fields<'a>) -> Option<Option<&'a SourceLocation>> {
    let own = ["crt", "key"].map(|key| fields.pair(key));
    if let [Some(one), None] | [None, Some(one)] = own {
        fields.reject(&one.key, &one.location, "`crt` and `key` belong together: give both files.");
        return None;
    }
    Some(own[0].map(|pair| &pair.location))
}

fn reject_foreign(fields: &mut Fields<'_>, keys: &[&str], what: &str) {
    for key in keys {
        if let Some(pair) = fields.pair(key) {
            fields.reject(key, &pair.location, format!("Is not supported for {what}; remove it."));
        }
    }
}

/// The outer `None` means that there are problems, the inner one that no name is requested.
fn host(fields: &mut Fields<'_>) -> Option<Option<String>> {
    let mut found: Option<(&str, String)> = None;
    for key in ["domain", "hostname", "subdomain"] {
        let Some(field) = fields.text(key) else { continue };
        if let Some((first, _)) = &found {
            let message =
                format!("At most one of `domain`, `hostname` and `subdomain` can be given; `{first}` is already set.");
            fields.reject(key, field.location, message);
            return None;
        }
        if key == "subdomain" && field.value.contains('.') && !field.value.starts_with("*.") {
            fields.reject(
                key,
                field.location,
                "A subdomain is one label under the server's domain; use `domain` for a full name.",
            );
            return None;
        }
        match HostName::parse(&field.value) {
            Ok(name) => found = Some((key, name.as_str().to_owned())),
            Err(error) => {
                let key = fields.key(key);
                fields.problems.add_coded(error.code, field.location, &key, error.message);
                return None;
            }
        }
    }
    Some(found.map(|(_, name)| name))
}

fn schemes(fields: &mut Fields<'_>) -> Option<Schemes> {
    if let Some(field) = fields.text_if_present("bind_tls") {
        return match field.value.as_str() {
            "true" => Some(Schemes::Https),
            "false" => Some(Schemes::Http),
            "both" => Some(Schemes::Both),
            _ => {
                fields.reject(
                    "bind_tls",
                    field.location,
                    "Must be `true`, `false` or `both`; `schemes: [https]` is preferred.",
                );
                None
            }
        };
    }
    let Some(list) = fields.texts("schemes") else { return Some(Schemes::Https) };
    let (mut http, mut https) = (false, false);
    for scheme in &list {
        match scheme.value.as_str() {
            "http" => http = true,
            "https" => https = true,
            _ => {
                fields.reject("schemes", scheme.location, "Must contain `http` and `https` only.");
                return None;
            }
        }
    }
    Some(match (http, https) {
        (true, true) => Schemes::Both,
        (true, false) => Schemes::Http,
        _ => Schemes::Https,
    })
}

fn remote_port(fields: &mut Fields<'_>) -> Option<Option<u16>> {
    let Some(field) = fields.text("remote_addr") else { return Some(None) };
    let port = field.value.rsplit_once(':').map_or(field.value.as_str(), |(_, port)| port);
    match port.parse::<u16>() {
        Ok(port) if port != 0 => Some(Some(port)),
        _ => {
            fields.reject(
                "remote_addr",
                field.location,
                "Must be a port of the server or `host:port`, such as `24001`.",
            );
            None
        }
    }
}

fn labels(fields: &mut Fields<'_>, node: &ConfigNode) -> Option<BTreeMap<String, String>> {
    let mut labels = BTreeMap::new();
    let mut valid = true;
    let mut take = |fields: &mut Fields<'_>, location: &SourceLocation, pair: Option<(String, String)>| {
        let Some((key, value)) = pair.filter(|(key, value)| !key.is_empty() && !value.is_empty()) else {
            let all = fields.key("labels");
            fields.problems.add_coded(Code::ConfigInvalid, location, &all, "Write every label as `key=value`.");
            valid = false;
            return;
        };
        labels.insert(key, value);
    };
    match &node.value {
        ConfigValue::Mapping(pairs) => {
            for pair in pairs {
                let value = match &pair.value.value {
                    ConfigValue::Text(text) => Some(text.clone()),
                    ConfigValue::Integer(number) => Some(number.to_string()),
                    ConfigValue::Bool(flag) => Some(flag.to_string()),
                    _ => None,
                };
                take(fields, &pair.location, value.map(|value| (pair.key.clone(), value)));
            }
        }
        _ => {
            for text in fields.texts("labels").unwrap_or_default() {
                let pair =
                    text.value.split_once('=').map(|(key, value)| (key.trim().to_owned(), value.trim().to_owned()));
                take(fields, text.location, pair);
            }
        }
    }
    if valid && labels.is_empty() {
        fields.reject("labels", &node.location, "At least one label is needed, such as `- app=shop`.");
        return None;
    }
    valid.then_some(labels)
}

impl<'a> Fields<'a> {
    fn text_if_present(&mut self, name: &str) -> Option<Located<'a, String>> {
        self.pair(name)?;
        self.text(name)
    }
}
