//! What a tunnel publishes: a name over HTTP, a port, or labels.

use super::{
    fields::{Fields, Written},
    problem::Place,
    tree::{Node, Value},
};
use postern_api::{Code, host::HostName};
use std::collections::BTreeMap;

/// What a tunnel publishes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A host name for HTTP.
    Http {
        /// A full host name, a bare label under the server's domain, or none: the server chooses.
        host: Option<String>,
        /// Over which schemes.
        schemes: Schemes,
    },
    /// A TCP port.
    Tcp {
        /// The port asked for, or none: the server chooses.
        port: Option<u16>,
    },
    /// Labels that edges select.
    Labels(BTreeMap<String, String>),
}

/// Over which schemes an HTTP tunnel is published.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Schemes {
    /// HTTPS only, the default.
    Https,
    /// Plain HTTP only.
    Http,
    /// Both: two tunnels.
    Both,
}

/// Keys that say what is done with requests, which only tunnels of HTTP have.
const OF_HTTP: &[&str] = &[
    "auth",
    "basic_auth",
    "circuit_breaker",
    "compression",
    "host_header",
    "oauth",
    "oidc",
    "request_header",
    "response_header",
    "user_agent_filter",
    "verify_webhook",
    "websocket_tcp_converter",
];
/// Keys that say under which name something is published.
const OF_NAMES: &[&str] = &["domain", "hostname", "subdomain"];
const OF_SCHEMES: &[&str] = &["schemes", "bind_tls"];

impl Kind {
    /// Reads the keys that decide it, and refuses those that have no meaning for it. `None` if anything is wrong.
    pub(super) fn read(fields: &mut Fields<'_>, place: &Place) -> Option<Kind> {
        let proto = fields.text("proto");
        if let Some(pair) = fields.pair("labels") {
            if let Some(proto) = proto {
                let message =
                    "A tunnel has either `proto` or `labels`: the edge that selects the labels decides the protocol.";
                fields.wrong("proto", proto.place, message);
                return None;
            }
            let others: &[&str] = &["remote_addr", "ip_restriction", "mutual_tls_cas"];
            for keys in [OF_HTTP, OF_NAMES, OF_SCHEMES, others] {
                refuse_foreign(fields, keys, "a labelled tunnel: what is done with visitors is said at its edge");
            }
            return labels(fields, &pair.value).map(Kind::Labels);
        }
        let Some(proto) = proto else {
            fields.wrong("proto", place, "Is missing: write `proto: http` or `proto: tcp`, or give `labels`.");
            return None;
        };
        match proto.value.as_str() {
            "http" | "https" => {
                refuse_foreign(fields, &["remote_addr"], "an http tunnel");
                let (host, schemes) = (host(fields), schemes(fields));
                if schemes.is_some_and(|schemes| schemes != Schemes::Https)
                    && let Some(pair) = fields.pair("mutual_tls_cas")
                {
                    let message = "Visitors show certificates over HTTPS only: take `http` out of `schemes`.";
                    fields.wrong("mutual_tls_cas", &pair.place, message);
                    return None;
                }
                Some(Kind::Http { host: host?, schemes: schemes? })
            }
            "tcp" => {
                for keys in [OF_HTTP, OF_NAMES, OF_SCHEMES, &["app_protocol", "mutual_tls_cas"]] {
                    refuse_foreign(fields, keys, "a tcp tunnel");
                }
                remote_port(fields).map(|port| Kind::Tcp { port })
            }
            "tls" => {
                let message = "TLS tunnels come in a later version of Postern. `proto: tcp` passes TLS through unopened; `proto: http` terminates it.";
                fields.wrong("proto", proto.place, message);
                None
            }
            _ => {
                fields.wrong("proto", proto.place, "Must be `http` or `tcp`.");
                None
            }
        }
    }
}

fn refuse_foreign(fields: &mut Fields<'_>, keys: &[&str], what: &str) {
    for key in keys {
        if let Some(pair) = fields.pair(key) {
            fields.wrong(key, &pair.place, format!("Has no meaning for {what}; take it out."));
        }
    }
}

/// The outer `None` says that something was wrong, the inner one that no name was asked for.
fn host(fields: &mut Fields<'_>) -> Option<Option<String>> {
    let mut found: Option<(&str, String)> = None;
    for key in ["domain", "hostname", "subdomain"] {
        let Some(written) = fields.text(key) else { continue };
        if let Some((first, _)) = &found {
            let message = format!(
                "At most one of `domain`, `hostname` and `subdomain` can be given; `{first}` stands here already."
            );
            fields.wrong(key, written.place, message);
            return None;
        }
        if key == "subdomain" && written.value.contains('.') && !written.value.starts_with("*.") {
            fields.wrong(
                key,
                written.place,
                "A subdomain is one word under the server's domain; write a full name into `domain`.",
            );
            return None;
        }
        match HostName::parse(&written.value) {
            Ok(name) => found = Some((key, name.as_str().to_owned())),
            Err(error) => {
                let key = fields.key(key);
                fields.problems.add_coded(error.code, written.place, &key, error.message);
                return None;
            }
        }
    }
    Some(found.map(|(_, name)| name))
}

fn schemes(fields: &mut Fields<'_>) -> Option<Schemes> {
    if let Some(written) = fields.text_if_present("bind_tls") {
        return match written.value.as_str() {
            "true" => Some(Schemes::Https),
            "false" => Some(Schemes::Http),
            "both" => Some(Schemes::Both),
            _ => {
                fields.wrong(
                    "bind_tls",
                    written.place,
                    "Must be `true`, `false` or `both`; better write `schemes: [https]`.",
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
                fields.wrong("schemes", scheme.place, "Can hold `http` and `https` only.");
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
    let Some(written) = fields.text("remote_addr") else { return Some(None) };
    let port = written.value.rsplit_once(':').map_or(written.value.as_str(), |(_, port)| port);
    match port.parse::<u16>() {
        Ok(port) if port != 0 => Some(Some(port)),
        _ => {
            fields.wrong("remote_addr", written.place, "Must be a port of the server or `host:port`, such as `24001`.");
            None
        }
    }
}

fn labels(fields: &mut Fields<'_>, node: &Node) -> Option<BTreeMap<String, String>> {
    let mut labels = BTreeMap::new();
    let mut fine = true;
    let mut take = |fields: &mut Fields<'_>, place: &Place, pair: Option<(String, String)>| {
        let Some((key, value)) = pair.filter(|(key, value)| !key.is_empty() && !value.is_empty()) else {
            let all = fields.key("labels");
            fields.problems.add_coded(Code::ConfigInvalid, place, &all, "Every label is written `key=value`.");
            fine = false;
            return;
        };
        labels.insert(key, value);
    };
    match &node.value {
        Value::Mapping(pairs) => {
            for pair in pairs {
                let value = match &pair.value.value {
                    Value::Text(text) => Some(text.clone()),
                    Value::Integer(number) => Some(number.to_string()),
                    Value::Bool(flag) => Some(flag.to_string()),
                    _ => None,
                };
                take(fields, &pair.place, value.map(|value| (pair.key.clone(), value)));
            }
        }
        _ => {
            for text in fields.texts("labels").unwrap_or_default() {
                let pair =
                    text.value.split_once('=').map(|(key, value)| (key.trim().to_owned(), value.trim().to_owned()));
                take(fields, text.place, pair);
            }
        }
    }
    if fine && labels.is_empty() {
        fields.wrong("labels", &node.place, "At least one label is needed, such as `- app=shop`.");
        return None;
    }
    fine.then_some(labels)
}

impl<'a> Fields<'a> {
    fn text_if_present(&mut self, name: &str) -> Option<Written<'a, String>> {
        self.pair(name)?;
        self.text(name)
    }
}
