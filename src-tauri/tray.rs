//! The tray icon: the connection status, a check item for each tunnel, and actions of the app.

mod host;
mod menu;
mod wording;

pub(crate) use host::{TrayHost, watch as watch_host};

use crate::{
    agent_view::AgentView, app_config::AppConfig, app_state::AppState, clipboard::AppClipboard, error::Result,
    shutdown, storage, supervision::Supervisor, tunnels::TunnelSwitch, windows,
};
use menu::{MenuAction, TrayMenu};
use std::{
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};
use tauri::{
    AppHandle, Manager,
    image::Image,
    menu::MenuEvent,
    tray::{TrayIcon, TrayIconBuilder},
};
use wording::{Headline, TrayIconKind};

const ID: &str = "postern";
/// The start page of the console.
const CONSOLE_PAGE: &str = "overview";
/// The interval at which a countdown in the first line is updated.
const COUNTDOWN_INTERVAL: Duration = Duration::from_secs(1);

/// Shows the tray icon and keeps it up to date while the app runs.
///
/// A desktop without a tray is not an error: the windows have the same functions.
pub(crate) fn start(app: &AppHandle, config: &Arc<AppConfig>, state: &Arc<AppState>) {
    match build(app, state) {
        Ok(tray) => {
            tauri::async_runtime::spawn(keep_up_to_date(app.clone(), config.clone(), state.clone(), tray));
        }
        Err(error) => tracing::warn!(%error, "the tray icon cannot be created; Postern runs without it"),
    }
}

/// The icon and its menu.
struct Tray {
    icon: TrayIcon,
    menu: TrayMenu,
    icon_kind: TrayIconKind,
}

fn build(app: &AppHandle, state: &AppState) -> tauri::Result<Tray> {
    let menu = TrayMenu::build(app, &state.agent_view())?;
    let icon_kind = TrayIconKind::Connecting;
    let icon = TrayIconBuilder::with_id(ID)
        .icon(image(icon_kind))
        .tooltip("Postern: Starting…")
        .menu(&menu.menu)
        .show_menu_on_left_click(true)
        .on_menu_event(|app, event| on_menu_event(app, &event))
        .build(app)?;
    Ok(Tray { icon, menu, icon_kind })
}

async fn keep_up_to_date(app: AppHandle, config: Arc<AppConfig>, state: Arc<AppState>, tray: Tray) {
    let tray = Arc::new(Mutex::new(tray));
    let (mut desktop, mut agent) = (state.subscribe_desktop(), state.subscribe_agent());
    loop {
        let view = agent.borrow_and_update().clone();
        let desktop_state = desktop.borrow_and_update().clone();
        let paused = !config.settings.current().paused.is_empty();
        let headline = wording::headline(&desktop_state, &view, paused, postern_api::clock::now());
        let counts_down = headline.counts_down;
        let (tray, handle) = (tray.clone(), app.clone());
        let _ = app.run_on_main_thread(move || {
            let mut tray = tray.lock().unwrap_or_else(PoisonError::into_inner);
            if let Err(error) = tray.draw(&handle, &headline, &view, paused) {
                tracing::warn!(%error, "the tray cannot be updated");
            }
        });
        tokio::select! {
            changed = desktop.changed() => if changed.is_err() { return },
            changed = agent.changed() => if changed.is_err() { return },
            () = tokio::time::sleep(COUNTDOWN_INTERVAL), if counts_down => {}
        }
    }
}

impl Tray {
    fn draw(&mut self, app: &AppHandle, headline: &Headline, view: &AgentView, paused: bool) -> tauri::Result<()> {
        if !self.menu.matches(view) {
            self.menu = TrayMenu::build(app, view)?;
            self.menu.update(&headline.text, view, paused)?;
            self.icon.set_menu(Some(self.menu.menu.clone()))?;
        } else {
            self.menu.update(&headline.text, view, paused)?;
        }
        if self.icon_kind != headline.icon {
            self.icon.set_icon(Some(image(headline.icon)))?;
            self.icon_kind = headline.icon;
        }
        self.icon.set_tooltip(Some(format!("Postern: {}", headline.text)))
    }
}

fn image(icon: TrayIconKind) -> Image<'static> {
    match icon {
        TrayIconKind::Online => tauri::include_image!("icons/tray/online.png"),
        TrayIconKind::Connecting => tauri::include_image!("icons/tray/connecting.png"),
        TrayIconKind::Offline => tauri::include_image!("icons/tray/offline.png"),
        TrayIconKind::Paused => tauri::include_image!("icons/tray/paused.png"),
    }
}

fn on_menu_event(app: &AppHandle, event: &MenuEvent) {
    let Some(action) = MenuAction::from_id(event.id().as_ref()) else { return };
    tracing::debug!(?action, "tray menu");
    match action {
        MenuAction::Open => log_error("open", windows::show_main(app)),
        MenuAction::Console => log_error("console", windows::show_page(app, CONSOLE_PAGE)),
        MenuAction::Restart => {
            if !app.state::<Arc<Supervisor>>().restart_agent() {
                tracing::warn!("the agent is already restarting");
            }
        }
        MenuAction::Inspector => {
            log_error("inspector", windows::show_inspector(app, &windows::InspectorTarget::default()))
        }
        MenuAction::Logs => {
            let config = app.state::<Arc<AppConfig>>().inner().clone();
            tauri::async_runtime::spawn(async move { log_error("logs", storage::show_logs(&config.paths).await) });
        }
        MenuAction::Quit => shutdown::quit(app),
        MenuAction::Pause => {
            let tunnels = app.state::<TunnelSwitch>().inner().clone();
            let paused = !app.state::<Arc<AppConfig>>().settings.current().paused.is_empty();
            run(app, async move { if paused { tunnels.resume().await } else { tunnels.pause_all().await } });
        }
        MenuAction::Tunnel(name) => {
            let tunnels = app.state::<TunnelSwitch>().inner().clone();
            let view = app.state::<Arc<AppState>>().agent_view();
            let on = view.tunnels.iter().any(|tunnel| tunnel.name == name && tunnel.is_on());
            run(app, async move { tunnels.set(&name, !on).await });
        }
        MenuAction::Copy(name) => {
            let view = app.state::<Arc<AppState>>().agent_view();
            let tunnel = view.tunnels.into_iter().find(|tunnel| tunnel.name == name);
            if let Some(address) = tunnel.and_then(|tunnel| tunnel.public_url) {
                let handle = app.clone();
                run(app, async move { handle.state::<AppClipboard>().copy(&address) });
            }
        }
    }
}

/// Runs the action of a menu item. An error brings up the main window, which shows the reason beside the tunnel.
fn run(app: &AppHandle, action: impl Future<Output = Result<()>> + Send + 'static) {
    let app = app.clone();
    tauri::async_runtime::spawn(async move {
        let result = action.await;
        // The click has toggled the check mark; drawing again corrects it.
        app.state::<Arc<AppState>>().renotify_agent_view();
        if let Err(error) = result {
            tracing::warn!(%error, "the action of the tray menu failed");
            let handle = app.clone();
            let _ = app.run_on_main_thread(move || log_error("open", windows::show_main(&handle)));
        }
    });
}

fn log_error(action: &str, result: Result<()>) {
    if let Err(error) = result {
        tracing::warn!(%error, action, "the action of the tray menu failed");
    }
}
