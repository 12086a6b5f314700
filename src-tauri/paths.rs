//! The folders and listen addresses of this installation, with the environment variables that override them.

use crate::error::{DesktopError, Result};
use etcetera::BaseStrategy;
use std::{env, net::SocketAddr, path::PathBuf};

/// The folders of this installation. `POSTERN_HOME` puts all of them below one folder.
#[derive(Clone, Debug)]
pub(crate) struct AppPaths {
    /// The server's data folder, passed to it as `--data-dir`.
    pub(crate) server: PathBuf,
    /// The desktop app's own data folder.
    pub(crate) desktop: PathBuf,
    /// The agent's configuration file.
    pub(crate) agent_configuration: PathBuf,
}

impl AppPaths {
    /// The folders of this platform, or those that `POSTERN_HOME` and `POSTERN_CONFIG` name.
    ///
    /// # Errors
    ///
    /// Fails if the user has no home folder.
    pub(crate) fn from_env() -> Result<AppPaths> {
        if let Some(home) = env::var_os("POSTERN_HOME").filter(|home| !home.is_empty()) {
            let home = PathBuf::from(home);
            return Ok(AppPaths {
                server: home.join("server"),
                desktop: home.join("desktop"),
                agent_configuration: home.join("agent").join("postern.yml"),
            });
        }
        let base = etcetera::choose_base_strategy().map_err(|error| {
            DesktopError::local("The home folder was not found. Set POSTERN_HOME to a folder to use instead", error)
        })?;
        let data = base.data_dir().join("postern");
        let agent_configuration = match env::var_os("POSTERN_CONFIG").filter(|path| !path.is_empty()) {
            Some(path) => PathBuf::from(path),
            None => agent_folder(&base).join("postern.yml"),
        };
        Ok(AppPaths { server: data.join("server"), desktop: data.join("desktop"), agent_configuration })
    }

    /// The agent's state file, beside its configuration.
    pub(crate) fn agent_state(&self) -> PathBuf {
        let mut name = self.agent_configuration.as_os_str().to_owned();
        name.push(".state.json");
        PathBuf::from(name)
    }

    /// The file that holds the addresses the server listens on.
    pub(crate) fn server_addresses(&self) -> PathBuf {
        self.server.join("addresses.json")
    }

    /// The certificate of the server's own authority.
    pub(crate) fn authority(&self) -> PathBuf {
        self.server.join("ca.pem")
    }

    /// The certificate authority of the remote server, if one was given.
    pub(crate) fn remote_authority(&self) -> PathBuf {
        self.desktop.join("remote-ca.pem")
    }

    /// The API key that the server creates on its first start.
    pub(crate) fn first_key(&self) -> PathBuf {
        self.server.join("admin.key")
    }

    /// The folder of the log files of app, server and agent.
    pub(crate) fn logs(&self) -> PathBuf {
        self.desktop.join("logs")
    }
}

/// The agent's default configuration folder.
fn agent_folder(base: &impl BaseStrategy) -> PathBuf {
    match env::consts::OS {
        "macos" => base.home_dir().join("Library/Application Support/postern"),
        "windows" => base.home_dir().join("AppData/Local/postern"),
        _ => base.config_dir().join("postern"),
    }
}

/// The preferred listen addresses of server and agent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ListenAddresses {
    pub(crate) https: SocketAddr,
    pub(crate) http: SocketAddr,
    pub(crate) api: SocketAddr,
    pub(crate) web: SocketAddr,
    pub(crate) tcp_ports: Option<String>,
}

impl ListenAddresses {
    /// The defaults, or the values of `POSTERN_HTTPS_ADDR`, `…HTTP_ADDR`, `…API_ADDR`, `…WEB_ADDR` and `POSTERN_TCP_PORTS`.
    ///
    /// # Errors
    ///
    /// Fails if a variable holds no address.
    pub(crate) fn from_env() -> Result<ListenAddresses> {
        Ok(ListenAddresses {
            https: address("POSTERN_HTTPS_ADDR", 4443)?,
            http: address("POSTERN_HTTP_ADDR", 4480)?,
            api: address("POSTERN_API_ADDR", 4041)?,
            web: address("POSTERN_WEB_ADDR", 4040)?,
            tcp_ports: env::var("POSTERN_TCP_PORTS").ok().filter(|ports| !ports.is_empty()),
        })
    }
}

fn address(variable: &str, default_port: u16) -> Result<SocketAddr> {
    match env::var(variable) {
        Ok(text) if !text.is_empty() => text.parse().map_err(|_| {
            DesktopError::new(
                postern_api::Code::AddressFormat,
                format!(
                    "{variable} is {text:?}, which is not an address with a port, such as 127.0.0.1:{default_port}."
                ),
            )
        }),
        _ => Ok(SocketAddr::from(([127, 0, 0, 1], default_port))),
    }
}
