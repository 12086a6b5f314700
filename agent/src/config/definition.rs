//! A tunnel as it was written and what it means.

use super::{
    address::LocalAddress,
    fields::Fields,
    problem::{Place, Problems},
    tree::{Node, Value},
    wire::Wire,
};
use postern_api::{Code, host::HostName};
use postern_tunnel::message::AppProtocol;
use std::collections::BTreeMap;

/// The longest name of a tunnel, in bytes.
const MAX_NAME: usize = 128;
const MAX_METADATA: usize = 4096;
/// What the plain half of a tunnel with both schemes is called after.
pub const PLAIN_SUFFIX: &str = " (http)";

/// A tunnel that may be started.
#[derive(Clone, Debug, PartialEq)]
pub struct Definition {
    /// Its name in the configuration.
    pub name: String,
    /// What is published.
    pub kind: Kind,
    /// Where visitors are led.
    pub upstream: LocalAddress,
    /// How the local service is spoken to.
    pub wire: Wire,
    /// Whether HTTP requests shall be captured.
    pub inspect: bool,
    /// Free text shown to the operator of the server.
    pub metadata: String,
    /// The keys as they were written, without `name`.
    pub written: serde_json::Map<String, serde_json::Value>,
}

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

const KNOWN: &[&str] = &[
    "addr",
    "proto",
    "labels",
    "inspect",
    "metadata",
    "domain",
    "hostname",
    "subdomain",
    "schemes",
    "bind_tls",
    "host_header",
    "remote_addr",
    "app_protocol",
    "proxy_proto",
];

const LATER_AT_EDGE: &str =
    "Comes in a later version of Postern; take the key out. It is refused so that nobody relies on what is not there.";
const LATER: &[(&str, &str)] = &[
    ("auth", LATER_AT_EDGE),
    ("basic_auth", LATER_AT_EDGE),
    ("circuit_breaker", LATER_AT_EDGE),
    ("compression", LATER_AT_EDGE),
    ("ip_restriction", LATER_AT_EDGE),
    ("mutual_tls_cas", LATER_AT_EDGE),
    ("oauth", LATER_AT_EDGE),
    ("oidc", LATER_AT_EDGE),
    ("policy", LATER_AT_EDGE),
    ("traffic_policy", LATER_AT_EDGE),
    ("request_header", LATER_AT_EDGE),
    ("response_header", LATER_AT_EDGE),
    ("user_agent_filter", LATER_AT_EDGE),
    ("verify_webhook", LATER_AT_EDGE),
    ("websocket_tcp_converter", LATER_AT_EDGE),
    ("crt", LATER_AT_EDGE),
    ("key", LATER_AT_EDGE),
    ("terminate_at", LATER_AT_EDGE),
];

impl Definition {
    /// Reads one tunnel; problems are added under `path`. `None` if anything was wrong with it.
    pub fn read(name: &str, name_place: &Place, node: &Node, path: &str, problems: &mut Problems) -> Option<Self> {
        let before = problems.0.len();
        if let Err(why) = check_name(name) {
            problems.add(name_place, path, why);
        }
        let mut fields = Fields::of(node, path, problems);
        fields.only(KNOWN, LATER);
        let kind = kind(&mut fields, &node.place);
        let http = !matches!(kind, Some(Kind::Tcp { .. }));
        let upstream = upstream(&mut fields, &node.place, http);
        let wire = Wire::read(&mut fields);
        let inspect = fields.flag("inspect").unwrap_or(true);
        let metadata = fields.bounded_text("metadata", MAX_METADATA).unwrap_or_default();
        let written = match node.to_json() {
            serde_json::Value::Object(written) => written,
            _ => serde_json::Map::new(),
        };
        let (kind, upstream, wire) = (kind?, upstream?, wire?);
        (problems.0.len() == before).then(|| Definition {
            name: name.to_owned(),
            kind,
            upstream,
            wire,
            inspect,
            metadata,
            written,
        })
    }

    /// Reads the body of an API call or what a command line says.
    pub fn from_json(name: &str, body: &serde_json::Map<String, serde_json::Value>) -> Result<Self, Problems> {
        let mut problems = Problems::default();
        let node = Node::from_json(&serde_json::Value::Object(body.clone()));
        let read = Definition::read(name, &Place::default(), &node, "", &mut problems);
        read.ok_or(problems)
    }

    /// Whether its HTTP requests are captured: those of HTTP/2 pass unread.
    pub fn captures(&self) -> bool {
        self.inspect && self.wire.app_protocol == AppProtocol::Http1
    }

    /// Whether its visitors speak HTTP, as far as that is known here.
    pub fn is_http(&self) -> bool {
        matches!(self.kind, Kind::Http { .. })
    }
}

fn check_name(name: &str) -> Result<(), String> {
    if name.is_empty() || name.len() > MAX_NAME || name.chars().any(char::is_control) {
        return Err(format!("A tunnel's name has 1 to {MAX_NAME} bytes and no control characters."));
    }
    if name.ends_with(PLAIN_SUFFIX) {
        return Err(format!(
            "A tunnel's name cannot end in `{PLAIN_SUFFIX}`: the plain half of a tunnel with both schemes is called so."
        ));
    }
    Ok(())
}

fn upstream(fields: &mut Fields<'_>, place: &Place, http: bool) -> Option<LocalAddress> {
    if fields.pair("addr").is_none() {
        fields.wrong("addr", place, "Is missing: say where the local service listens, such as `addr: 8080`.");
        return None;
    }
    let written = fields.text("addr")?;
    match LocalAddress::parse(&written.value, http) {
        Ok(address) => Some(address),
        Err(error) => {
            let key = fields.key("addr");
            fields.problems.add_coded(error.code, written.place, &key, error.message);
            None
        }
    }
}

fn kind(fields: &mut Fields<'_>, place: &Place) -> Option<Kind> {
    let proto = fields.text("proto");
    if let Some(pair) = fields.pair("labels") {
        if let Some(proto) = proto {
            fields.wrong(
                "proto",
                proto.place,
                "A tunnel has either `proto` or `labels`: the edge that selects the labels decides the protocol.",
            );
            return None;
        }
        refuse_foreign(
            fields,
            &["domain", "hostname", "subdomain", "schemes", "bind_tls", "remote_addr", "host_header"],
            "a labelled tunnel",
        );
        return labels(fields, &pair.value).map(Kind::Labels);
    }
    let Some(proto) = proto else {
        fields.wrong("proto", place, "Is missing: write `proto: http` or `proto: tcp`, or give `labels`.");
        return None;
    };
    match proto.value.as_str() {
        "http" | "https" => {
            refuse_foreign(fields, &["remote_addr"], "an http tunnel");
            check_host_header(fields);
            let host = host(fields);
            let schemes = schemes(fields);
            Some(Kind::Http { host: host?, schemes: schemes? })
        }
        "tcp" => {
            refuse_foreign(
                fields,
                &["domain", "hostname", "subdomain", "schemes", "bind_tls", "host_header", "app_protocol"],
                "a tcp tunnel",
            );
            remote_port(fields).map(|port| Kind::Tcp { port })
        }
        "tls" => {
            fields.wrong("proto", proto.place, "TLS tunnels come in a later version of Postern. `proto: tcp` passes TLS through unopened; `proto: http` terminates it.");
            None
        }
        _ => {
            fields.wrong("proto", proto.place, "Must be `http` or `tcp`.");
            None
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

fn check_host_header(fields: &mut Fields<'_>) {
    if let Some(written) = fields.text("host_header")
        && written.value != "preserve"
    {
        fields.wrong(
            "host_header",
            written.place,
            "Rewriting the Host header comes in a later version of Postern; only `preserve` is taken now.",
        );
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
    fn text_if_present(&mut self, name: &str) -> Option<super::fields::Written<'a, String>> {
        self.pair(name)?;
        self.text(name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use postern_tunnel::proxy::ProxyVersion;
    use serde_json::json;

    fn read(body: serde_json::Value) -> Result<Definition, Problems> {
        Definition::from_json("site", body.as_object().expect("an object"))
    }

    #[test]
    fn the_kinds_of_tunnels_are_understood() {
        let http = read(json!({"proto": "http", "addr": 8080})).expect("valid");
        assert_eq!(http.kind, Kind::Http { host: None, schemes: Schemes::Https });
        assert!(http.inspect);
        let both = read(json!({"proto": "http", "addr": "8080", "schemes": ["http", "https"], "subdomain": "Shop"}))
            .expect("valid");
        assert_eq!(both.kind, Kind::Http { host: Some("shop".into()), schemes: Schemes::Both });
        let tcp = read(json!({"proto": "tcp", "addr": 22, "remote_addr": "localhost:24001"})).expect("valid");
        assert_eq!(tcp.kind, Kind::Tcp { port: Some(24001) });
        let spoken =
            read(json!({"proto": "http", "addr": 50051, "app_protocol": "http2", "proxy_proto": 2})).expect("valid");
        let wire = Wire { app_protocol: AppProtocol::Http2, proxy_protocol: Some(ProxyVersion::V2) };
        assert_eq!((spoken.wire, spoken.captures(), http.captures()), (wire, false, true));
        let labelled = read(json!({"addr": 22, "labels": ["app=ssh"]})).expect("valid");
        assert_eq!(labelled.kind, Kind::Labels([("app".to_owned(), "ssh".to_owned())].into()));
    }

    #[test]
    fn everything_wrong_with_a_tunnel_is_said_at_once() {
        let problems = read(json!({"proto": "gopher", "addres": 8080, "inspect": 3, "oauth": {}})).expect_err("wrong");
        let text = problems.to_string();
        for part in [
            "Did you mean `addr`?",
            "inspect: Must be",
            "oauth: Comes in a later version",
            "proto: Must be",
            "addr: Is missing",
        ] {
            assert!(text.contains(part), "{part} is not in:\n{text}");
        }
    }

    #[test]
    fn names_that_would_collide_with_the_plain_half_are_refused() {
        let body = json!({"proto": "http", "addr": 1});
        let body = body.as_object().expect("an object");
        assert!(Definition::from_json("site (http)", body).is_err());
        assert!(Definition::from_json("", body).is_err());
        assert!(Definition::from_json("with space", body).is_ok());
    }

    #[test]
    fn keys_of_another_kind_are_refused() {
        assert!(read(json!({"proto": "tcp", "addr": 1, "domain": "a.b"})).is_err());
        assert!(read(json!({"proto": "http", "addr": 1, "domain": "a.b", "subdomain": "c"})).is_err());
        assert!(read(json!({"proto": "http", "labels": ["a=b"], "addr": 1})).is_err());
        assert!(read(json!({"proto": "tcp", "addr": 1, "app_protocol": "http2"})).is_err());
        assert!(read(json!({"proto": "http", "addr": 1, "app_protocol": "h2"})).is_err());
        assert!(read(json!({"proto": "http", "addr": 1, "proxy_proto": 3})).is_err());
        assert!(read(json!({"labels": ["a=b"], "addr": 1, "app_protocol": "http1", "proxy_proto": ""})).is_ok());
    }
}
