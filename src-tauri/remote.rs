//! A server elsewhere: its key goes into the keychain, this computer's agent gets a credential there, and the app begins
//! anew with it. Nothing is changed before the server has answered.

use crate::agent_configuration::with_values;
use crate::desk::Desk;
use crate::failure::{Failure, Result};
use crate::keychain::KeyStore;
use crate::places::Places;
use crate::settings::Remote;
use crate::{private_file, quit};
use postern_api::client::Client;
use postern_api::resource::{Credential, CredentialCreate};
use postern_api::{Code, Secret};
use reqwest::Certificate;
use std::fs;
use std::sync::Arc;
use std::time::Duration;
use tauri::{AppHandle, State};
use url::Url;

/// A file of authorities is far smaller.
const LARGEST_AUTHORITY: usize = 1024 * 1024;

/// Connects this computer to a server elsewhere and starts the app anew.
///
/// `address` is where agents connect, `api` the management API, `authority` the text of a PEM file, for a server whose
/// certificate the system does not trust.
#[tauri::command]
pub(crate) async fn use_remote_server(
    app: AppHandle,
    desk: State<'_, Arc<Desk>>,
    address: String,
    api: String,
    key: Secret,
    authority: Option<String>,
) -> Result<()> {
    let address = agent_address(&address)?;
    let api = api_address(&api)?;
    let authority = authority.filter(|text| !text.trim().is_empty());
    let http = client(authority.as_deref())?;
    let body = CredentialCreate {
        description: Some("An agent on another computer, made by Postern's desktop app".to_owned()),
        ..CredentialCreate::default()
    };
    let created = Client::with_http(http, &api, key.clone()).all::<Credential>().create(&body).await?;
    let token = created.status.token.ok_or_else(|| {
        Failure::new(Code::Internal, "The server made a credential but did not tell its token. Try again.")
    })?;
    KeyStore::remote(&api, &desk.places.desktop).keep(&key).await?;
    let file = desk.places.remote_authority();
    let root_cas = match &authority {
        Some(text) => {
            private_file::write(&file, text.as_bytes())
                .map_err(|error| Failure::local(format!("{} cannot be written", file.display()), error))?;
            file.display().to_string()
        }
        None => {
            let _ = fs::remove_file(&file);
            "host".to_owned()
        }
    };
    configure(&desk.places, &[("authtoken", token.reveal()), ("server_addr", &address), ("root_cas", &root_cas)])?;
    desk.settings.change(|facts| facts.remote = Some(Remote { address, api }));
    begin_anew(&app)
}

/// Goes back to the server of this computer and starts the app anew.
#[tauri::command]
pub(crate) async fn use_local_server(app: AppHandle, desk: State<'_, Arc<Desk>>) -> Result<()> {
    // The rest is set once the server says where it listens; until then the agent must not go elsewhere.
    let address = format!("localhost:{}", desk.wanted.https.port());
    configure(&desk.places, &[("server_addr", &address)])?;
    desk.settings.change(|facts| {
        facts.remote = None;
        // Its token made room for the other server's.
        facts.credential_id = None;
    });
    begin_anew(&app)
}

/// A client for the management API of the server that was chosen.
pub(crate) fn management_client(places: &Places) -> Result<reqwest::Client> {
    client(fs::read_to_string(places.remote_authority()).ok().as_deref())
}

fn client(authority: Option<&str>) -> Result<reqwest::Client> {
    let mut builder = reqwest::Client::builder()
        .redirect(reqwest::redirect::Policy::none())
        .connect_timeout(Duration::from_secs(10))
        .timeout(Duration::from_secs(30));
    if let Some(text) = authority {
        let refused = |why: &dyn std::fmt::Display| {
            let message = format!("The authority is no PEM file of certificates: {why}");
            Failure::new(Code::ConfigInvalid, message)
        };
        if text.len() > LARGEST_AUTHORITY {
            return Err(refused(&"it is larger than 1 MiB"));
        }
        let certificates = Certificate::from_pem_bundle(text.as_bytes()).map_err(|error| refused(&error))?;
        if certificates.is_empty() {
            return Err(refused(&"there is no certificate in it"));
        }
        builder = builder.tls_certs_only(certificates);
    }
    builder.build().map_err(|error| Failure::local("Requests to the server cannot be made", error))
}

fn configure(places: &Places, values: &[(&str, &str)]) -> Result<()> {
    let path = &places.agent_configuration;
    let failed =
        |error| Failure::local(format!("The agent's configuration {} cannot be written", path.display()), error);
    let written = fs::read_to_string(path).unwrap_or_default();
    let text = with_values(&written, values)?;
    if !written.is_empty() && text != written {
        private_file::write(&path.with_extension("yml.before-desktop"), written.as_bytes()).map_err(failed)?;
    }
    private_file::write(path, text.as_bytes()).map_err(failed)
}

fn begin_anew(app: &AppHandle) -> Result<()> {
    let handle = app.clone();
    app.run_on_main_thread(move || quit::start_anew(&handle))
        .map_err(|error| Failure::local("Postern cannot begin anew; quit it and start it again", error))
}

/// Host and port, as agents are told.
fn agent_address(text: &str) -> Result<String> {
    let text = text.trim();
    let valid = Url::parse(&format!("tcp://{text}")).ok().filter(|url| {
        let host = url.host_str().is_some_and(|host| !host.is_empty());
        let bare = url.username().is_empty() && url.password().is_none() && url.path().is_empty();
        host && bare && url.query().is_none() && url.fragment().is_none() && url.port().is_some()
    });
    match valid {
        Some(_) => Ok(text.to_owned()),
        None => Err(Failure::new(
            Code::AddressFormat,
            "Write where agents connect as host and port, for example tunnel.example.com:443.",
        )),
    }
}

/// The origin of the management API.
fn api_address(text: &str) -> Result<String> {
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
        Some(url) if url.scheme() == "http" => Err(Failure::new(
            Code::AddressFormat,
            "The key would cross the network for everybody to read: write https:// before the API's address.",
        )),
        _ => Err(Failure::new(
            Code::AddressFormat,
            "Write the address of the management API, for example https://api.example.com.",
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn where_agents_connect_is_host_and_port() {
        for good in ["tunnel.example.com:443", "10.0.0.1:4443", "[::1]:4443", " x:1 "] {
            assert!(agent_address(good).is_ok(), "{good}");
        }
        for bad in ["", "tunnel.example.com", "https://x:443", "x:443/", "u@x:443", "x:99999", "x:1?y", ":443"] {
            assert!(agent_address(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn a_key_never_crosses_a_network_in_the_clear() {
        for good in
            ["https://api.example.com", "https://api.example.com:8443/", "http://127.0.0.1:4041", "http://localhost:1"]
        {
            assert!(api_address(good).is_ok(), "{good}");
        }
        for bad in
            ["http://api.example.com", "api.example.com", "https://x/y", "https://u:p@x", "ftp://x", "https://x?y"]
        {
            assert!(api_address(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn an_authority_is_certificates() {
        assert!(client(None).is_ok());
        assert!(client(Some("no certificate")).is_err());
    }
}
