//! The agent's own keys, checked and with their defaults.

mod server_connection;

pub use server_connection::RootCas;

use super::{
    fields::Fields,
    problem::Problems,
    proxy::Proxy,
    redaction::RedactionRules,
    server_address::ServerAddress,
    tree::{Node, Value},
};
use ipnet::IpNet;
use postern_api::{Secret, host::HostName};
use std::{
    net::{IpAddr, SocketAddr},
    path::PathBuf,
    time::Duration,
};

/// Bytes of memory for captured requests where nothing else is said.
pub const DEFAULT_INSPECT_BYTES: u64 = 50 * 1024 * 1024;
/// Bytes kept of each captured message where nothing else is said.
pub const DEFAULT_BODY_BYTES: u64 = 1024 * 1024;

/// How long a try to connect may take where nothing else is said: what is lost on the way is asked for again soon.
pub const DEFAULT_CONNECT_TIMEOUT: Duration = Duration::from_secs(2);

/// What the keys beside `tunnels` mean.
#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    /// Authenticates the session.
    pub authtoken: Option<Secret>,
    /// For the management API.
    pub api_key: Option<Secret>,
    /// Where the server listens: one address at least, in the order in which they are tried.
    pub servers: Vec<ServerAddress>,
    /// The name its certificate is verified for; the host of the address unless given.
    pub server_name: Option<String>,
    /// Whom to trust.
    pub root_cas: RootCas,
    /// Whether revocation lists of the authorities are left aside.
    pub crl_noverify: bool,
    /// The proxy on the way to the server.
    pub proxy: Option<Proxy>,
    /// The name servers that are asked for the servers' addresses; none: the system is.
    pub dns_resolvers: Vec<SocketAddr>,
    /// Where the local API listens.
    pub web: WebAddress,
    /// Further `Host` values the local API answers to.
    pub web_allow_hosts: Vec<AllowedHost>,
    /// Bytes of memory for captured requests; `None` switches capturing off.
    pub inspect_bytes: Option<u64>,
    /// Bytes kept of each captured request and response.
    pub body_bytes: u64,
    /// What counts as a secret in captured requests.
    pub secrets: RedactionRules,
    /// Secrets are taken out of requests when they are captured, and not only when they are exported.
    pub redact: bool,
    /// Where log lines go.
    pub log: LogTarget,
    /// How log lines look.
    pub log_format: LogFormat,
    /// The least important level that is logged.
    pub log_level: tracing::Level,
    /// Shown on the session to the operator of the server.
    pub metadata: String,
    /// Whether the operator of the server may stop and restart the session.
    pub remote_management: bool,
    /// Whether the terminal shows a screen or log lines.
    pub console: ConsoleUi,
    /// What is behind the screen.
    pub console_color: ConsoleColor,
    /// How long a try to connect to the server may take.
    pub connect_timeout: Duration,
    /// Whether tunnels may lead to the metadata services of clouds.
    pub allow_metadata_addresses: bool,
}

/// Where the local API listens.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WebAddress {
    /// Nowhere.
    Off,
    /// At the usual address, or the next free port after it.
    Usual,
    /// Exactly here.
    At(ServerAddress),
}

/// A `Host` value the local API answers to besides loopback names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AllowedHost {
    /// Addresses of a network, or one address.
    Network(IpNet),
    /// One name.
    Name(HostName),
    /// Every name below this one.
    Below(HostName),
}

/// Whether the terminal shows the console.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ConsoleUi {
    /// Where there is a terminal, and log lines were not asked for.
    #[default]
    IfTerminal,
    /// Wherever there is a terminal.
    On,
    /// Never.
    Off,
}

/// What is behind the console.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ConsoleColor {
    /// Black.
    #[default]
    Black,
    /// Whatever the terminal has.
    Transparent,
}

/// Where log lines go.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LogTarget {
    /// Standard error, unless the console is there.
    Usual,
    /// Standard error.
    Stderr,
    /// Standard output.
    Stdout,
    /// A file, appended to.
    File(PathBuf),
}

/// How log lines look.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LogFormat {
    /// For people.
    Text,
    /// One JSON object a line.
    Json,
}

const KNOWN: &[&str] = &[
    "version",
    "authtoken",
    "authtoken_file",
    "api_key",
    "server_addr",
    "server_name",
    "root_cas",
    "crl_noverify",
    "proxy_url",
    "dns_resolver_ips",
    "web_addr",
    "web_allow_hosts",
    "inspect_db_size",
    "inspect_body_size",
    "inspect_redact",
    "log",
    "log_format",
    "log_level",
    "metadata",
    "remote_management",
    "connect_timeout",
    "console_ui",
    "console_ui_color",
    "allow_metadata_addresses",
    "tunnels",
];

const LATER_SETTING: &str = "Comes in a later version of Postern; take the key out.";
const LATER: &[(&str, &str)] = &[
    ("agent", "Belongs to configuration version 3: say `version: 3`, or write the keys at the top level."),
    ("endpoints", "Belongs to configuration version 3: say `version: 3`, or write `tunnels`."),
    ("heartbeat_interval", "The server sets the heartbeat (10 s); take the key out."),
    ("heartbeat_tolerance", "A connection counts as dead after 15 s without a sign of life; take the key out."),
    ("region", "A Postern server is one region; take the key out and give `server_addr`."),
    ("update_channel", LATER_SETTING),
    ("update_check", LATER_SETTING),
];

impl Settings {
    /// Reads the top level. What is wrong is added to the problems and replaced by its default.
    pub(super) fn read(root: &Node, problems: &mut Problems) -> Self {
        let mut fields = Fields::of(root, "", problems);
        fields.only(KNOWN, LATER);
        let (secrets, redact) = redaction(&mut fields);
        Settings {
            secrets,
            redact,
            authtoken: authtoken(&mut fields),
            api_key: fields.text("api_key").map(|text| Secret::new(text.value)).filter(|key| !key.is_empty()),
            servers: server_connection::servers(&mut fields),
            server_name: server_connection::server_name(&mut fields),
            root_cas: server_connection::root_cas(&mut fields),
            crl_noverify: fields.flag("crl_noverify").unwrap_or(false),
            proxy: server_connection::proxy(&mut fields),
            dns_resolvers: server_connection::dns_resolvers(&mut fields),
            web: web(&mut fields).unwrap_or(WebAddress::Usual),
            web_allow_hosts: allow_hosts(&mut fields),
            inspect_bytes: match fields.number("inspect_db_size", -1..=1 << 40) {
                Some(-1) => None,
                None | Some(0) => Some(DEFAULT_INSPECT_BYTES),
                Some(bytes) => Some(bytes.unsigned_abs()),
            },
            body_bytes: fields
                .number("inspect_body_size", 1024..=1 << 30)
                .map_or(DEFAULT_BODY_BYTES, i64::unsigned_abs),
            log: log_target(&mut fields),
            log_format: log_format(&mut fields),
            log_level: log_level(&mut fields),
            metadata: fields.bounded_text("metadata", 4096).unwrap_or_default(),
            remote_management: fields.flag("remote_management").unwrap_or(true),
            console: console(&mut fields),
            console_color: console_color(&mut fields),
            connect_timeout: fields.duration("connect_timeout").unwrap_or(DEFAULT_CONNECT_TIMEOUT),
            allow_metadata_addresses: fields.flag("allow_metadata_addresses").unwrap_or(false),
        }
    }
}

impl AllowedHost {
    fn parse(text: &str) -> Option<Self> {
        if let Ok(address) = text.parse::<IpAddr>() {
            return Some(AllowedHost::Network(IpNet::from(address)));
        }
        if let Ok(network) = text.parse::<IpNet>() {
            return Some(AllowedHost::Network(network));
        }
        match text.strip_prefix('.') {
            Some(parent) => HostName::parse(parent).ok().map(AllowedHost::Below),
            None => HostName::parse(text).ok().filter(|name| name.wildcard_parent().is_none()).map(AllowedHost::Name),
        }
    }
}

/// Written down, or in a file of its own; what is written down wins, so that the environment wins over every file.
fn authtoken(fields: &mut Fields<'_>) -> Option<Secret> {
    let written = fields.text("authtoken").map(|text| Secret::new(text.value)).filter(|token| !token.is_empty());
    let file = fields.text("authtoken_file");
    if written.is_some() {
        return written;
    }
    let file = file.filter(|file| !file.value.is_empty())?;
    match std::fs::read_to_string(&file.value) {
        Ok(text) if text.trim().is_empty() => {
            fields.wrong("authtoken_file", file.place, "The file is empty; write the authtoken into it.");
            None
        }
        Ok(text) => Some(Secret::new(text.trim())),
        Err(error) => {
            fields.wrong("authtoken_file", file.place, format!("The file cannot be read: {error}."));
            None
        }
    }
}

fn web(fields: &mut Fields<'_>) -> Option<WebAddress> {
    let pair = fields.pair("web_addr")?;
    if matches!(&pair.value.value, Value::Bool(false))
        || matches!(&pair.value.value, Value::Text(text) if text == "false")
    {
        return Some(WebAddress::Off);
    }
    let written = fields.text("web_addr")?;
    let text = if written.value.bytes().all(|byte| byte.is_ascii_digit()) {
        format!("127.0.0.1:{}", written.value)
    } else {
        written.value
    };
    let parsed = ServerAddress::parse(&text, true);
    if parsed.is_none() {
        fields.wrong("web_addr", written.place, "Must be host and port, such as `127.0.0.1:4040`, or `false`.");
    }
    parsed.map(WebAddress::At)
}

fn allow_hosts(fields: &mut Fields<'_>) -> Vec<AllowedHost> {
    let mut hosts = Vec::new();
    for written in fields.texts("web_allow_hosts").unwrap_or_default() {
        match AllowedHost::parse(&written.value) {
            Some(host) => hosts.push(host),
            None => fields.wrong(
                "web_allow_hosts",
                written.place,
                "Can hold IP addresses, networks (10.0.0.0/8), names, and `.suffix` for every name below one.",
            ),
        }
    }
    hosts
}

/// `true`, or further secrets: `[header.x-mine, query.code]`.
fn redaction(fields: &mut Fields<'_>) -> (RedactionRules, bool) {
    let mut rules = RedactionRules::default();
    let listed = fields.pair("inspect_redact").is_some_and(|pair| matches!(pair.value.value, Value::Sequence(_)));
    if !listed {
        let redact = fields.flag("inspect_redact").unwrap_or(false);
        return (rules, redact);
    }
    for written in fields.texts("inspect_redact").unwrap_or_default() {
        if !rules.add(&written.value) {
            fields.wrong(
                "inspect_redact",
                written.place,
                "Can be `true`, or a list of what else is secret: `header.<name>` and `query.<name>`.",
            );
        }
    }
    (rules, true)
}

fn log_target(fields: &mut Fields<'_>) -> LogTarget {
    match fields.text("log").map(|written| written.value).as_deref() {
        None | Some("false" | "") => LogTarget::Usual,
        Some("true" | "stderr") => LogTarget::Stderr,
        Some("stdout") => LogTarget::Stdout,
        Some(path) => LogTarget::File(path.into()),
    }
}

fn console(fields: &mut Fields<'_>) -> ConsoleUi {
    let Some(written) = fields.text("console_ui") else { return ConsoleUi::default() };
    match written.value.as_str() {
        "iftty" => ConsoleUi::IfTerminal,
        "true" => ConsoleUi::On,
        "false" => ConsoleUi::Off,
        _ => {
            fields.wrong("console_ui", written.place, "Must be `true`, `false` or `iftty`.");
            ConsoleUi::default()
        }
    }
}

fn console_color(fields: &mut Fields<'_>) -> ConsoleColor {
    let Some(written) = fields.text("console_ui_color") else { return ConsoleColor::default() };
    match written.value.as_str() {
        "black" => ConsoleColor::Black,
        "transparent" => ConsoleColor::Transparent,
        _ => {
            fields.wrong("console_ui_color", written.place, "Must be `black` or `transparent`.");
            ConsoleColor::default()
        }
    }
}

fn log_format(fields: &mut Fields<'_>) -> LogFormat {
    let Some(written) = fields.text("log_format") else { return LogFormat::Text };
    match written.value.as_str() {
        "text" | "term" | "logfmt" => LogFormat::Text,
        "json" => LogFormat::Json,
        _ => {
            fields.wrong("log_format", written.place, "Must be `text` or `json`.");
            LogFormat::Text
        }
    }
}

fn log_level(fields: &mut Fields<'_>) -> tracing::Level {
    let Some(written) = fields.text("log_level") else { return tracing::Level::INFO };
    match written.value.as_str() {
        "crit" | "error" => tracing::Level::ERROR,
        "warn" => tracing::Level::WARN,
        "info" => tracing::Level::INFO,
        "debug" => tracing::Level::DEBUG,
        "trace" => tracing::Level::TRACE,
        _ => {
            fields.wrong("log_level", written.place, "Must be `error`, `warn`, `info` or `debug`.");
            tracing::Level::INFO
        }
    }
}

#[cfg(test)]
mod tests;
