//! What the windows may ask of the app. Short on purpose: everything else goes over the agent's own API.

use crate::agent_api::{self, Answer};
use crate::clipboard::Copying;
use crate::desk::Desk;
use crate::failure::{Failure, Result};
use crate::management_api::{self, HeldKey};
use crate::state::DesktopState;
use crate::supervision::Order;
use crate::trust::{self, Outcome, Where};
use crate::windows::{self, Target};
use crate::{private_file, quit as ending};
use postern_api::Code;
use serde::Deserialize;
use std::sync::Arc;
use tauri::{AppHandle, State};
use url::Url;

type TheDesk<'a> = State<'a, Arc<Desk>>;

/// Server or agent.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum PartName {
    Server,
    Agent,
}

/// One request to the agent's local API, below `/api/` only.
#[tauri::command]
pub(crate) async fn agent_request(
    desk: TheDesk<'_>,
    method: String,
    path: String,
    body: Option<String>,
) -> Result<Answer> {
    agent_api::request(&desk, &method, &path, body).await
}

/// One request to the management API, to its collections only. The key is added on the way.
#[tauri::command]
pub(crate) async fn management_request(
    desk: TheDesk<'_>,
    held: State<'_, HeldKey>,
    method: String,
    path: String,
    body: Option<String>,
) -> Result<Answer> {
    management_api::request(&desk, &held, &method, &path, body).await
}

/// Bytes of a captured body, below `/api/` only; they go into the window as bytes, behind twelve that say what they are.
#[tauri::command]
pub(crate) async fn agent_bytes(desk: TheDesk<'_>, path: String, from: u64, to: u64) -> Result<tauri::ipc::Response> {
    Ok(tauri::ipc::Response::new(agent_api::bytes(&desk, &path, from, to).await?))
}

#[tauri::command]
pub(crate) fn desktop_state(desk: TheDesk<'_>) -> DesktopState {
    desk.state.now()
}

/// Opens the inspector's window; it must be `async`, or making a window inside a command would block.
#[tauri::command]
pub(crate) async fn open_inspector(app: AppHandle, tunnel: Option<String>, request: Option<String>) -> Result<()> {
    windows::show_inspector(&app, &Target { tunnel, request })
}

/// Opens a web address in the person's browser. Nothing but `http` and `https`.
#[tauri::command]
pub(crate) async fn open_external(url: String) -> Result<()> {
    let url = web_address(&url)?;
    tauri_plugin_opener::open_url(url.as_str(), None::<&str>)
        .map_err(|error| Failure::local(format!("No browser could be opened for {url}"), error))
}

#[tauri::command]
pub(crate) async fn copy_text(copying: State<'_, Copying>, text: String) -> Result<()> {
    copying.copy(&text)
}

/// Makes this computer trust certificates of the local authority. Says what was done, and what could not be.
#[tauri::command]
pub(crate) async fn trust_authority(desk: TheDesk<'_>, r#where: Where) -> Result<Outcome> {
    let outcome = trust::trust(&desk.places.authority(), r#where).await;
    answered(&desk).await;
    outcome
}

/// Takes every trust back that was given.
#[tauri::command]
pub(crate) async fn untrust_authority(desk: TheDesk<'_>) -> Result<Outcome> {
    let outcome = trust::untrust(&desk.places.authority()).await;
    answered(&desk).await;
    outcome
}

/// The offer to trust was seen and is not made again by itself.
#[tauri::command]
pub(crate) async fn dismiss_trust_offer(desk: TheDesk<'_>) -> Result<()> {
    answered(&desk).await;
    Ok(())
}

async fn answered(desk: &Desk) {
    desk.settings.change(|facts| facts.trust_offer_answered = true);
    trust::look_again(desk).await;
}

#[tauri::command]
pub(crate) async fn restart_part(desk: TheDesk<'_>, part: PartName) -> Result<()> {
    let orders = match part {
        PartName::Server => &desk.orders.server,
        PartName::Agent => &desk.orders.agent,
    };
    orders.try_send(Order::Restart).map_err(|_| {
        Failure::new(Code::Unavailable, "This part is not started by this app, or is being restarted already.")
    })
}

#[tauri::command]
pub(crate) async fn reveal_logs(desk: TheDesk<'_>) -> Result<()> {
    show_logs(&desk)
}

#[tauri::command]
pub(crate) async fn quit(app: AppHandle) -> Result<()> {
    let handle = app.clone();
    app.run_on_main_thread(move || ending::quit(&handle)).map_err(|error| Failure::local("Postern cannot quit", error))
}

/// Opens the folder of the log files.
pub(crate) fn show_logs(desk: &Desk) -> Result<()> {
    let logs = desk.places.logs();
    let failed = |error: &dyn std::fmt::Display| {
        Failure::local(format!("The logs in {} cannot be shown", logs.display()), error)
    };
    private_file::make_folder(&logs).map_err(|error| failed(&error))?;
    tauri_plugin_opener::open_path(&logs, None::<&str>).map_err(|error| failed(&error))
}

fn web_address(text: &str) -> Result<Url> {
    Url::parse(text).ok().filter(|url| matches!(url.scheme(), "http" | "https") && url.has_host()).ok_or_else(|| {
        Failure::new(
            Code::AddressFormat,
            "Only addresses that begin with http:// or https:// are opened in the browser.",
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_web_addresses_leave_the_app() {
        assert!(web_address("https://site.localhost:4443/").is_ok());
        for other in ["file:///etc/passwd", "javascript:alert(1)", "ssh://host", "/usr/bin/true", "", "https://"] {
            assert!(web_address(other).is_err(), "{other:?} was let through");
        }
    }
}
