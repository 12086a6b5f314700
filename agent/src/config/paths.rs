//! The locations of the agent's files on this platform. `POSTERN_HOME` puts all of them below one folder.

use etcetera::BaseStrategy;
use std::path::PathBuf;

fn home_override() -> Option<PathBuf> {
    std::env::var_os("POSTERN_HOME").filter(|home| !home.is_empty()).map(PathBuf::from)
}

/// The default location of the configuration file.
///
/// # Errors
/// The home folder cannot be found.
pub fn default_config() -> std::io::Result<PathBuf> {
    if let Some(home) = home_override() {
        return Ok(home.join("agent").join("postern.yml"));
    }
    let base = etcetera::choose_base_strategy().map_err(std::io::Error::other)?;
    let folder = match std::env::consts::OS {
        "macos" => base.home_dir().join("Library/Application Support/postern"),
        "windows" => base.home_dir().join("AppData/Local/postern"),
        _ => base.config_dir().join("postern"),
    };
    Ok(folder.join("postern.yml"))
}

/// The certificate authority of a server on this machine, if there is one.
pub fn local_authority() -> Option<PathBuf> {
    let path = match home_override() {
        Some(home) => home.join("server"),
        None => etcetera::choose_base_strategy().ok()?.data_dir().join("postern").join("server"),
    };
    Some(path.join("ca.pem")).filter(|path| path.is_file())
}
