//! The commands that windows can call. Other data comes from the agent's local API and the management API.

use crate::{
    agent_api::{AgentClient, ApiResponse},
    app_config::AppConfig,
    app_state::AppState,
    clipboard::AppClipboard,
    desktop_state::DesktopState,
    error::{DesktopError, Result},
    external,
    ipc::{Arguments, Bytes},
    management_api::ManagementClient,
    shutdown, storage,
    supervision::Supervisor,
    trust::{self, TrustOutcome, TrustStore},
    windows::{self, InspectorTarget},
};
use postern_api::Code;
use schemars::JsonSchema;
use serde::Deserialize;
use std::sync::Arc;
use tauri::{AppHandle, State};
use url::Url;

/// A request of a window to one of the APIs.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct ApiRequest {
    method: String,
    path: String,
    body: Option<String>,
}

/// The bytes `from..to` of a captured body.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct BodyRange {
    path: String,
    from: u64,
    to: u64,
}

/// The URL to open in the user's browser.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct ExternalUrl {
    url: String,
}

/// The text to copy.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct CopiedText {
    text: String,
}

/// The certificate stores that shall trust the local authority.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct TrustRequest {
    r#where: TrustStore,
}

/// The program to restart.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct RestartRequest {
    part: ProgramName,
}

/// A supervised program.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum ProgramName {
    Server,
    Agent,
}

/// Sends one request to the agent's local API, below `/api/` only.
#[tauri::command]
pub(crate) async fn agent_request(
    agent: State<'_, Arc<AgentClient>>,
    Arguments(request): Arguments<ApiRequest>,
) -> Result<ApiResponse> {
    agent.request(&request.method, &request.path, request.body).await
}

/// Sends one request to a collection of the management API, with the key added.
#[tauri::command]
pub(crate) async fn management_request(
    management: State<'_, ManagementClient>,
    Arguments(request): Arguments<ApiRequest>,
) -> Result<ApiResponse> {
    management.request(&request.method, &request.path, request.body).await
}

/// Reads a range of a captured body, below `/api/` only. The bytes follow a status and a total length of 12 bytes.
#[tauri::command]
pub(crate) async fn agent_bytes(
    agent: State<'_, Arc<AgentClient>>,
    Arguments(range): Arguments<BodyRange>,
) -> Result<Bytes> {
    agent.read_range(&range.path, range.from, range.to).await.map(Bytes)
}

#[tauri::command]
pub(crate) async fn desktop_state(state: State<'_, Arc<AppState>>) -> Result<DesktopState> {
    Ok(state.desktop())
}

/// Opens the inspector window. The command is `async` because creating a window in a synchronous command blocks.
#[tauri::command]
pub(crate) async fn open_inspector(app: AppHandle, Arguments(target): Arguments<InspectorTarget>) -> Result<()> {
    windows::show_inspector(&app, &target)
}

/// Opens an `http` or `https` URL in the user's browser.
#[tauri::command]
pub(crate) async fn open_external(Arguments(ExternalUrl { url }): Arguments<ExternalUrl>) -> Result<()> {
    let url = parse_web_url(&url)?;
    external::open(url.as_str())
        .await
        .map_err(|error| DesktopError::local(format!("The browser could not be opened for {url}"), error))
}

#[tauri::command]
pub(crate) async fn copy_text(
    clipboard: State<'_, AppClipboard>,
    Arguments(copied): Arguments<CopiedText>,
) -> Result<()> {
    clipboard.copy(&copied.text)
}

/// Makes this computer trust certificates of the local authority. The outcome lists what was done and what failed.
#[tauri::command]
pub(crate) async fn trust_authority(
    config: State<'_, Arc<AppConfig>>,
    state: State<'_, Arc<AppState>>,
    Arguments(request): Arguments<TrustRequest>,
) -> Result<TrustOutcome> {
    let outcome = trust::trust(&config.paths.authority(), request.r#where).await;
    answer_trust_offer(&config, &state).await;
    outcome
}

/// Removes the local authority from all certificate stores.
#[tauri::command]
pub(crate) async fn untrust_authority(
    config: State<'_, Arc<AppConfig>>,
    state: State<'_, Arc<AppState>>,
) -> Result<TrustOutcome> {
    let outcome = trust::untrust(&config.paths.authority()).await;
    answer_trust_offer(&config, &state).await;
    outcome
}

/// Dismisses the offer to trust the local authority.
#[tauri::command]
pub(crate) async fn dismiss_trust_offer(
    config: State<'_, Arc<AppConfig>>,
    state: State<'_, Arc<AppState>>,
) -> Result<()> {
    answer_trust_offer(&config, &state).await;
    Ok(())
}

async fn answer_trust_offer(config: &AppConfig, state: &AppState) {
    config.settings.update(|settings| settings.trust_offer_answered = true);
    trust::refresh_state(config, state).await;
}

#[tauri::command]
pub(crate) async fn restart_part(
    supervisor: State<'_, Arc<Supervisor>>,
    Arguments(request): Arguments<RestartRequest>,
) -> Result<()> {
    let accepted = match request.part {
        ProgramName::Server => supervisor.restart_server(),
        ProgramName::Agent => supervisor.restart_agent(),
    };
    if accepted {
        return Ok(());
    }
    Err(DesktopError::new(Code::Unavailable, "This program is not started by the app, or is already restarting."))
}

#[tauri::command]
pub(crate) async fn reveal_logs(config: State<'_, Arc<AppConfig>>) -> Result<()> {
    storage::show_logs(&config.paths).await
}

#[tauri::command]
pub(crate) async fn quit(app: AppHandle) -> Result<()> {
    let handle = app.clone();
    app.run_on_main_thread(move || shutdown::quit(&handle))
        .map_err(|error| DesktopError::local("Postern cannot quit", error))
}

fn parse_web_url(text: &str) -> Result<Url> {
    Url::parse(text).ok().filter(|url| matches!(url.scheme(), "http" | "https") && url.has_host()).ok_or_else(|| {
        DesktopError::new(Code::AddressFormat, "Only URLs that begin with http:// or https:// open in the browser.")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_web_urls_open_in_the_browser() {
        assert!(parse_web_url("https://site.localhost:4443/").is_ok());
        for other in ["file:///etc/passwd", "javascript:alert(1)", "ssh://host", "/usr/bin/true", "", "https://"] {
            assert!(parse_web_url(other).is_err(), "{other:?} was allowed");
        }
    }
}
