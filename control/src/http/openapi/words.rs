//! Names for people: what kinds and modules are called, and which family they belong to.

/// The plural of a kind: `ip_policies` for `ip_policy`.
pub(super) fn plural(kind: &str) -> String {
    match kind.strip_suffix('y') {
        Some(stem) if !stem.ends_with(['a', 'e', 'o', 'u']) => format!("{stem}ies"),
        _ if kind.ends_with('s') => format!("{kind}es"),
        _ => format!("{kind}s"),
    }
}

/// How people write the name of a kind or a module: `TCP edge` for `tcp_edge`.
pub(super) fn words(name: &str) -> String {
    let written: Vec<&str> = name.split('_').map(word).collect();
    written.join(" ")
}

fn word(word: &str) -> &str {
    match word {
        "api" => "API",
        "http" => "HTTP",
        "https" => "HTTPS",
        "ip" => "IP",
        "oauth" => "OAuth",
        "oidc" => "OIDC",
        "saml" => "SAML",
        "ssh" => "SSH",
        "tcp" => "TCP",
        "tls" => "TLS",
        "websocket" => "WebSocket",
        other => other,
    }
}

/// The family that a path belongs to, and what it is about.
pub(super) fn family(path: &str) -> (&'static str, &'static str) {
    match path.split('/').nth(1).unwrap_or_default() {
        "api_keys" | "bot_users" | "credentials" | "users" => {
            ("Access", "Who may use the server, and with which keys.")
        }
        "app" => ("Visitors who log in", "People who have logged in at edges, and their sessions."),
        "backends" => ("Backends", "What stands behind edges."),
        "edges" => ("Edges", "What visitors meet: addresses, routes, and modules that judge and change requests."),
        "ip_policies" | "ip_policy_rules" | "ip_restrictions" => ("IP policies", "Which addresses may come in."),
        "certificate_authorities" | "tls_certificates" => {
            ("TLS certificates", "Certificates for names and for callers.")
        }
        "endpoints" | "tunnel_sessions" | "tunnels" => ("Tunnels", "What is connected at this moment."),
        "server" => ("Server", "What there is to know about the server itself."),
        "status" | "traffic" => ("Watching", "How the server is, and what passes."),
        name if name.starts_with("reserved_") => ("Reservations", "Names and addresses kept for their owners."),
        name if name.starts_with("ssh_") => ("SSH certificates", "Certificates for SSH hosts and users."),
        _ => panic!("`{path}` belongs to no family of the description"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_english() {
        for (kind, many, written) in [
            ("ip_policy", "ip_policies", "IP policy"),
            ("api_key", "api_keys", "API key"),
            ("tcp_edge", "tcp_edges", "TCP edge"),
            ("reserved_address", "reserved_addresses", "reserved address"),
            ("ssh_certificate_authority", "ssh_certificate_authorities", "SSH certificate authority"),
        ] {
            assert_eq!((plural(kind).as_str(), words(kind).as_str()), (many, written));
        }
    }
}
