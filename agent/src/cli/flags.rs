//! Flags, converted to keys of the configuration file.

mod modules;

use crate::config::{Definition, Sources, paths, tree::ConfigNode};
use clap::{ArgAction, Args};
use modules::ModuleFlags;
use postern_api::{Code, Error, Secret};
use serde_json::{Map, Value as Json};
use std::{
    io::Read,
    path::{Path, PathBuf},
};

/// The default name of a tunnel from the command line.
const DEFAULT_TUNNEL_NAME: &str = "command_line";

/// Flags of all commands that run tunnels.
#[derive(Debug, Args)]
#[command(next_help_heading = "Agent")]
pub(super) struct RunFlags {
    /// Configuration file; may be given several times, later files win
    #[arg(long, env = "POSTERN_CONFIG", value_name = "FILE", value_delimiter = ',')]
    config: Vec<PathBuf>,
    /// The authtoken, or `-` to read it from standard input. Other users of this machine can see command lines: prefer
    /// the environment or the configuration file
    #[arg(long, env = "POSTERN_AUTHTOKEN", hide_env_values = true, value_name = "TOKEN")]
    authtoken: Option<Secret>,
    /// A file that holds the authtoken
    #[arg(long, env = "POSTERN_AUTHTOKEN_FILE", value_name = "FILE", conflicts_with = "authtoken")]
    authtoken_file: Option<String>,
    /// Address of the server; of several, separated by commas, the first one that responds is used
    #[arg(long, env = "POSTERN_SERVER_ADDR", value_name = "HOST:PORT")]
    server_addr: Option<String>,
    /// The name in the server's certificate, if it is not the host of --server-addr
    #[arg(long, value_name = "NAME")]
    server_name: Option<String>,
    /// Trusted authorities: a PEM file, or `host` for the system's store
    #[arg(long, value_name = "FILE|host|trusted")]
    root_cas: Option<String>,
    /// Address of the inspector and the local API, or `false`
    #[arg(long, env = "POSTERN_WEB_ADDR", value_name = "HOST:PORT|false")]
    web_addr: Option<String>,
    /// Time that open connections get when the agent is asked to end by SIGTERM, such as 30s
    #[arg(long, value_name = "DURATION")]
    drain_timeout: Option<String>,
    /// Target of log lines
    #[arg(long, value_name = "stderr|stdout|FILE")]
    log: Option<String>,
    /// Format of log lines
    #[arg(long, value_name = "text|json")]
    log_format: Option<String>,
    /// Minimum log level
    #[arg(long, value_name = "error|warn|info|debug")]
    log_level: Option<String>,
}

/// Flags that describe one tunnel.
#[derive(Debug, Args)]
#[command(next_help_heading = "Tunnel")]
pub(super) struct TunnelFlags {
    /// The tunnel's name in the inspector and the local API
    #[arg(long, default_value = DEFAULT_TUNNEL_NAME)]
    name: String,
    /// Host name to publish under: a full name, or one label under the server's domain
    #[arg(long, alias = "hostname", value_name = "NAME")]
    domain: Option<String>,
    /// One label under the server's domain
    #[arg(long, value_name = "WORD")]
    subdomain: Option<String>,
    /// Schemes to publish: https, http or both
    #[arg(long, alias = "scheme", value_delimiter = ',', value_name = "LIST")]
    schemes: Vec<String>,
    /// Label that edges select; may be given several times
    #[arg(long = "label", value_name = "KEY=VALUE")]
    labels: Vec<String>,
    /// Port of the server to publish a TCP service on
    #[arg(long, value_name = "PORT")]
    remote_addr: Option<String>,
    /// Capture requests
    #[arg(long, default_value_t = true, default_missing_value = "true", num_args = 0..=1, require_equals = true, action = ArgAction::Set)]
    inspect: bool,
    /// Host header for the local service
    #[arg(long, value_name = "rewrite|preserve|HOST")]
    host_header: Option<String>,
    /// HTTP version of the local service; gRPC needs http2
    #[arg(long, value_name = "http1|http2")]
    app_protocol: Option<String>,
    /// Send the visitor's address to the local service in a PROXY protocol header of this version
    #[arg(long, value_name = "1|2")]
    proxy_proto: Option<String>,
    /// Certificate for TLS termination at the agent, in PEM
    #[arg(long, value_name = "FILE")]
    crt: Option<String>,
    /// Private key of that certificate
    #[arg(long, value_name = "FILE")]
    key: Option<String>,
    /// Where the visitors' TLS is terminated
    #[arg(long, value_name = "upstream|agent|edge")]
    terminate_at: Option<String>,
    /// Whether to verify the certificate of an https:// service; on this machine the default is false
    #[arg(long, value_name = "true|false")]
    verify_upstream_tls: Option<String>,
    /// PEM file of the authorities trusted for the certificate of an https:// service
    #[arg(long, value_name = "FILE")]
    verify_upstream_tls_cas: Option<String>,
    /// Status of the responses if the address is `catch`
    #[arg(long, value_name = "STATUS")]
    catch_status: Option<String>,
    /// Header of these responses; may be given several times
    #[arg(long, value_name = "NAME: VALUE")]
    catch_header: Vec<String>,
    /// Body of these responses
    #[arg(long, value_name = "TEXT")]
    catch_body: Option<String>,
    #[command(flatten)]
    modules: ModuleFlags,
    /// Free text for the operator of the server
    #[arg(long)]
    metadata: Option<String>,
}

impl RunFlags {
    /// The sources of the configuration: flags and environment override the files.
    pub(super) fn sources(&self) -> Result<Sources, Error> {
        let mut overlay = Map::new();
        let mut set = |key: &str, value: Option<&str>| {
            if let Some(value) = value.filter(|value| !value.is_empty()) {
                overlay.insert(key.to_owned(), Json::from(value));
            }
        };
        let token = self.authtoken.as_ref().map(from_stdin).transpose()?;
        set("authtoken", token.as_ref().map(Secret::reveal));
        set("authtoken_file", self.authtoken_file.as_deref());
        set("server_addr", self.server_addr.as_deref());
        set("server_name", self.server_name.as_deref());
        set("root_cas", self.root_cas.as_deref());
        set("web_addr", self.web_addr.as_deref());
        set("drain_timeout", self.drain_timeout.as_deref());
        set("log", self.log.as_deref());
        set("log_format", self.log_format.as_deref());
        set("log_level", self.log_level.as_deref());
        let (files, may_be_missing) = files(&self.config)?;
        Ok(Sources { files, may_be_missing, overlay: ConfigNode::from_json(&Json::Object(overlay)) })
    }
}

impl TunnelFlags {
    /// The tunnel of `postern http`, `postern tcp` and `postern tls`.
    pub(super) fn definition(&self, proto: &str, addr: &str) -> Result<Definition, Error> {
        let mut body = self.body(addr);
        if self.labels.is_empty() {
            body.insert("proto".into(), proto.into());
        }
        read(&self.name, &body)
    }

    /// The tunnel of `postern tunnel --label …`.
    pub(super) fn labelled(&self, addr: &str) -> Result<Definition, Error> {
        if self.labels.is_empty() {
            return Err(Error::new(
                Code::LabelMissing,
                "A labelled tunnel needs at least one label: --label app=shop.",
            ));
        }
        read(&self.name, &self.body(addr))
    }

    fn body(&self, addr: &str) -> Map<String, Json> {
        let mut body = Map::new();
        body.insert("addr".into(), addr.into());
        let mut set = |key: &str, value: Option<Json>| {
            if let Some(value) = value {
                body.insert(key.to_owned(), value);
            }
        };
        let list = |items: &[String]| (!items.is_empty()).then(|| Json::from(items.to_vec()));
        set("domain", self.domain.clone().map(Json::from));
        set("subdomain", self.subdomain.clone().map(Json::from));
        set("schemes", list(&self.schemes));
        set("labels", list(&self.labels));
        set("remote_addr", self.remote_addr.clone().map(Json::from));
        set("host_header", self.host_header.clone().map(Json::from));
        set("app_protocol", self.app_protocol.clone().map(Json::from));
        set("proxy_proto", self.proxy_proto.clone().map(Json::from));
        set("crt", self.crt.clone().map(Json::from));
        set("key", self.key.clone().map(Json::from));
        set("terminate_at", self.terminate_at.clone().map(Json::from));
        set("verify_upstream_tls", self.verify_upstream_tls.clone().map(Json::from));
        set("verify_upstream_tls_cas", self.verify_upstream_tls_cas.clone().map(Json::from));
        set("catch", self.script());
        set("metadata", self.metadata.clone().map(Json::from));
        set("inspect", Some(Json::from(self.inspect)));
        self.modules.add_to(&mut body);
        body
    }

    /// The canned response of `catch`.
    fn script(&self) -> Option<Json> {
        let mut script = Map::new();
        if let Some(status) = &self.catch_status {
            script.insert("status".into(), status.as_str().into());
        }
        if !self.catch_header.is_empty() {
            script.insert("headers".into(), self.catch_header.clone().into());
        }
        if let Some(body) = &self.catch_body {
            script.insert("body".into(), body.as_str().into());
        }
        (!script.is_empty()).then_some(Json::Object(script))
    }
}

fn read(name: &str, body: &Map<String, Json>) -> Result<Definition, Error> {
    Definition::from_json(name, body).map_err(|problems| problems.to_error())
}

/// The files to use, and whether they may be missing: only the one in the default location may.
pub(super) fn files(given: &[PathBuf]) -> Result<(Vec<PathBuf>, bool), Error> {
    if !given.is_empty() {
        return Ok((given.to_vec(), false));
    }
    let usual = paths::default_config().map_err(|error| {
        Error::new(
            Code::ConfigInvalid,
            format!("Your home folder could not be found ({error}). Give a file with --config."),
        )
    })?;
    Ok((vec![usual], true))
}

/// The file that `postern config` edits: the last one given, or the default one.
pub(super) fn file(given: &[PathBuf]) -> Result<PathBuf, Error> {
    Ok(files(given)?.0.pop().unwrap_or_else(|| Path::new("postern.yml").to_owned()))
}

/// The secret itself, or standard input if it is `-`.
pub(super) fn from_stdin(given: &Secret) -> Result<Secret, Error> {
    if given.reveal() != "-" {
        return Ok(given.clone());
    }
    let mut text = String::new();
    std::io::stdin()
        .take(64 * 1024)
        .read_to_string(&mut text)
        .map_err(|error| Error::new(Code::ConfigInvalid, format!("Standard input could not be read: {error}.")))?;
    Ok(Secret::new(text.trim()))
}
