//! The agent's settings, checked and with their defaults.

mod server_connection;

pub use server_connection::RootCas;

use super::{
    fields::Fields,
    problem::Problems,
    proxy::Proxy,
    redaction::RedactionRules,
    server_address::ServerAddress,
    tree::{ConfigNode, ConfigValue},
};
use ipnet::IpNet;
use postern_api::{Secret, host::HostName};
use std::{
    net::{IpAddr, SocketAddr},
    path::PathBuf,
    time::Duration,
};

/// Default of the memory for captured requests, in bytes.
pub const DEFAULT_INSPECT_BYTES: u64 = 50 * 1024 * 1024;
/// Default of the bytes kept of each captured message.
pub const DEFAULT_BODY_BYTES: u64 = 1024 * 1024;

/// Default of the time that open connections get when the agent is asked to end; that of the server.
pub const DEFAULT_DRAIN_TIMEOUT: Duration = Duration::from_secs(30);

/// Default timeout of a connection attempt; short, because lost packets are repeated soon.
pub const DEFAULT_CONNECT_TIMEOUT: Duration = Duration::from_secs(2);

/// The keys next to `tunnels`.
#[derive(Clone, Debug, PartialEq)]
pub struct AgentSettings {
    /// Authenticates the session.
    pub authtoken: Option<Secret>,
    /// The key for the management API.
    pub api_key: Option<Secret>,
    /// The addresses of the server, in the order of attempts; never empty.
    pub servers: Vec<ServerAddress>,
    /// The name its certificate is verified for, if it is not the host of the address.
    pub server_name: Option<String>,
    /// The trusted authorities.
    pub root_cas: RootCas,
    /// Whether revocation lists are ignored.
    pub crl_noverify: bool,
    /// The proxy to the server.
    pub proxy: Option<Proxy>,
    /// The name servers for the servers' addresses; if empty, the system resolves them.
    pub dns_resolvers: Vec<SocketAddr>,
    /// The address of the local API.
    pub web: WebAddress,
    /// Additional `Host` values that the local API accepts.
    pub web_allow_hosts: Vec<AllowedHost>,
    /// Memory for captured requests, in bytes; `None` disables capturing.
    pub inspect_bytes: Option<u64>,
    /// Bytes kept of each captured request and response.
    pub body_bytes: u64,
    /// The secrets in captured requests.
    pub secrets: RedactionRules,
    /// Whether secrets are redacted when requests are captured, and not only when they are exported.
    pub redact: bool,
    /// The target of log lines.
    pub log: LogTarget,
    /// The format of log lines.
    pub log_format: LogFormat,
    /// The minimum log level.
    pub log_level: tracing::Level,
    /// Free text on the session for the operator of the server.
    pub metadata: String,
    /// Whether the operator of the server may stop and restart the session.
    pub remote_management: bool,
    /// Whether the server is told the name of this host and the account that runs the agent.
    pub report_host: bool,
    /// Whether the terminal shows the console or log lines.
    pub console: ConsoleUi,
    /// The background of the console.
    pub console_color: ConsoleColor,
    /// Time that open connections get when the agent is asked to end (SIGTERM).
    pub drain_timeout: Duration,
    /// Sessions that are kept, each with another node, if the server has several.
    pub sessions: usize,
    /// Timeout of a connection attempt to the server.
    pub connect_timeout: Duration,
    /// Whether tunnels may lead to the metadata services of clouds.
    pub allow_metadata_addresses: bool,
}

/// The address of the local API.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WebAddress {
    /// Off.
    Off,
    /// The default address, or the next free port after it.
    Usual,
    /// Exactly this address.
    At(ServerAddress),
}

/// A `Host` value that the local API accepts besides loopback names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AllowedHost {
    /// A network, or one address.
    Network(IpNet),
    /// One name.
    Name(HostName),
    /// All names below this one.
    Below(HostName),
}

/// Whether the terminal shows the console.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ConsoleUi {
    /// In a terminal, unless log lines go there.
    #[default]
    IfTerminal,
    /// In every terminal.
    On,
    /// Never.
    Off,
}

/// The background of the console.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ConsoleColor {
    /// Black.
    #[default]
    Black,
    /// The terminal's own background.
    Transparent,
}

/// The target of log lines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LogTarget {
    /// Standard error, unless the console is shown.
    Usual,
    /// Standard error.
    Stderr,
    /// Standard output.
    Stdout,
    /// A file; lines are appended.
    File(PathBuf),
}

/// The format of log lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LogFormat {
    /// Plain text.
    Text,
    /// One JSON object per line.
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
    "report_host",
    "sessions",
    "connect_timeout",
    "drain_timeout",
    "console_ui",
    "console_ui_color",
    "allow_metadata_addresses",
    "tunnels",
];

const LATER_SETTING: &str = "Comes in a later version of Postern; remove the key.";
const LATER: &[(&str, &str)] = &[
    ("agent", "Belongs to configuration version 3: write `version: 3`, or write the keys at the top level."),
    ("endpoints", "Belongs to configuration version 3: write `version: 3`, or write `tunnels`."),
    ("heartbeat_interval", "The server sets the heartbeat (10 s); remove the key."),
    ("heartbeat_tolerance", "The heartbeat timeout is fixed (15 s); remove the key."),
    ("region", "A Postern server is one region; remove the key and set `server_addr`."),
    ("update_channel", LATER_SETTING),
    ("update_check", LATER_SETTING),
];

/// Sessions of an agent at most, and by default.
pub const MAX_SESSIONS: usize = 4;
const DEFAULT_SESSIONS: usize = 2;

impl AgentSettings {
    /// Reads the top level. Invalid values are added to the problems and replaced by their defaults.
    pub(super) fn read(root: &ConfigNode, problems: &mut Problems) -> Self {
        let mut fields = Fields::new(root, "", problems);
        fields.check_known(KNOWN, LATER);
        let (secrets, redact) = redaction(&mut fields);
        AgentSettings {
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
            report_host: fields.flag("report_host").unwrap_or(true),
            console: console(&mut fields),
            console_color: console_color(&mut fields),
            sessions: fields
                .number("sessions", 1..=MAX_SESSIONS as i64)
                .and_then(|count| usize::try_from(count).ok())
                .unwrap_or(DEFAULT_SESSIONS),
            connect_timeout: fields.duration("connect_timeout").unwrap_or(DEFAULT_CONNECT_TIMEOUT),
            drain_timeout: fields.duration("drain_timeout").unwrap_or(DEFAULT_DRAIN_TIMEOUT),
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

/// `authtoken`, or else the content of `authtoken_file`; so a token of the environment overrides every file.
fn authtoken(fields: &mut Fields<'_>) -> Option<Secret> {
    let field = fields.text("authtoken").map(|text| Secret::new(text.value)).filter(|token| !token.is_empty());
    let file = fields.text("authtoken_file");
    if field.is_some() {
        return field;
    }
    let file = file.filter(|file| !file.value.is_empty())?;
    match std::fs::read_to_string(&file.value) {
        Ok(text) if text.trim().is_empty() => {
            fields.reject("authtoken_file", file.location, "The file is empty; write the authtoken into it.");
            None
        }
        Ok(text) => Some(Secret::new(text.trim())),
        Err(error) => {
            fields.reject("authtoken_file", file.location, format!("The file cannot be read: {error}."));
            None
        }
    }
}

fn web(fields: &mut Fields<'_>) -> Option<WebAddress> {
    let pair = fields.pair("web_addr")?;
    if matches!(&pair.value.value, ConfigValue::Bool(false))
        || matches!(&pair.value.value, ConfigValue::Text(text) if text == "false")
    {
        return Some(WebAddress::Off);
    }
    let field = fields.text("web_addr")?;
    let text = if field.value.bytes().all(|byte| byte.is_ascii_digit()) {
        format!("127.0.0.1:{}", field.value)
    } else {
        field.value
    };
    let parsed = ServerAddress::parse(&text, true);
    if parsed.is_none() {
        fields.reject("web_addr", field.location, "Must be host and port, such as `127.0.0.1:4040`, or `false`.");
    }
    parsed.map(WebAddress::At)
}

fn allow_hosts(fields: &mut Fields<'_>) -> Vec<AllowedHost> {
    let mut hosts = Vec::new();
    for field in fields.texts("web_allow_hosts").unwrap_or_default() {
        match AllowedHost::parse(&field.value) {
            Some(host) => hosts.push(host),
            None => fields.reject(
                "web_allow_hosts",
                field.location,
                "Must contain IP addresses, networks (10.0.0.0/8), names, or `.suffix` for all names below one.",
            ),
        }
    }
    hosts
}

/// `true`, or additional secrets: `[header.x-mine, query.code]`.
fn redaction(fields: &mut Fields<'_>) -> (RedactionRules, bool) {
    let mut rules = RedactionRules::default();
    let listed = fields.pair("inspect_redact").is_some_and(|pair| matches!(pair.value.value, ConfigValue::Sequence(_)));
    if !listed {
        let redact = fields.flag("inspect_redact").unwrap_or(false);
        return (rules, redact);
    }
    for field in fields.texts("inspect_redact").unwrap_or_default() {
        if !rules.add(&field.value) {
            fields.reject(
                "inspect_redact",
                field.location,
                "Must be `true`, or a list of additional secrets: `header.<name>` and `query.<name>`.",
            );
        }
    }
    (rules, true)
}

fn log_target(fields: &mut Fields<'_>) -> LogTarget {
    match fields.text("log").map(|field| field.value).as_deref() {
        None | Some("false" | "") => LogTarget::Usual,
        Some("true" | "stderr") => LogTarget::Stderr,
        Some("stdout") => LogTarget::Stdout,
        Some(path) => LogTarget::File(path.into()),
    }
}

fn console(fields: &mut Fields<'_>) -> ConsoleUi {
    let Some(field) = fields.text("console_ui") else { return ConsoleUi::default() };
    match field.value.as_str() {
        "iftty" => ConsoleUi::IfTerminal,
        "true" => ConsoleUi::On,
        "false" => ConsoleUi::Off,
        _ => {
            fields.reject("console_ui", field.location, "Must be `true`, `false` or `iftty`.");
            ConsoleUi::default()
        }
    }
}

fn console_color(fields: &mut Fields<'_>) -> ConsoleColor {
    let Some(field) = fields.text("console_ui_color") else { return ConsoleColor::default() };
    match field.value.as_str() {
        "black" => ConsoleColor::Black,
        "transparent" => ConsoleColor::Transparent,
        _ => {
            fields.reject("console_ui_color", field.location, "Must be `black` or `transparent`.");
            ConsoleColor::default()
        }
    }
}

fn log_format(fields: &mut Fields<'_>) -> LogFormat {
    let Some(field) = fields.text("log_format") else { return LogFormat::Text };
    match field.value.as_str() {
        "text" | "term" | "logfmt" => LogFormat::Text,
        "json" => LogFormat::Json,
        _ => {
            fields.reject("log_format", field.location, "Must be `text` or `json`.");
            LogFormat::Text
        }
    }
}

fn log_level(fields: &mut Fields<'_>) -> tracing::Level {
    let Some(field) = fields.text("log_level") else { return tracing::Level::INFO };
    match field.value.as_str() {
        "crit" | "error" => tracing::Level::ERROR,
        "warn" => tracing::Level::WARN,
        "info" => tracing::Level::INFO,
        "debug" => tracing::Level::DEBUG,
        "trace" => tracing::Level::TRACE,
        _ => {
            fields.reject("log_level", field.location, "Must be `error`, `warn`, `info` or `debug`.");
            tracing::Level::INFO
        }
    }
}

#[cfg(test)]
mod tests;
