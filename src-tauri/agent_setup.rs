//! Connects this computer's agent to the local server: a credential on the server, and the agent's configuration.

use crate::{
    agent_configuration::{set_values, top_level_value},
    app_config::AppConfig,
    error::{DesktopError, Result},
    management_key::ManagementKeys,
    server_addresses::ServerAddresses,
};
use postern_api::{
    Code, Id, Secret,
    client::Client,
    resource::{Credential, CredentialCreate},
};
use postern_config::private_file;
use std::fs;

/// Writes the agent's configuration so that it reaches the local server with a valid credential.
///
/// A configuration that already does so stays as it is. `http` is a client for loopback addresses.
///
/// # Errors
///
/// Fails if the server is not running, refuses a credential, or if the configuration cannot be written.
pub(crate) async fn configure_agent(config: &AppConfig, keys: &ManagementKeys, http: &reqwest::Client) -> Result<()> {
    let addresses = ServerAddresses::read(&config.paths.server_addresses()).ok_or_else(|| {
        let message = "The local server has not written its addresses yet. Postern will try again shortly.";
        DesktopError::new(Code::Unavailable, message)
    })?;
    let configuration = fs::read_to_string(&config.paths.agent_configuration).unwrap_or_default();
    let server_addr = format!("{}:{}", addresses.domain, addresses.https.port());
    let authority = config.paths.authority().display().to_string();
    // A file that cannot be edited must not cost a credential at every attempt.
    let mut text = set_values(&configuration, &[("server_addr", &server_addr), ("root_cas", &authority)])?;
    let token = new_token_if_needed(config, keys, http, &addresses, &configuration).await?;
    if let Some(token) = &token {
        text = set_values(&text, &[("authtoken", token.reveal())])?;
    }
    if text == configuration {
        return Ok(());
    }
    let path = &config.paths.agent_configuration;
    let failed =
        |error| DesktopError::local(format!("The agent's configuration {} cannot be written", path.display()), error);
    if token.is_some() && !configuration.is_empty() {
        // The new token may replace one that the user entered.
        private_file::write(&path.with_extension("yml.before-desktop"), configuration.as_bytes()).map_err(failed)?;
    }
    private_file::write(path, text.as_bytes()).map_err(failed)
}

/// A new token if the configuration has none or the server deleted its credential.
async fn new_token_if_needed(
    config: &AppConfig,
    keys: &ManagementKeys,
    http: &reqwest::Client,
    addresses: &ServerAddresses,
    configuration: &str,
) -> Result<Option<Secret>> {
    let base_url = format!("http://{}", addresses.api);
    let client = |key| Client::with_http(http.clone(), &base_url, key);
    let mut key = keys.load_local().await?;
    let credential_id = config.settings.current().credential_id;
    if let (Some(id), true) = (credential_id, top_level_value(configuration, "authtoken").is_some()) {
        let lookup = match Id::<Credential>::parse(&id) {
            Ok(id) => client(key.clone()).all::<Credential>().get(&id).await.map(|_| ()),
            Err(error) => Err(error),
        };
        match lookup {
            Ok(()) => return Ok(None),
            Err(error) if error.code == Code::NotFound || error.code == Code::IdShape => {}
            Err(error) if error.code == Code::KeyUnknown => key = keys.create_local().await?,
            Err(error) => return Err(error.into()),
        }
    }
    let body = CredentialCreate {
        description: Some("This computer's agent, created by Postern's desktop app".to_owned()),
        ..CredentialCreate::default()
    };
    let created = match client(key).all::<Credential>().create(&body).await {
        Err(error) if error.code == Code::KeyUnknown => {
            client(keys.create_local().await?).all::<Credential>().create(&body).await?
        }
        created => created?,
    };
    let token = created.status.token.ok_or_else(|| {
        DesktopError::new(Code::Internal, "The server created a credential but did not return its token. Try again.")
    })?;
    config.settings.update(|settings| settings.credential_id = Some(created.id.to_string()));
    Ok(Some(token))
}
