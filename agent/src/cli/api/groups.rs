//! What the groups of commands below `postern api` are for.

/// The words of a group, and its line in the help. Groups of modules say what they are by the names of their operations.
const GROUPS: &[(&str, &str)] = &[
    ("agents", "Agents that are connected, and those that are away"),
    ("alert-rules", "Thresholds of traffic, errors and absence of agents that events are written about"),
    ("api-keys", "Keys for this API"),
    ("app", "Visitors who have logged in, and their sessions"),
    ("app sessions", "Login sessions of visitors"),
    ("app users", "Visitors who have logged in"),
    ("audit-events", "Changes of the configuration: their authors, and the settings before and after"),
    ("backends", "Where edges forward requests and connections to"),
    ("backends failover", "Backends that are tried in order"),
    ("backends http-response", "Fixed HTTP responses"),
    ("backends static", "Addresses that the server reaches without an agent"),
    ("backends tunnel-group", "All tunnels that carry certain labels"),
    ("backends weighted", "Backends that share requests by weight"),
    ("bot-users", "Users for programs"),
    ("certificate-authorities", "Authorities of client certificates, for mutual TLS"),
    ("credentials", "Authtokens of agents, and what each may bind"),
    ("edges", "Public addresses with their routes and modules"),
    ("edges https", "HTTPS edges: names, routes and modules"),
    ("edges https routes", "Routes of HTTPS edges"),
    ("edges tcp", "TCP edges: ports and modules"),
    ("edges tls", "TLS edges: names and modules"),
    ("endpoints", "Everything that is published now"),
    ("event-destinations", "URLs that audit events are sent to, as signed webhooks"),
    ("ip-policies", "Named lists of networks, for IP restrictions"),
    ("ip-policy-rules", "Networks that a policy allows or denies"),
    ("ip-restrictions", "IP restrictions of API, console, agents and all endpoints"),
    ("nodes", "Servers that share the store, and their links"),
    ("reserved-addrs", "TCP addresses that are reserved for their owner"),
    ("reserved-domains", "Host names that are reserved for their owner, and their certificates"),
    ("server", "Facts about the server"),
    ("ssh-certificate-authorities", "Authorities that sign SSH certificates"),
    ("ssh-host-certificates", "SSH certificates of hosts"),
    ("ssh-user-certificates", "SSH certificates of users"),
    ("status", "Status of the server"),
    ("tls-certificates", "Certificates for names of edges"),
    ("traffic", "Traffic of edges, routes and tunnels"),
    ("tunnel-sessions", "Connected agents"),
    ("tunnels", "Tunnels of connected agents"),
    ("users", "Users of the API and the console"),
];

/// The line of a group in the help; `None` for groups of modules.
pub(super) fn about(words: &str) -> Option<&'static str> {
    GROUPS.iter().find(|(group, _)| *group == words).map(|(_, about)| *about)
}

#[cfg(test)]
pub(super) fn all() -> impl Iterator<Item = &'static str> {
    GROUPS.iter().map(|(group, _)| *group)
}
