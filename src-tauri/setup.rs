//! What a person would have to type otherwise: the server's key into the keychain, a credential for this
//! computer's agent, and the agent's configuration.

use crate::agent_configuration::{value, with_values};
use crate::desk::Desk;
use crate::failure::{Failure, Result};
use crate::keychain::KeyStore;
use crate::private_file;
use crate::supervision::{self, ServerAddresses};
use postern_api::client::Client;
use postern_api::resource::{Credential, CredentialCreate};
use postern_api::{Code, Id, Secret};
use std::fs;
use std::time::Duration;

/// How long `postern-server api-key create` may take.
const KEY_PATIENCE: Duration = Duration::from_secs(20);

/// Makes sure that the agent has a configuration with which it reaches the local server, and that its credential counts.
///
/// Does nothing that was done before. Needs the server to run.
pub(crate) async fn prepare_agent(desk: &Desk) -> Result<()> {
    let addresses = ServerAddresses::read(&desk.places.server_addresses()).ok_or_else(|| {
        Failure::new(
            Code::Unavailable,
            "The local server has not said yet where it listens. It is asked again shortly.",
        )
    })?;
    let written = fs::read_to_string(&desk.places.agent_configuration).unwrap_or_default();
    let token = current_token(desk, &addresses, &written).await?;
    let server_addr = format!("{}:{}", addresses.domain, addresses.https.port());
    let authority = desk.places.authority().display().to_string();
    let mut values = vec![("server_addr", server_addr.as_str()), ("root_cas", authority.as_str())];
    if let Some(token) = &token {
        values.insert(0, ("authtoken", token.reveal()));
    }
    let text = with_values(&written, &values)?;
    if text == written {
        return Ok(());
    }
    let path = &desk.places.agent_configuration;
    let failed =
        |error| Failure::local(format!("The agent's configuration {} cannot be written", path.display()), error);
    if token.is_some() && !written.is_empty() {
        // Somebody's own token is about to be replaced.
        private_file::write(&path.with_extension("yml.before-desktop"), written.as_bytes()).map_err(failed)?;
    }
    private_file::write(path, text.as_bytes()).map_err(failed)
}

/// A new token when the one in the configuration is missing or was deleted on the server, else nothing.
async fn current_token(desk: &Desk, addresses: &ServerAddresses, written: &str) -> Result<Option<Secret>> {
    let store = KeyStore::new(&desk.places.server, &desk.places.desktop);
    let base_url = format!("http://{}", addresses.api);
    let client = |key| Client::with_http(desk.http.clone(), &base_url, key);
    let mut key = key(desk, &store).await?;
    let known = desk.settings.facts().credential_id;
    if let (Some(id), true) = (known, value(written, "authtoken").is_some()) {
        let looked_up = match Id::<Credential>::parse(&id) {
            Ok(id) => client(key.clone()).all::<Credential>().get(&id).await.map(|_| ()),
            Err(error) => Err(error),
        };
        match looked_up {
            Ok(()) => return Ok(None),
            Err(error) if error.code == Code::NotFound || error.code == Code::IdShape => {}
            Err(error) if error.code == Code::KeyUnknown => key = fresh_key(desk, &store).await?,
            Err(error) => return Err(error.into()),
        }
    }
    let body = CredentialCreate {
        description: Some("This computer's agent, made by Postern's desktop app".to_owned()),
        ..CredentialCreate::default()
    };
    let created = match client(key).all::<Credential>().create(&body).await {
        Err(error) if error.code == Code::KeyUnknown => {
            let key = fresh_key(desk, &store).await?;
            client(key).all::<Credential>().create(&body).await?
        }
        created => created?,
    };
    let token = created.status.token.ok_or_else(|| {
        Failure::new(Code::Internal, "The server made a credential but did not tell its token. Try again.")
    })?;
    desk.settings.change(|facts| facts.credential_id = Some(created.id.to_string()));
    Ok(Some(token))
}

/// The key of the management API, for requests that a window causes.
pub(crate) async fn management_key(desk: &Desk) -> Result<Secret> {
    if let Some(remote) = desk.settings.facts().remote {
        let Some((key, place)) = KeyStore::remote(&remote.api, &desk.places.desktop).load().await else {
            return Err(enter_it_again(&remote.api, "is not in the keychain any more"));
        };
        desk.state.change(|state| state.keychain = place);
        return Ok(key);
    }
    key(desk, &KeyStore::new(&desk.places.server, &desk.places.desktop)).await
}

/// Another key in place of one that the server no longer knows.
pub(crate) async fn new_management_key(desk: &Desk) -> Result<Secret> {
    if let Some(remote) = desk.settings.facts().remote {
        return Err(enter_it_again(&remote.api, "is not accepted any more"));
    }
    fresh_key(desk, &KeyStore::new(&desk.places.server, &desk.places.desktop)).await
}

/// Of a server elsewhere only its people can give another key.
fn enter_it_again(api: &str, why: &str) -> Failure {
    Failure::new(Code::KeyUnknown, format!("The key of {api} {why}. Enter it again under Settings, Server."))
}

/// The key that was kept; on the first start the one the server left in its data folder.
async fn key(desk: &Desk, store: &KeyStore) -> Result<Secret> {
    if let Some((key, place)) = store.load().await {
        desk.state.change(|state| state.keychain = place);
        return Ok(key);
    }
    match fs::read_to_string(desk.places.first_key()) {
        Ok(text) if !text.trim().is_empty() => keep(desk, store, Secret::new(text.trim())).await,
        _ => fresh_key(desk, store).await,
    }
}

async fn keep(desk: &Desk, store: &KeyStore, key: Secret) -> Result<Secret> {
    let place = store.keep(&key).await?;
    desk.state.change(|state| state.keychain = place);
    Ok(key)
}

/// Has the running server make another key, as the owner of its data folder may.
async fn fresh_key(desk: &Desk, store: &KeyStore) -> Result<Secret> {
    let call = supervision::command("postern-server")?
        .args(["api-key", "create", "--admin", "--description", "Postern's desktop app", "--data-dir"])
        .arg(&desk.places.server)
        .kill_on_drop(true)
        .output();
    let output = tokio::time::timeout(KEY_PATIENCE, call)
        .await
        .map_err(|_| {
            Failure::new(Code::Unavailable, "The server did not make a key in time. It is asked again shortly.")
        })?
        .map_err(|error| Failure::local("postern-server could not be started to make a key", error))?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let key = text.lines().rev().map(str::trim).find(|line| !line.is_empty());
    match key {
        Some(key) if output.status.success() => keep(desk, store, Secret::new(key)).await,
        _ => {
            let said = String::from_utf8_lossy(&output.stderr);
            let said = said.lines().rev().find(|line| !line.trim().is_empty()).unwrap_or("it said nothing").trim();
            Err(Failure::new(Code::Unavailable, format!("The server made no key for the desktop app: {said}")))
        }
    }
}
