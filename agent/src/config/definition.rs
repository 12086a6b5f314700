//! A tunnel as it was written and what it means.

use super::{
    address::Transport,
    fields::Fields,
    identity::Identity,
    kind::{Kind, Terminate},
    modules,
    problem::{Place, Problems},
    tree::Node,
    upstream::Upstream,
    wire::Wire,
    written::Written,
};
use postern_api::tunnel_modules::TunnelModules;
use postern_tunnel::message::AppProtocol;

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
    pub upstream: Upstream,
    /// How the local service is spoken to.
    pub wire: Wire,
    /// What the edge does with visitors on their way.
    pub modules: TunnelModules,
    /// How this agent ends TLS, if it does.
    pub identity: Option<Identity>,
    /// Whether HTTP requests shall be captured.
    pub inspect: bool,
    /// Free text shown to the operator of the server.
    pub metadata: String,
    /// The keys as they were written, without `name`.
    pub written: Written,
}

/// Every key a tunnel can have, whatever its kind.
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
    "auth",
    "basic_auth",
    "circuit_breaker",
    "compression",
    "ip_restriction",
    "mutual_tls_cas",
    "oauth",
    "oidc",
    "request_header",
    "response_header",
    "user_agent_filter",
    "verify_webhook",
    "websocket_tcp_converter",
    "crt",
    "key",
    "terminate_at",
    "catch",
    "verify_upstream_tls",
    "verify_upstream_tls_cas",
];

const NO_POLICY: &str =
    "Traffic policies are not read here; take the key out and write the modules as keys of their own.";
const LATER: &[(&str, &str)] = &[("policy", NO_POLICY), ("traffic_policy", NO_POLICY)];

impl Definition {
    /// Reads one tunnel; problems are added under `path`. `None` if anything was wrong with it.
    pub fn read(name: &str, name_place: &Place, node: &Node, path: &str, problems: &mut Problems) -> Option<Self> {
        let before = problems.0.len();
        if let Err(why) = check_name(name) {
            problems.add(name_place, path, why);
        }
        let mut fields = Fields::of(node, path, problems);
        fields.only(KNOWN, LATER);
        let kind = Kind::read(&mut fields, &node.place);
        let upstream = Upstream::read(&mut fields, &node.place, kind.as_ref());
        let wire = Wire::read(&mut fields);
        let inspect = fields.flag("inspect").unwrap_or(true);
        let metadata = fields.bounded_text("metadata", MAX_METADATA).unwrap_or_default();
        let mut modules = modules::read(&mut fields, |fields| host_header(fields, upstream.as_ref()?));
        let mut identity = None;
        if let Some(Kind::Tls { terminate: Terminate::Agent, .. } | Kind::Labels(_)) = &kind {
            // Who ends TLS asks for certificates.
            identity = Identity::read(&mut fields, &std::mem::take(&mut modules.mutual_tls));
        }
        let written = Written::of(node);
        let (kind, mut upstream, wire) = (kind?, upstream?, wire?);
        if let Kind::Tls { terminate: Terminate::Upstream, .. } = &kind {
            // The visitor's own TLS is what the local service gets.
            if let Upstream::Address(address) = &mut upstream {
                address.transport = Transport::Plain;
            }
        }
        (problems.0.len() == before).then(|| Definition {
            name: name.to_owned(),
            kind,
            upstream,
            wire,
            modules,
            identity,
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

/// What the local service is told to be called. `None` leaves what the visitor said.
fn host_header(fields: &mut Fields<'_>, upstream: &Upstream) -> Option<String> {
    let written = fields.text("host_header")?;
    match written.value.as_str() {
        "" | "preserve" => None,
        "rewrite" => Some(upstream.host()),
        _ => Some(written.value),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Schemes;
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
        let wire = Wire { app_protocol: AppProtocol::Http2, proxy_protocol: Some(ProxyVersion::V2), ..Wire::default() };
        assert_eq!((&spoken.wire, spoken.captures(), http.captures()), (&wire, false, true));
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
            "oauth.provider: Is missing",
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
        assert!(read(json!({"labels": ["a=b"], "addr": 1, "crt": "a.pem"})).is_err(), "the key is missing");
        assert!(read(json!({"labels": ["a=b"], "addr": 1, "terminate_at": "edge"})).is_err());
        assert!(read(json!({"labels": ["a=b"], "addr": 1, "app_protocol": "http1", "proxy_proto": ""})).is_ok());
    }
}
