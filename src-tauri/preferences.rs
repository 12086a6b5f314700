//! The preferences of the app itself: autostart and notifications.

use crate::{
    app_config::AppConfig,
    error::{DesktopError, Result},
    ipc::Arguments,
    settings::NotificationPreferences,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use tauri::{AppHandle, State};
use tauri_plugin_autostart::ManagerExt;

/// The current preferences.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Preferences {
    /// Whether the app starts at login; `None` if that cannot be determined.
    autostart: Option<bool>,
    notifications: NotificationPreferences,
}

/// Whether the app shall start at login.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct AutostartChange {
    on: bool,
}

/// The kinds of notifications that shall be shown.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct NotificationsChange {
    wanted: NotificationPreferences,
}

#[tauri::command]
pub(crate) async fn preferences(app: AppHandle, config: State<'_, Arc<AppConfig>>) -> Result<Preferences> {
    Ok(Preferences {
        autostart: app.autolaunch().is_enabled().ok(),
        notifications: config.settings.current().notifications,
    })
}

/// Switches the start at login, hidden in the tray, on or off.
#[tauri::command]
pub(crate) async fn set_autostart(app: AppHandle, Arguments(change): Arguments<AutostartChange>) -> Result<()> {
    let launcher = app.autolaunch();
    let result = match (change.on, launcher.is_enabled()) {
        // Disabling fails if there is no entry.
        (false, Ok(false)) => Ok(()),
        (false, _) => launcher.disable(),
        (true, _) => launcher.enable(),
    };
    result.map_err(|error| DesktopError::local("The start at login could not be changed", error))
}

#[tauri::command]
pub(crate) async fn set_notifications(
    config: State<'_, Arc<AppConfig>>,
    Arguments(change): Arguments<NotificationsChange>,
) -> Result<()> {
    config.settings.update(|settings| settings.notifications = change.wanted);
    Ok(())
}
