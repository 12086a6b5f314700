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
    /// A host name for TLS, whatever is spoken inside.
    Tls {
        /// A full host name, a bare label under the server's domain, or none: the server chooses.
        host: Option<String>,
        /// Where TLS ends.
        terminate: Terminate,
    },
    /// A TCP port.
    Tcp {
        /// The port asked for, or none: the server chooses.
        port: Option<u16>,
    },
    /// Labels that edges select.
    Labels(BTreeMap<String, String>),
}

/// Where the TLS of a visitor ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Terminate {
    /// At the local service: it is passed on as it is.
    Upstream,
    /// At this agent, with a certificate of its own.
    Agent,
    /// At the server, with the certificate it has for the name.
    Edge,
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
/// Keys that say how TLS ends.
const OF_TLS: &[&str] = &["crt", "key", "terminate_at"];
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
            let others: &[&str] = &["remote_addr", "ip_restriction", "mutual_tls_cas", "terminate_at"];
            for keys in [OF_HTTP, OF_NAMES, OF_SCHEMES, others] {
                refuse_foreign(fields, keys, "a labelled tunnel: what is done with visitors is said at its edge");
            }
            return own_certificate(fields).and_then(|_| labels(fields, &pair.value)).map(Kind::Labels);
        }
        let Some(proto) = proto else {
            fields.wrong(
                "proto",
                place,
                "Is missing: write `proto: http`, `proto: tcp` or `proto: tls`, or give `labels`.",
            );
            return None;
        };
        match proto.value.as_str() {
            "http" | "https" => {
                refuse_foreign(fields, &["remote_addr"], "an http tunnel");
                refuse_foreign(
                    fields,
                    OF_TLS,
                    "an http tunnel: the server ends TLS, with a certificate it has or is given",
                );
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
                for keys in [OF_HTTP, OF_NAMES, OF_SCHEMES, OF_TLS, &["app_protocol", "mutual_tls_cas"]] {
                    refuse_foreign(fields, keys, "a tcp tunnel");
                }
                remote_port(fields).map(|port| Kind::Tcp { port })
            }
            "tls" => {
                for keys in [OF_HTTP, OF_SCHEMES, &["app_protocol", "remote_addr"]] {
                    refuse_foreign(fields, keys, "a tls tunnel");
                }
                let (host, terminate) = (host(fields), terminate(fields));
                Some(Kind::Tls { host: host?, terminate: terminate? })
            }
            _ => {
                fields.wrong("proto", proto.place, "Must be `http`, `tcp` or `tls`.");
                None
            }
        }
    }
}

/// Where TLS ends: where it is said, else here if there is a certificate for it, else at the local service.
fn terminate(fields: &mut Fields<'_>) -> Option<Terminate> {
    let own = own_certificate(fields)?;
    let has_own = own.is_some();
    let (terminate, place) = match fields.text("terminate_at") {
        None => (if has_own { Terminate::Agent } else { Terminate::Upstream }, own),
        Some(written) => match written.value.as_str() {
            "upstream" => (Terminate::Upstream, Some(written.place)),
            "agent" => (Terminate::Agent, Some(written.place)),
            "edge" => (Terminate::Edge, Some(written.place)),
            _ => {
                fields.wrong("terminate_at", written.place, "Must be `upstream`, `agent` or `edge`.");
                return None;
            }
        },
    };
    let place = place.cloned().unwrap_or_default();
    let asks = fields.pair("mutual_tls_cas").map(|pair| pair.place.clone());
    match (terminate, has_own, asks) {
        (Terminate::Agent, false, _) => {
            fields.wrong("terminate_at", &place, "This agent needs a certificate to end TLS: give `crt` and `key`.");
            None
        }
        (Terminate::Upstream | Terminate::Edge, true, _) => {
            let message =
                "`crt` and `key` are for TLS that ends at this agent: take them out, or write `terminate_at: agent`.";
            fields.wrong("terminate_at", &place, message);
            None
        }
        (Terminate::Upstream, _, Some(place)) => {
            let message = "Visitors can be asked for certificates only where TLS ends: give `crt` and `key`, or write `terminate_at: edge`.";
            fields.wrong("mutual_tls_cas", &place, message);
            None
        }
        _ => Some(terminate),
    }
}

/// Where `crt` stands, if there is a certificate with its key; the outer `None` says that one of the two is missing.
fn own_certificate<'a>(fields: &mut Fields<'a>) -> Option<Option<&'a Place>> {
    let own = ["crt", "key"].map(|key| fields.pair(key));
    if let [Some(one), None] | [None, Some(one)] = own {
        fields.wrong(&one.key, &one.place, "`crt` and `key` belong together: give both files.");
        return None;
    }
    Some(own[0].map(|pair| &pair.place))
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
