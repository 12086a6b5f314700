//! What a person may choose about the app itself: whether it starts with the session, and what it tells.

use crate::desk::Desk;
use crate::failure::{Failure, Result};
use crate::notifications::Wanted;
use serde::Serialize;
use std::sync::Arc;
use tauri::{AppHandle, State};
use tauri_plugin_autostart::ManagerExt;

/// How the choices stand.
#[derive(Debug, Serialize)]
pub(crate) struct Preferences {
    /// Whether the session starts the app; `None` where that cannot be known.
    autostart: Option<bool>,
    notifications: Wanted,
}

#[tauri::command]
pub(crate) async fn preferences(app: AppHandle, desk: State<'_, Arc<Desk>>) -> Result<Preferences> {
    Ok(Preferences {
        autostart: app.autolaunch().is_enabled().ok(),
        notifications: desk.settings.facts().notifications,
    })
}

/// Has the session start the app, hidden in the tray, or no longer.
#[tauri::command]
pub(crate) async fn set_autostart(app: AppHandle, on: bool) -> Result<()> {
    let starter = app.autolaunch();
    let done = match (on, starter.is_enabled()) {
        // What is not there need not be taken away.
        (false, Ok(false)) => Ok(()),
        (false, _) => starter.disable(),
        (true, _) => starter.enable(),
    };
    done.map_err(|error| Failure::local("The start with the session could not be changed", error))
}

#[tauri::command]
pub(crate) async fn set_notifications(desk: State<'_, Arc<Desk>>, wanted: Wanted) -> Result<()> {
    desk.settings.change(|facts| facts.notifications = wanted);
    Ok(())
}
