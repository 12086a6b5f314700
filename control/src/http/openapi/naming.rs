//! Display names of kinds and modules, and the groups of the description.

/// Plural of a kind: `ip_policies` for `ip_policy`.
pub(super) fn plural(kind: &str) -> String {
    match kind.strip_suffix('y') {
        Some(stem) if !stem.ends_with(['a', 'e', 'o', 'u']) => format!("{stem}ies"),
        _ if kind.ends_with('s') => format!("{kind}es"),
        _ => format!("{kind}s"),
    }
}

/// Display name of a kind or module: `TCP edge` for `tcp_edge`.
pub(super) fn display_name(name: &str) -> String {
    let words: Vec<&str> = name.split('_').map(word).collect();
    words.join(" ")
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

/// Tag of a path, and its description.
pub(super) fn tag(path: &str) -> (&'static str, &'static str) {
    match path.split('/').nth(1).unwrap_or_default() {
        "api_keys" | "bot_users" | "credentials" | "users" => ("Access", "Users of the API, and their keys."),
        "audit_events" | "event_destinations" => {
            ("Audit log", "Changes of the configuration and their authors, and where they are sent.")
        }
        "app" => ("Visitors who log in", "People who have logged in at edges, and their sessions."),
        "console_sessions" => ("Console", "Browsers that are signed in to the console."),
        "backends" => ("Backends", "Targets that edges forward to."),
        "edges" => ("Edges", "Public addresses, routes, and modules that check and change requests."),
        "ip_policies" | "ip_policy_rules" | "ip_restrictions" => ("IP policies", "Addresses that are admitted."),
        "certificate_authorities" | "tls_certificates" => {
            ("TLS certificates", "Certificates of names, and authorities of client certificates.")
        }
        "agents" | "endpoints" | "tunnel_sessions" | "tunnels" => {
            ("Tunnels", "Agents, their sessions and tunnels, and all endpoints.")
        }
        "nodes" | "server" => ("Server", "Facts about the server, and the nodes that share its store."),
        "alert_rules" | "status" | "traffic" => {
            ("Watching", "Status and traffic of the server, and what events are written about.")
        }
        name if name.starts_with("reserved_") => ("Reservations", "Names and addresses reserved for their owners."),
        name if name.starts_with("ssh_") => ("SSH certificates", "Certificates for SSH hosts and users."),
        _ => panic!("`{path}` has no tag in the description"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn display_names_are_english() {
        for (kind, many, written) in [
            ("ip_policy", "ip_policies", "IP policy"),
            ("api_key", "api_keys", "API key"),
            ("tcp_edge", "tcp_edges", "TCP edge"),
            ("reserved_address", "reserved_addresses", "reserved address"),
            ("ssh_certificate_authority", "ssh_certificate_authorities", "SSH certificate authority"),
        ] {
            assert_eq!((plural(kind).as_str(), display_name(kind).as_str()), (many, written));
        }
    }
}
