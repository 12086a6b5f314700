//! The key of the management API: loaded from the key store, created by the local server if there is none.

use crate::{
    app_config::AppConfig,
    app_state::AppState,
    bundled_programs,
    error::{DesktopError, Result},
    keychain::KeyStore,
};
use postern_api::{Code, Secret};
use std::{fs, sync::Arc, time::Duration};

/// The timeout of `postern-server api-key create`.
const KEY_CREATION_TIMEOUT: Duration = Duration::from_secs(20);

/// Loads and replaces the key of the server in use.
#[derive(Clone)]
pub(crate) struct ManagementKeys {
    config: Arc<AppConfig>,
    state: Arc<AppState>,
}

impl ManagementKeys {
    pub(crate) fn new(config: Arc<AppConfig>, state: Arc<AppState>) -> ManagementKeys {
        ManagementKeys { config, state }
    }

    /// The key of the server in use.
    ///
    /// # Errors
    ///
    /// Fails if the key of a remote server is not stored, or if the local server cannot create one.
    pub(crate) async fn load(&self) -> Result<Secret> {
        let Some(remote) = self.config.settings.current().remote else { return self.load_local().await };
        let store = KeyStore::remote(&remote.api, &self.config.paths.desktop);
        let Some((key, location)) = store.load().await else {
            return Err(key_required(&remote.api, "is no longer in the keychain"));
        };
        self.state.update_desktop(|state| state.keychain = location);
        Ok(key)
    }

    /// A new key in place of one that the server does not know.
    ///
    /// # Errors
    ///
    /// Fails for a remote server, whose key only the user can enter, and if the local server cannot create a key.
    pub(crate) async fn replace(&self) -> Result<Secret> {
        match self.config.settings.current().remote {
            Some(remote) => Err(key_required(&remote.api, "is no longer accepted")),
            None => self.create_local().await,
        }
    }

    /// The stored key of the local server; on the first start, the one in its data folder.
    ///
    /// # Errors
    ///
    /// Fails if there is no key and the server cannot create one.
    pub(crate) async fn load_local(&self) -> Result<Secret> {
        if let Some((key, location)) = self.local_store().load().await {
            self.state.update_desktop(|state| state.keychain = location);
            return Ok(key);
        }
        match fs::read_to_string(self.config.paths.first_key()) {
            Ok(text) if !text.trim().is_empty() => self.save_local(Secret::new(text.trim())).await,
            _ => self.create_local().await,
        }
    }

    /// Has the local server create a key, which the owner of its data folder is allowed to do.
    ///
    /// # Errors
    ///
    /// Fails if the server is not installed, does not finish in time, or refuses.
    pub(crate) async fn create_local(&self) -> Result<Secret> {
        let creation = bundled_programs::command("postern-server")?
            .args(["api-key", "create", "--admin", "--description", "Postern's desktop app", "--data-dir"])
            .arg(&self.config.paths.server)
            .kill_on_drop(true)
            .output();
        let output = tokio::time::timeout(KEY_CREATION_TIMEOUT, creation)
            .await
            .map_err(|_| {
                let message = "The server did not create an API key in time. Postern will try again shortly.";
                DesktopError::new(Code::Unavailable, message)
            })?
            .map_err(|error| DesktopError::local("postern-server could not be started to create an API key", error))?;
        let stdout = String::from_utf8_lossy(&output.stdout).into_owned();
        let key = stdout.lines().rev().map(str::trim).find(|line| !line.is_empty());
        match key {
            Some(key) if output.status.success() => self.save_local(Secret::new(key)).await,
            _ => {
                let stderr = String::from_utf8_lossy(&output.stderr);
                let reason = stderr.lines().rev().find(|line| !line.trim().is_empty()).unwrap_or("no output").trim();
                let message = format!("The server did not create an API key for the desktop app: {reason}");
                Err(DesktopError::new(Code::Unavailable, message))
            }
        }
    }

    async fn save_local(&self, key: Secret) -> Result<Secret> {
        let location = self.local_store().save(&key).await?;
        self.state.update_desktop(|state| state.keychain = location);
        Ok(key)
    }

    fn local_store(&self) -> KeyStore {
        KeyStore::local(&self.config.paths.server, &self.config.paths.desktop)
    }
}

fn key_required(api: &str, problem: &str) -> DesktopError {
    let message = format!("The key of {api} {problem}. Enter it again under Settings, Server.");
    DesktopError::new(Code::KeyUnknown, message)
}
