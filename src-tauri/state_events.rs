//! Keeps the windows up to date with the desktop state, and the desktop state with a remote server.

use crate::{
    app_state::AppState,
    desktop_state::{DesktopState, RunState},
    ipc::WindowEvent,
};
use std::{sync::Arc, time::Duration};
use tauri::AppHandle;

/// The desktop state has changed.
pub(crate) const DESKTOP_STATE: WindowEvent<DesktopState> = WindowEvent::new("desktop-state");
/// The delay after which the last state is sent again.
const REPEAT_DELAY: Duration = Duration::from_secs(1);

/// Sends every change of the desktop state to the windows.
pub(crate) async fn emit_changes(state: Arc<AppState>, app: AppHandle) {
    let mut changes = state.subscribe_desktop();
    loop {
        let current = changes.borrow_and_update().clone();
        let _ = DESKTOP_STATE.emit(&app, &current);
        // The event may overtake the response to an earlier `desktop_state` command, which the page would then show.
        let changed = match tokio::time::timeout(REPEAT_DELAY, changes.changed()).await {
            Ok(changed) => changed,
            Err(_) => {
                let _ = DESKTOP_STATE.emit(&app, &current);
                changes.changed().await
            }
        };
        if changed.is_err() {
            return;
        }
    }
}

/// Derives the state of a remote server from the agent's session.
///
/// The error stays empty: it is for programs that this app supervises, and the session has its own reason.
pub(crate) async fn track_remote_server(state: Arc<AppState>) {
    let mut changes = state.subscribe_agent();
    loop {
        let view = changes.borrow_and_update().clone();
        state.update_desktop(|state| {
            state.server.state = if view.is_online() { RunState::Running } else { RunState::Starting };
            if let Some(session) = view.session {
                state.server.address = Some(session.server_addr);
            }
        });
        if changes.changed().await.is_err() {
            return;
        }
    }
}
