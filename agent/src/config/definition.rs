//! The definition of a tunnel: its checked keys, and the keys as they were written.

use super::{
    definition_kind::{DefinitionKind, Terminate},
    fields::Fields,
    local_address::LocalTransport,
    modules,
    problem::{Problems, SourceLocation},
    raw::RawKeys,
    tls_identity::TlsIdentity,
    tree::ConfigNode,
    upstream::LocalUpstream,
    upstream_protocol::UpstreamProtocol,
};
use postern_api::tunnel_modules::TunnelModules;

/// Maximum length of a tunnel's name, in bytes.
const MAX_NAME: usize = 128;
const MAX_METADATA: usize = 4096;
/// Suffix of the name of the plain endpoint of a tunnel with both schemes.
pub const PLAIN_SUFFIX: &str = " (http)";

/// A tunnel that can be started.
#[derive(Clone, Debug, PartialEq)]
pub struct Definition {
    /// The name in the configuration.
    pub name: String,
    /// The public address to bind.
    pub kind: DefinitionKind,
    /// The local target of visitors' connections.
    pub upstream: LocalUpstream,
    /// The protocol of the local service.
    pub upstream_protocol: UpstreamProtocol,
    /// The modules that the edge applies to visitors' requests, if there are any.
    pub modules: Option<Box<TunnelModules>>,
    /// The certificate with which this agent terminates TLS, if it does.
    pub identity: Option<TlsIdentity>,
    /// Whether HTTP requests are captured.
    pub inspect: bool,
    /// Free text for the operator of the server.
    pub metadata: String,
    /// The keys as they were written, without `name`.
    pub raw: RawKeys,
}

/// The keys of tunnels of any kind, besides those of modules.
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
    "crt",
    "key",
    "terminate_at",
    "catch",
    "verify_upstream_tls",
    "verify_upstream_tls_cas",
];

const NO_POLICY: &str =
    "Traffic policies are not supported; remove the key and configure the modules with their own keys.";
const LATER: &[(&str, &str)] = &[("policy", NO_POLICY), ("traffic_policy", NO_POLICY)];

impl Definition {
    /// Reads a tunnel; problems are added under `path`. `None` if there are any.
    pub fn read(
        name: &str,
        name_place: &SourceLocation,
        node: &ConfigNode,
        path: &str,
        problems: &mut Problems,
    ) -> Option<Self> {
        let before = problems.0.len();
        if let Err(why) = check_name(name) {
            problems.add(name_place, path, why);
        }
        let mut fields = Fields::new(node, path, problems);
        fields.check_known(&[KNOWN, modules::REQUEST_MODULES, modules::CONNECTION_MODULES].concat(), LATER);
        let kind = DefinitionKind::read(&mut fields, &node.location);
        let upstream = LocalUpstream::read(&mut fields, &node.location, kind.as_ref());
        let upstream_protocol = UpstreamProtocol::read(&mut fields);
        let inspect = fields.flag("inspect").unwrap_or(true);
        let metadata = fields.bounded_text("metadata", MAX_METADATA).unwrap_or_default();
        let mut modules = modules::read(&mut fields, |fields| host_header(fields, upstream.as_ref()?));
        let mut identity = None;
        if let Some(DefinitionKind::Tls { terminate: Terminate::Agent, .. } | DefinitionKind::Labels(_)) = &kind {
            // The end that terminates TLS requests the client certificate.
            identity = TlsIdentity::read(&mut fields, &std::mem::take(&mut modules.mutual_tls));
        }
        let modules = (!modules.is_empty()).then(|| Box::new(modules));
        let raw = RawKeys::from_node(node);
        let (kind, mut upstream, upstream_protocol) = (kind?, upstream?, upstream_protocol?);
        if let DefinitionKind::Tls { terminate: Terminate::Upstream, .. } = &kind {
            // The local service gets the visitor's own TLS.
            if let LocalUpstream::Address(address) = &mut upstream {
                address.transport = LocalTransport::Plain;
            }
        }
        (problems.0.len() == before).then(|| Definition {
            name: name.to_owned(),
            kind,
            upstream,
            upstream_protocol,
            modules,
            identity,
            inspect,
            metadata,
            raw,
        })
    }

    /// Reads the body of an API call or the flags of a command line.
    ///
    /// # Errors
    /// All problems of the definition; they have no location.
    pub fn from_json(name: &str, body: &serde_json::Map<String, serde_json::Value>) -> Result<Self, Problems> {
        let mut problems = Problems::default();
        let node = ConfigNode::from_json(&serde_json::Value::Object(body.clone()));
        let read = Definition::read(name, &SourceLocation::default(), &node, "", &mut problems);
        read.ok_or(problems)
    }

    /// Whether HTTP requests are captured.
    pub fn captures(&self) -> bool {
        self.inspect
    }

    /// Whether visitors use HTTP, as far as the agent knows.
    pub fn is_http(&self) -> bool {
        matches!(self.kind, DefinitionKind::Http { .. })
    }
}

fn check_name(name: &str) -> Result<(), String> {
    if name.is_empty() || name.len() > MAX_NAME || name.chars().any(char::is_control) {
        return Err(format!("A tunnel's name has 1 to {MAX_NAME} bytes and no control characters."));
    }
    if name.ends_with(PLAIN_SUFFIX) {
        return Err(format!(
            "A tunnel's name cannot end in `{PLAIN_SUFFIX}`: it is reserved for the plain endpoint of a tunnel with both schemes."
        ));
    }
    Ok(())
}

/// The `Host` header for the local service. `None` keeps the visitor's.
fn host_header(fields: &mut Fields<'_>, upstream: &LocalUpstream) -> Option<String> {
    let field = fields.text("host_header")?;
    match field.value.as_str() {
        "" | "preserve" => None,
        "rewrite" => Some(upstream.host()),
        _ => Some(field.value),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Schemes;
    use postern_tunnel::{message::AppProtocol, proxy::ProxyVersion};
    use serde_json::json;

    fn read(body: serde_json::Value) -> Result<Definition, Problems> {
        Definition::from_json("site", body.as_object().expect("an object"))
    }

    #[test]
    fn all_kinds_of_tunnels_are_read() {
        let http = read(json!({"proto": "http", "addr": 8080})).expect("valid");
        assert_eq!(http.kind, DefinitionKind::Http { host: None, schemes: Schemes::Https });
        assert!(http.inspect);
        let both = read(json!({"proto": "http", "addr": "8080", "schemes": ["http", "https"], "subdomain": "Shop"}))
            .expect("valid");
        assert_eq!(both.kind, DefinitionKind::Http { host: Some("shop".into()), schemes: Schemes::Both });
        let tcp = read(json!({"proto": "tcp", "addr": 22, "remote_addr": "localhost:24001"})).expect("valid");
        assert_eq!(tcp.kind, DefinitionKind::Tcp { port: Some(24001) });
        let spoken =
            read(json!({"proto": "http", "addr": 50051, "app_protocol": "http2", "proxy_proto": 2})).expect("valid");
        let wire = UpstreamProtocol {
            app_protocol: AppProtocol::Http2,
            proxy_protocol: Some(ProxyVersion::V2),
            ..UpstreamProtocol::default()
        };
        assert_eq!((&spoken.upstream_protocol, spoken.captures(), http.captures()), (&wire, true, true));
        let labelled = read(json!({"addr": 22, "labels": ["app=ssh"]})).expect("valid");
        assert_eq!(labelled.kind, DefinitionKind::Labels([("app".to_owned(), "ssh".to_owned())].into()));
    }

    #[test]
    fn all_problems_of_a_tunnel_are_reported_at_once() {
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
    fn names_that_collide_with_the_plain_endpoint_are_rejected() {
        let body = json!({"proto": "http", "addr": 1});
        let body = body.as_object().expect("an object");
        assert!(Definition::from_json("site (http)", body).is_err());
        assert!(Definition::from_json("", body).is_err());
        assert!(Definition::from_json("with space", body).is_ok());
    }

    #[test]
    fn keys_of_another_kind_are_rejected() {
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
