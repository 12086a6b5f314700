//! The table of settings: each has a flag, an environment variable and a key in the file, all of one name.

/// One thing that can be set.
#[derive(Debug)]
pub(crate) struct Setting {
    /// The flag without its hyphens, `api-addr`.
    pub(crate) flag: &'static str,
    /// The key in the file, `api_addr`.
    pub(crate) key: &'static str,
    /// What stands for the value in the help, `HOST:PORT`.
    pub(crate) value: &'static str,
    /// One line of help, the default included.
    pub(crate) help: &'static str,
}

impl Setting {
    /// The environment variable: `POSTERN_API_ADDR`.
    pub(crate) fn variable(&self) -> String {
        format!("POSTERN_{}", self.key.to_ascii_uppercase())
    }
}

const fn setting(flag: &'static str, key: &'static str, value: &'static str, help: &'static str) -> Setting {
    Setting { flag, key, value, help }
}

/// Every setting there is, in the order of the help.
pub(crate) const SETTINGS: &[Setting] = &[
    setting(
        "data-dir",
        "data_dir",
        "DIR",
        "Database, keys and certificates [default: the platform's data folder + postern/server]",
    ),
    setting("api-addr", "api_addr", "HOST:PORT", "The management API, plain HTTP [default: 127.0.0.1:4041]"),
    setting("https-addr", "https_addr", "HOST:PORT", "HTTPS visitors and agent sessions [default: 127.0.0.1:4443]"),
    setting("http-addr", "http_addr", "HOST:PORT", "Plain HTTP visitors and redirects [default: 127.0.0.1:4480]"),
    setting("tcp-addr", "tcp_addr", "HOST", "Where TCP tunnels listen [default: 127.0.0.1]"),
    setting("tcp-ports", "tcp_ports", "A-B", "The ports of TCP tunnels and edges [default: 24000-24999]"),
    setting("domain", "domain", "NAME", "The parent of generated host names [default: localhost]"),
    setting(
        "api-host",
        "api_host",
        "NAME",
        "Serve the management API on the HTTPS listener too, under this name [default: none]",
    ),
    setting(
        "base-url",
        "base_url",
        "URL",
        "How the uri of each resource begins [default: http:// and the API's address]",
    ),
    setting("login-host", "login_host", "NAME", "The host of all login addresses [default: login.<domain>]"),
    setting(
        "identity-headers",
        "identity_headers",
        "PREFIX",
        "How the headers begin that tell local services who has logged in: PREFIX-User-Id, -User-Name, -User-Email [default: Postern-Auth]",
    ),
    setting(
        "oauth-apps",
        "oauth_apps",
        "FILE",
        "OAuth apps for modules that bring none, and other addresses of providers: a YAML file by provider [default: none]",
    ),
    setting(
        "trusted-proxies",
        "trusted_proxies",
        "CIDRS",
        "Proxies in front, such as 10.0.0.0/8,192.0.2.7: each of their connections to the public ports begins with a PROXY protocol header that says who the visitor is [default: none]",
    ),
    setting(
        "direct-visitors",
        "direct_visitors",
        "allow|refuse",
        "Whether others than --trusted-proxies may connect to the public ports [default: allow]",
    ),
    setting(
        "acme-directory",
        "acme_directory",
        "URL",
        "Get certificates for edges and reserved domains by ACME from there, and accept its terms [default: none]",
    ),
    setting("acme-contact", "acme_contact", "MAIL", "Whom the authority behind --acme-directory may write to"),
    setting(
        "acme-ca",
        "acme_ca",
        "FILE",
        "The authority of the directory's own certificate, PEM [default: the system's]",
    ),
    setting("store", "store", "URL", "Where the configuration is kept [default: sqlite:<data-dir>/postern.db]"),
    setting("certificate", "certificate", "FILE", "Serve this PEM chain for the names in it"),
    setting("certificate-key", "certificate_key", "FILE", "The PEM private key of --certificate"),
    setting("drain-timeout", "drain_timeout", "DURATION", "How long SIGTERM waits for open requests [default: 30s]"),
    setting("handshake-timeout", "handshake_timeout", "DURATION", "How long a TLS handshake may take [default: 15s]"),
    setting(
        "header-timeout",
        "header_timeout",
        "DURATION",
        "How long the header block of a request may take to arrive [default: 20s]",
    ),
    setting(
        "idle-timeout",
        "idle_timeout",
        "DURATION",
        "How long a visitor's connection may be kept without a request [default: 75s]",
    ),
    setting(
        "body-timeout",
        "body_timeout",
        "DURATION",
        "How long a visitor may stop in the middle of sending or reading a body [default: 60s]",
    ),
    setting(
        "answer-timeout",
        "answer_timeout",
        "DURATION",
        "How long a local service may take to begin its answer [default: 100s]",
    ),
    setting(
        "body-rate",
        "body_rate",
        "BYTES",
        "Bytes a second at which bodies of requests must arrive; 0 for none [default: 240]",
    ),
    setting("body-grace", "body_grace", "DURATION", "What is waited for a body on top of that [default: 20s]"),
    setting(
        "max-connections",
        "max_connections",
        "NUMBER",
        "Connections at the same time, on each port [default: 16384]",
    ),
    setting(
        "max-connections-per-address",
        "max_connections_per_address",
        "NUMBER",
        "Those of one address; loopback addresses are not counted [default: 2048]",
    ),
    setting(
        "max-requests",
        "max_requests",
        "NUMBER",
        "Requests at the same time; more are answered 503 [default: 16384]",
    ),
    setting(
        "max-streams",
        "max_streams",
        "NUMBER",
        "Requests at the same time on one HTTP/2 connection [default: 128]",
    ),
    setting(
        "max-resets",
        "max_resets",
        "NUMBER",
        "By how many more requests of one HTTP/2 connection may be abandoned than waited for [default: 500]",
    ),
    setting("max-header-size", "max_header_size", "SIZE", "The longest header block of a request [default: 64KiB]"),
    setting("max-headers", "max_headers", "NUMBER", "The most header lines of a request [default: 100]"),
    setting(
        "max-held-body",
        "max_held_body",
        "SIZE",
        "The longest body on routes that check it before it is forwarded [default: 10MiB]",
    ),
    setting(
        "held-body-timeout",
        "held_body_timeout",
        "DURATION",
        "How long such a body may take to arrive [default: 60s]",
    ),
    setting(
        "max-encoders",
        "max_encoders",
        "SIZE",
        "What encoders of compressed answers may occupy together [default: 256MiB]",
    ),
    setting("max-held-bodies", "max_held_bodies", "SIZE", "All such bodies together [default: 256MiB]"),
    setting(
        "access-log",
        "access_log",
        "FILE",
        "A line of JSON for every request and connection: a file, stdout or stderr [default: none]",
    ),
    setting("log-format", "log_format", "FORMAT", "text or json, to standard error [default: text]"),
    setting("log-level", "log_level", "LEVEL", "error, warn, info, debug or trace [default: info]"),
];

/// The setting with this key.
pub(crate) fn find(key: &str) -> Option<&'static Setting> {
    SETTINGS.iter().find(|setting| setting.key == key)
}

/// The key that was probably meant: at most three letters away, and not longer away than half the word.
pub(crate) fn nearest(written: &str) -> Option<&'static str> {
    let written = written.replace('-', "_").to_ascii_lowercase();
    let allowed = (written.len() / 2).min(3);
    SETTINGS
        .iter()
        .map(|setting| (distance(&written, setting.key), setting.key))
        .filter(|(distance, _)| *distance <= allowed)
        .min()
        .map(|(_, key)| key)
}

/// How many letters must be added, removed or changed.
fn distance(left: &str, right: &str) -> usize {
    let right: Vec<char> = right.chars().collect();
    let mut row: Vec<usize> = (0..=right.len()).collect();
    for (i, a) in left.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, b) in right.iter().enumerate() {
            let changed = diagonal + usize::from(a != *b);
            diagonal = row[j + 1];
            row[j + 1] = changed.min(diagonal + 1).min(row[j] + 1);
        }
    }
    row[right.len()]
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
    fn a_slip_finds_the_name_that_was_meant() {
        for (written, meant) in [
            ("api_adr", Some("api_addr")),
            ("api-addr", Some("api_addr")),
            ("Domain", Some("domain")),
            ("tcp_port", Some("tcp_ports")),
            ("colour", None),
            ("", None),
        ] {
            assert_eq!(nearest(written), meant, "{written}");
        }
    }
}
