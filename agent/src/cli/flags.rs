//! Flags, and what they mean in the words of the configuration file.

use crate::config::{Definition, Sources, paths, tree::Node};
use clap::{ArgAction, Args};
use postern_api::{Code, Error, Secret};
use serde_json::{Map, Value as Json};
use std::{
    io::Read,
    path::{Path, PathBuf},
};

/// What a tunnel from the command line is called unless it has a name.
const COMMAND_LINE: &str = "command_line";

/// Flags of every command that runs tunnels.
#[derive(Debug, Args)]
#[command(next_help_heading = "Agent")]
pub(super) struct RunFlags {
    /// Configuration file; may be given several times, later files win
    #[arg(long, env = "POSTERN_CONFIG", value_name = "FILE", value_delimiter = ',')]
    config: Vec<PathBuf>,
    /// The authtoken, or `-` to read it from standard input. Other users of this machine can see command lines:
    /// better use the environment or the configuration file
    #[arg(long, env = "POSTERN_AUTHTOKEN", hide_env_values = true, value_name = "TOKEN")]
    authtoken: Option<Secret>,
    /// A file that holds the authtoken
    #[arg(long, env = "POSTERN_AUTHTOKEN_FILE", value_name = "FILE", conflicts_with = "authtoken")]
    authtoken_file: Option<String>,
    /// Where the server listens; of several, separated by commas, the first that answers is taken
    #[arg(long, env = "POSTERN_SERVER_ADDR", value_name = "HOST:PORT")]
    server_addr: Option<String>,
    /// The name in the server's certificate, if it is not the host of --server-addr
    #[arg(long, value_name = "NAME")]
    server_name: Option<String>,
    /// Whom to trust: a PEM file, or `host` for the system's store
    #[arg(long, value_name = "FILE|host|trusted")]
    root_cas: Option<String>,
    /// Where the inspector and the local API listen, or `false`
    #[arg(long, env = "POSTERN_WEB_ADDR", value_name = "HOST:PORT|false")]
    web_addr: Option<String>,
    /// Where log lines go
    #[arg(long, value_name = "stderr|stdout|FILE")]
    log: Option<String>,
    /// How log lines look
    #[arg(long, value_name = "text|json")]
    log_format: Option<String>,
    /// The least important lines that are logged
    #[arg(long, value_name = "error|warn|info|debug")]
    log_level: Option<String>,
}

/// Flags that describe one tunnel.
#[derive(Debug, Args)]
#[command(next_help_heading = "Tunnel")]
pub(super) struct TunnelFlags {
    /// The tunnel's name in the inspector and the local API
    #[arg(long, default_value = COMMAND_LINE)]
    name: String,
    /// Host name to publish under: a full name, or one word under the server's domain
    #[arg(long, alias = "hostname", value_name = "NAME")]
    domain: Option<String>,
    /// One word under the server's domain
    #[arg(long, value_name = "WORD")]
    subdomain: Option<String>,
    /// Schemes to publish: https, http or both
    #[arg(long, alias = "scheme", value_delimiter = ',', value_name = "LIST")]
    schemes: Vec<String>,
    /// A label that edges select; may be given several times
    #[arg(long = "label", value_name = "KEY=VALUE")]
    labels: Vec<String>,
    /// Port of the server to publish a TCP service on
    #[arg(long, value_name = "PORT")]
    remote_addr: Option<String>,
    /// Capture requests
    #[arg(long, default_value_t = true, default_missing_value = "true", num_args = 0..=1, require_equals = true, action = ArgAction::Set)]
    inspect: bool,
    /// What happens to the Host header
    #[arg(long, value_name = "preserve")]
    host_header: Option<String>,
    /// The HTTP that the local service speaks; gRPC needs http2. Requests of http2 are not captured
    #[arg(long, value_name = "http1|http2")]
    app_protocol: Option<String>,
    /// Tell the local service who the visitor is: the version of the PROXY protocol that connections begin with
    #[arg(long, value_name = "1|2")]
    proxy_proto: Option<String>,
    /// User and password that visitors must give (comes in a later version)
    #[arg(long, value_name = "USER:PASSWORD")]
    basic_auth: Vec<String>,
    /// Free text shown to the operator of the server
    #[arg(long)]
    metadata: Option<String>,
}

impl RunFlags {
    /// Where the configuration comes from, flags and environment laid over the files.
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
        set("log", self.log.as_deref());
        set("log_format", self.log_format.as_deref());
        set("log_level", self.log_level.as_deref());
        let (files, may_be_missing) = files(&self.config)?;
        Ok(Sources { files, may_be_missing, overlay: Node::from_json(&Json::Object(overlay)) })
    }
}

impl TunnelFlags {
    /// The tunnel of `postern http` and `postern tcp`.
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
        set("basic_auth", list(&self.basic_auth));
        set("metadata", self.metadata.clone().map(Json::from));
        set("inspect", Some(Json::from(self.inspect)));
        body
    }
}

fn read(name: &str, body: &Map<String, Json>) -> Result<Definition, Error> {
    Definition::from_json(name, body).map_err(|problems| problems.to_error())
}

/// The files to use, and whether they may be missing: only the usual place may.
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

/// The file that `postern config` works on: the last one given, or the usual one.
pub(super) fn file(given: &[PathBuf]) -> Result<PathBuf, Error> {
    Ok(files(given)?.0.pop().unwrap_or_else(|| Path::new("postern.yml").to_owned()))
}

/// The secret itself, or what standard input holds if it is `-`.
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
