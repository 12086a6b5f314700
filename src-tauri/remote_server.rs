//! Switches between a remote server and the local one.
//!
//! The key of a remote server is stored in the keychain, this computer's agent gets a credential there, and the app
//! restarts. Nothing is changed before the server has responded.

use crate::{
    agent_configuration::set_values,
    app_config::AppConfig,
    error::{DesktopError, Result},
    ipc::Arguments,
    keychain::KeyStore,
    paths::AppPaths,
    settings::RemoteServer,
    shutdown,
};
use postern_api::{
    Code, Secret,
    client::Client,
    resource::{Credential, CredentialCreate},
};
use postern_config::private_file;
use reqwest::Certificate;
use schemars::JsonSchema;
use serde::Deserialize;
use std::{fs, sync::Arc, time::Duration};
use tauri::{AppHandle, State};
use url::Url;

/// Far more than a file of certificate authorities.
const MAX_AUTHORITY_BYTES: usize = 1024 * 1024;

/// The remote server to connect to.
#[derive(Deserialize, JsonSchema)]
pub(crate) struct RemoteServerLogin {
    /// The address that agents connect to.
    address: String,
    /// The address of the management API.
    api: String,
    /// The key of the management API.
    key: Secret,
    /// The text of a PEM file, for a server whose certificate the system does not trust.
    authority: Option<String>,
}

/// Connects this computer to a remote server and restarts the app.
#[tauri::command]
pub(crate) async fn use_remote_server(
    app: AppHandle,
    config: State<'_, Arc<AppConfig>>,
    Arguments(login): Arguments<RemoteServerLogin>,
) -> Result<()> {
    let RemoteServerLogin { address, api, key, authority } = login;
    let address = parse_agent_address(&address)?;
    let api = parse_api_address(&api)?;
    let authority = authority.filter(|text| !text.trim().is_empty());
    let http = client(authority.as_deref())?;
    let body = CredentialCreate {
        description: Some("An agent on another computer, created by Postern's desktop app".to_owned()),
        ..CredentialCreate::default()
    };
    let created = Client::with_http(http, &api, key.clone()).all::<Credential>().create(&body).await?;
    let token = created.status.token.ok_or_else(|| {
        DesktopError::new(Code::Internal, "The server created a credential but did not return its token. Try again.")
    })?;
    KeyStore::remote(&api, &config.paths.desktop).save(&key).await?;
    let file = config.paths.remote_authority();
    let root_cas = match &authority {
        Some(text) => {
            private_file::write(&file, text.as_bytes())
                .map_err(|error| DesktopError::local(format!("{} cannot be written", file.display()), error))?;
            file.display().to_string()
        }
        None => {
            let _ = fs::remove_file(&file);
            "host".to_owned()
        }
    };
    configure(&config.paths, &[("authtoken", token.reveal()), ("server_addr", &address), ("root_cas", &root_cas)])?;
    config.settings.update(|settings| settings.remote = Some(RemoteServer { address, api }));
    restart_app(&app)
}

/// Switches back to the local server and restarts the app.
#[tauri::command]
pub(crate) async fn use_local_server(app: AppHandle, config: State<'_, Arc<AppConfig>>) -> Result<()> {
    // The rest is set once the server has written its addresses; until then the agent must not use the remote server.
    let address = format!("localhost:{}", config.listen.https.port());
    configure(&config.paths, &[("server_addr", &address)])?;
    config.settings.update(|settings| {
        settings.remote = None;
        // Its token was replaced by the one for the remote server.
        settings.credential_id = None;
    });
    restart_app(&app)
}

/// An HTTP client for the management API of the remote server.
///
/// # Errors
///
/// Fails if the saved certificate authority is invalid.
pub(crate) fn management_client(paths: &AppPaths) -> Result<reqwest::Client> {
    client(fs::read_to_string(paths.remote_authority()).ok().as_deref())
}

fn client(authority: Option<&str>) -> Result<reqwest::Client> {
    let mut builder = reqwest::Client::builder()
        .redirect(reqwest::redirect::Policy::none())
        .connect_timeout(Duration::from_secs(10))
        .timeout(Duration::from_secs(30));
    if let Some(text) = authority {
        let refused = |reason: &dyn std::fmt::Display| {
            let message = format!("The certificate authority is not a PEM file with certificates: {reason}");
            DesktopError::new(Code::ConfigInvalid, message)
        };
        if text.len() > MAX_AUTHORITY_BYTES {
            return Err(refused(&"it is larger than 1 MiB"));
        }
        let certificates = Certificate::from_pem_bundle(text.as_bytes()).map_err(|error| refused(&error))?;
        if certificates.is_empty() {
            return Err(refused(&"it contains no certificate"));
        }
        builder = builder.tls_certs_only(certificates);
    }
    builder.build().map_err(|error| DesktopError::local("The HTTP client for the server cannot be created", error))
}

fn configure(paths: &AppPaths, values: &[(&str, &str)]) -> Result<()> {
    let path = &paths.agent_configuration;
    let failed =
        |error| DesktopError::local(format!("The agent's configuration {} cannot be written", path.display()), error);
    let configuration = fs::read_to_string(path).unwrap_or_default();
    let text = set_values(&configuration, values)?;
    if !configuration.is_empty() && text != configuration {
        private_file::write(&path.with_extension("yml.before-desktop"), configuration.as_bytes()).map_err(failed)?;
    }
    private_file::write(path, text.as_bytes()).map_err(failed)
}

fn restart_app(app: &AppHandle) -> Result<()> {
    let handle = app.clone();
    app.run_on_main_thread(move || shutdown::restart(&handle))
        .map_err(|error| DesktopError::local("Postern cannot restart. Quit it and start it again", error))
}

/// Checks the address that agents connect to: host and port.
fn parse_agent_address(text: &str) -> Result<String> {
    let text = text.trim();
    let valid = Url::parse(&format!("tcp://{text}")).ok().filter(|url| {
        let host = url.host_str().is_some_and(|host| !host.is_empty());
        let bare = url.username().is_empty() && url.password().is_none() && url.path().is_empty();
        host && bare && url.query().is_none() && url.fragment().is_none() && url.port().is_some()
    });
    match valid {
        Some(_) => Ok(text.to_owned()),
        None => Err(DesktopError::new(
            Code::AddressFormat,
            "Enter the address that agents connect to as host and port, for example tunnel.example.com:443.",
        )),
    }
}

/// Checks the origin of the management API.
fn parse_api_address(text: &str) -> Result<String> {
    let text = text.trim().trim_end_matches('/');
    let url = Url::parse(text).ok().filter(|url| {
        let bare = url.username().is_empty() && url.password().is_none() && url.path() == "/";
        bare && url.has_host() && url.query().is_none() && url.fragment().is_none()
    });
    let loopback = |url: &Url| match url.host() {
        Some(url::Host::Ipv4(ip)) => ip.is_loopback(),
        Some(url::Host::Ipv6(ip)) => ip.is_loopback(),
        Some(url::Host::Domain(name)) => name == "localhost",
        None => false,
    };
    match url {
        Some(url) if url.scheme() == "https" || (url.scheme() == "http" && loopback(&url)) => Ok(text.to_owned()),
        Some(url) if url.scheme() == "http" => Err(DesktopError::new(
            Code::AddressFormat,
            "An http:// address would send the key unencrypted. Begin the address of the API with https://.",
        )),
        _ => Err(DesktopError::new(
            Code::AddressFormat,
            "Enter the address of the management API, for example https://api.example.com.",
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_address_for_agents_is_host_and_port() {
        for good in ["tunnel.example.com:443", "10.0.0.1:4443", "[::1]:4443", " x:1 "] {
            assert!(parse_agent_address(good).is_ok(), "{good}");
        }
        for bad in ["", "tunnel.example.com", "https://x:443", "x:443/", "u@x:443", "x:99999", "x:1?y", ":443"] {
            assert!(parse_agent_address(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn a_key_is_never_sent_unencrypted_over_a_network() {
        for good in
            ["https://api.example.com", "https://api.example.com:8443/", "http://127.0.0.1:4041", "http://localhost:1"]
        {
            assert!(parse_api_address(good).is_ok(), "{good}");
        }
        for bad in
            ["http://api.example.com", "api.example.com", "https://x/y", "https://u:p@x", "ftp://x", "https://x?y"]
        {
            assert!(parse_api_address(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn a_certificate_authority_must_be_a_pem_file_with_certificates() {
        assert!(client(None).is_ok());
        assert!(client(Some("no certificate")).is_err());
    }
}
