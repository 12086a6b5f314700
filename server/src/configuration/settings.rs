//! Table of settings. Each has a flag, an environment variable and a key in the file, all of the same name.

/// One setting.
#[derive(Debug)]
pub(crate) struct Setting {
    /// Flag without its leading hyphens, `api-addr`.
    pub(crate) flag: &'static str,
    /// Key in the file, `api_addr`.
    pub(crate) key: &'static str,
    /// Placeholder of the value in the help, `HOST:PORT`.
    pub(crate) value: &'static str,
    /// One line of help, the default included.
    pub(crate) help: &'static str,
    pub(crate) applied: Applied,
}

/// When a changed value of a setting is applied.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Applied {
    /// At the next start of the server.
    AtRestart,
    /// On SIGHUP, while the server runs.
    AtReload,
}

impl Setting {
    /// The environment variable: `POSTERN_API_ADDR`.
    pub(crate) fn variable(&self) -> String {
        format!("POSTERN_{}", self.key.to_ascii_uppercase())
    }

    /// The same setting, applied on SIGHUP.
    const fn reloaded(self) -> Setting {
        Setting { applied: Applied::AtReload, ..self }
    }
}

const fn setting(flag: &'static str, key: &'static str, value: &'static str, help: &'static str) -> Setting {
    Setting { flag, key, value, help, applied: Applied::AtRestart }
}

/// All settings in the order of the help. One that is `reloaded` is applied on SIGHUP; a changed value of any other needs a
/// restart.
pub(crate) const SETTINGS: &[Setting] = &[
    setting(
        "data-dir",
        "data_dir",
        "DIR",
        "Database, keys and certificates [default: the platform's data folder + postern/server]",
    ),
    setting("api-addr", "api_addr", "HOST:PORT", "Address of the management API, plain HTTP [default: 127.0.0.1:4041]"),
    setting(
        "https-addr",
        "https_addr",
        "HOST:PORT",
        "Address for HTTPS visitors and agent sessions [default: 127.0.0.1:4443]",
    ),
    setting(
        "http-addr",
        "http_addr",
        "HOST:PORT",
        "Address for plain HTTP visitors and redirects [default: 127.0.0.1:4480]",
    ),
    setting("tcp-addr", "tcp_addr", "HOST", "Host that TCP tunnels listen on [default: 127.0.0.1]"),
    setting("tcp-ports", "tcp_ports", "A-B", "Ports of TCP tunnels and edges [default: 24000-24999]"),
    setting("domain", "domain", "NAME", "Parent domain of generated host names [default: localhost]"),
    setting(
        "api-host",
        "api_host",
        "NAME",
        "Also serve the management API on the HTTPS listener, under this name [default: none]",
    ),
    setting(
        "base-url",
        "base_url",
        "URL",
        "Prefix of the uri of each resource [default: http:// and the API's address]",
    ),
    setting("login-host", "login_host", "NAME", "Host name of all login URLs [default: login.<domain>]"),
    setting(
        "identity-headers",
        "identity_headers",
        "PREFIX",
        "Prefix of the headers that identify the logged-in visitor to local services: PREFIX-User-Id, -User-Name, -User-Email [default: Postern-Auth]",
    ),
    setting(
        "oauth-apps",
        "oauth_apps",
        "FILE",
        "YAML file with OAuth apps for modules without their own, and custom provider URLs, by provider [default: none]",
    )
    .reloaded(),
    setting(
        "trusted-proxies",
        "trusted_proxies",
        "CIDRS",
        "Proxies in front of the server, such as 10.0.0.0/8,192.0.2.7: each of their connections to the public ports must begin with a PROXY protocol header with the visitor's address [default: none]",
    )
    .reloaded(),
    setting(
        "direct-visitors",
        "direct_visitors",
        "allow|refuse",
        "Whether clients other than --trusted-proxies may connect to the public ports [default: allow]",
    )
    .reloaded(),
    setting(
        "geoip",
        "geoip",
        "FILE",
        "Database of countries in the MaxMind DB format, for IP policy rules with a country and ${geo.*} variables; it is read at the start [default: none]",
    ),
    setting(
        "acme-directory",
        "acme_directory",
        "URL",
        "ACME directory that issues certificates for edges and reserved domains; setting it accepts its terms of service [default: none]",
    )
    .reloaded(),
    setting("acme-contact", "acme_contact", "MAIL", "Contact e-mail address for the authority of --acme-directory").reloaded(),
    setting(
        "acme-ca",
        "acme_ca",
        "FILE",
        "Certificate authority of the directory's own certificate, PEM [default: the system's]",
    )
    .reloaded(),
    setting(
        "acme-dns-server",
        "acme_dns_server",
        "HOST:PORT",
        "Name server that takes dynamic updates (RFC 2136) for challenges in DNS, which wildcard certificates need; port 53 if none is given [default: none]",
    )
    .reloaded(),
    setting(
        "acme-dns-key",
        "acme_dns_key",
        "NAME",
        "Name of the TSIG key that signs updates to --acme-dns-server",
    )
    .reloaded(),
    setting(
        "acme-dns-secret-file",
        "acme_dns_secret_file",
        "FILE",
        "File whose first line is the secret of --acme-dns-key in base 64",
    )
    .reloaded(),
    setting(
        "acme-dns-algorithm",
        "acme_dns_algorithm",
        "NAME",
        "Algorithm of --acme-dns-key: hmac-sha256, hmac-sha384 or hmac-sha512 [default: hmac-sha256]",
    )
    .reloaded(),
    setting(
        "acme-dns-zone",
        "acme_dns_zone",
        "NAME",
        "Zone to update at --acme-dns-server [default: the one that the name server has for each name]",
    )
    .reloaded(),
    setting(
        "acme-dns-hook",
        "acme_dns_hook",
        "PROGRAM",
        "Program for challenges in DNS instead of --acme-dns-server, called as PROGRAM add|remove NAME VALUE for a TXT record [default: none]",
    )
    .reloaded(),
    setting(
        "acme-dns-timeout",
        "acme_dns_timeout",
        "DURATION",
        "Time limit of --acme-dns-hook, and of waiting until the name servers of a zone have a record [default: 2m]",
    )
    .reloaded(),
    setting(
        "dns-resolver",
        "dns_resolver",
        "IP:PORT",
        "Recursive name server for lookups of names and their name servers; port 53 if none is given [default: the system's]",
    ),
    setting(
        "store",
        "store",
        "URL",
        "Store of the configuration: etcd://HOST:PORT,HOST:PORT/PREFIX, or etcds:// for TLS [default: sqlite:<data-dir>/postern.db]",
    ),
    setting("store-ca", "store_ca", "FILE", "Certificate authority of the members of --store, PEM"),
    setting("store-cert", "store_cert", "FILE", "Certificate chain that identifies this server to --store, PEM"),
    setting("store-key", "store_key", "FILE", "The PEM private key of --store-cert"),
    setting("store-user", "store_user", "NAME", "User of --store"),
    setting(
        "store-password-file",
        "store_password_file",
        "FILE",
        "File whose first line is the password of --store-user",
    ),
    setting(
        "node-addr",
        "node_addr",
        "HOST:PORT",
        "Address for the other servers that use --store at the same time; without it this one uses the store alone [default: none]",
    ),
    setting(
        "node-advertise",
        "node_advertise",
        "HOST:PORT",
        "Address that the other servers connect to [default: --node-addr]",
    ),
    setting(
        "agent-advertise",
        "agent_advertise",
        "HOST:PORT",
        "Address of exactly this server for agents, which keep sessions with two of them [default: none]",
    ),
    setting("node-name", "node_name", "NAME", "Name of this server among the others [default: that of the host]"),
    setting(
        "join-file",
        "join_file",
        "FILE",
        "Invitation of `postern-server cluster invite`, for a data folder without seal.key",
    ),
    setting("certificate", "certificate", "FILE", "Serve this PEM chain for the names in it").reloaded(),
    setting("certificate-key", "certificate_key", "FILE", "The PEM private key of --certificate").reloaded(),
    setting(
        "drain-delay",
        "drain_delay",
        "DURATION",
        "Time that SIGTERM serves on, with GET /healthz at 503, until load balancers have noticed [default: 0s]",
    )
    .reloaded(),
    setting("drain-timeout", "drain_timeout", "DURATION", "Time that SIGTERM waits for open requests [default: 30s]").reloaded(),
    setting("handshake-timeout", "handshake_timeout", "DURATION", "Time limit of a TLS handshake [default: 15s]").reloaded(),
    setting(
        "header-timeout",
        "header_timeout",
        "DURATION",
        "Time limit for receiving the headers of a request [default: 20s]",
    )
    .reloaded(),
    setting(
        "idle-timeout",
        "idle_timeout",
        "DURATION",
        "Time limit of a visitor's connection without a request [default: 75s]",
    )
    .reloaded(),
    setting(
        "body-timeout",
        "body_timeout",
        "DURATION",
        "Time limit of a pause while a visitor sends or reads a body [default: 60s]",
    )
    .reloaded(),
    setting(
        "answer-timeout",
        "answer_timeout",
        "DURATION",
        "Time limit for a local service to begin its response [default: 100s]",
    )
    .reloaded(),
    setting(
        "body-rate",
        "body_rate",
        "BYTES",
        "Minimum rate of request bodies in bytes per second; 0 for none [default: 240]",
    )
    .reloaded(),
    setting("body-grace", "body_grace", "DURATION", "Grace period of a body on top of that rate [default: 20s]").reloaded(),
    setting(
        "max-connections",
        "max_connections",
        "NUMBER",
        "Limit of concurrent connections on each port [default: 16384]",
    )
    .reloaded(),
    setting(
        "max-connections-per-address",
        "max_connections_per_address",
        "NUMBER",
        "Limit of concurrent connections of one address; loopback addresses are not counted [default: 2048]",
    )
    .reloaded(),
    setting(
        "max-requests",
        "max_requests",
        "NUMBER",
        "Limit of concurrent requests; more get status 503 [default: 16384]",
    )
    .reloaded(),
    setting(
        "max-streams",
        "max_streams",
        "NUMBER",
        "Limit of concurrent requests on one HTTP/2 connection [default: 128]",
    )
    .reloaded(),
    setting(
        "max-resets",
        "max_resets",
        "NUMBER",
        "Limit of aborted minus completed requests on one HTTP/2 connection [default: 500]",
    )
    .reloaded(),
    setting("max-header-size", "max_header_size", "SIZE", "Largest header block of a request [default: 64KiB]").reloaded(),
    setting("max-headers", "max_headers", "NUMBER", "Limit of header lines of a request [default: 100]").reloaded(),
    setting(
        "max-held-body",
        "max_held_body",
        "SIZE",
        "Largest body on routes that verify it before it is forwarded [default: 10MiB]",
    )
    .reloaded(),
    setting(
        "held-body-timeout",
        "held_body_timeout",
        "DURATION",
        "Time limit for receiving such a body [default: 60s]",
    )
    .reloaded(),
    setting(
        "max-encoders",
        "max_encoders",
        "SIZE",
        "Memory limit of all encoders of compressed responses together [default: 256MiB]",
    )
    .reloaded(),
    setting("max-held-bodies", "max_held_bodies", "SIZE", "Memory limit of all such bodies together [default: 256MiB]").reloaded(),
    setting(
        "access-log",
        "access_log",
        "FILE",
        "Log every request and connection as a line of JSON: a file, stdout or stderr [default: none]",
    ),
    setting(
        "recent-requests",
        "recent_requests",
        "NUMBER",
        "Last requests of each edge, route and tunnel that are kept in memory for the console; 0 for none [default: 200]",
    ),
    setting(
        "audit-log",
        "audit_log",
        "FILE",
        "Also write every audit event as a line of JSON: a file, stdout or stderr [default: none]",
    ),
    setting(
        "audit-events",
        "audit_events",
        "LIST",
        "Events that the audit log has besides changes: logins, refusals, expiries, alerts, or none [default: logins,expiries,alerts]",
    ),
    setting(
        "audit-retention",
        "audit_retention",
        "DAYS,NUMBER",
        "Age and number of the audit events that are kept, such as 90d,5000; one of them is enough [default: 365d,10000]",
    ),
    setting(
        "console-session-lifetime",
        "console_session_lifetime",
        "DURATION",
        "Time after which a browser must sign in to the console again [default: 12h]",
    ),
    setting(
        "console-session-inactivity",
        "console_session_inactivity",
        "DURATION",
        "Time without activity after which it must do so earlier [default: 1h]",
    ),
    setting(
        "console-oidc-issuer",
        "console_oidc_issuer",
        "URL",
        "Issuer of the OpenID provider by which people sign in to the console [default: none]",
    )
    .reloaded(),
    setting(
        "console-oidc-client-id",
        "console_oidc_client_id",
        "ID",
        "Id of this server's client at --console-oidc-issuer",
    )
    .reloaded(),
    setting(
        "console-oidc-client-secret-file",
        "console_oidc_client_secret_file",
        "FILE",
        "File whose first line is the secret of --console-oidc-client-id",
    )
    .reloaded(),
    setting(
        "console-oidc-name",
        "console_oidc_name",
        "TEXT",
        "Name of the provider on the console's sign-in page [default: the issuer's host]",
    )
    .reloaded(),
    setting(
        "console-oidc-address",
        "console_oidc_address",
        "URL",
        "Address of the console in browsers, without /console/; the provider redirects to URL/console_sign_in/callback [default: --base-url, or https:// and --api-host]",
    )
    .reloaded(),
    setting(
        "console-oidc-scopes",
        "console_oidc_scopes",
        "LIST",
        "Scopes to request, separated by commas [default: openid,email,profile]",
    )
    .reloaded(),
    setting(
        "console-oidc-groups-claim",
        "console_oidc_groups_claim",
        "NAME",
        "Claim with the groups of a person, or a JSON pointer to it, such as /realm_access/roles [default: groups]",
    )
    .reloaded(),
    setting(
        "console-oidc-roles",
        "console_oidc_roles",
        "LIST",
        "Roles by group, such as ops=admin,dev=editor; the highest one holds, and people in none of the groups are refused [default: the role of the user]",
    )
    .reloaded(),
    setting(
        "console-oidc-new-users",
        "console_oidc_new_users",
        "LIST",
        "Domains of e-mail addresses whose people become users at their first sign-in, and the role of their users, such as example.com=editor [default: none]",
    )
    .reloaded(),
    setting("log-format", "log_format", "FORMAT", "Log format, text or json, on standard error [default: text]"),
    setting("log-level", "log_level", "LEVEL", "Log level: error, warn, info, debug or trace [default: info]").reloaded(),
];

/// The setting with this key.
pub(crate) fn find(key: &str) -> Option<&'static Setting> {
    SETTINGS.iter().find(|setting| setting.key == key)
}

/// The key closest to a misspelled one: at most three edits away, and at most half its length.
pub(crate) fn nearest(misspelled: &str) -> Option<&'static str> {
    let misspelled = misspelled.replace('-', "_").to_ascii_lowercase();
    let max_distance = (misspelled.len() / 2).min(3);
    postern_config::nearest::nearest(&misspelled, SETTINGS.iter().map(|setting| setting.key), max_distance)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flag_variable_and_key_follow_from_one_name() {
        for setting in SETTINGS {
            assert_eq!(setting.flag, setting.key.replace('_', "-"));
        }
        assert_eq!(find("api_addr").expect("a setting").variable(), "POSTERN_API_ADDR");
    }

    #[test]
    fn a_misspelled_key_finds_the_closest_one() {
        for (misspelled, closest) in [
            ("api_adr", Some("api_addr")),
            ("api-addr", Some("api_addr")),
            ("Domain", Some("domain")),
            ("tcp_port", Some("tcp_ports")),
            ("colour", None),
            ("", None),
        ] {
            assert_eq!(nearest(misspelled), closest, "{misspelled}");
        }
    }
}
