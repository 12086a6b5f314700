//! The tray: where things stand at a glance, one check item for each tunnel, and the ways in and out.

mod host;
mod menu;
mod wording;

pub(crate) use host::{TrayHost, watch as watch_host};

use crate::agent_view::AgentView;
use crate::clipboard::Copying;
use crate::desk::Desk;
use crate::failure::Result;
use crate::supervision::Order;
use crate::{commands, quit, tunnels, windows};
use menu::{Click, TrayMenu};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tauri::image::Image;
use tauri::menu::MenuEvent;
use tauri::tray::{TrayIcon, TrayIconBuilder};
use tauri::{AppHandle, Manager};
use wording::{Face, Headline};

const ID: &str = "postern";
/// Where the console begins that is no list of tunnels.
const CONSOLE_PAGE: &str = "overview";
/// How often a countdown in the first line moves.
const TICK: Duration = Duration::from_secs(1);

/// Puts the icon into the tray and keeps it true as long as the app lives.
///
/// A desktop without a tray is no failure: everything can be reached from the windows too.
pub(crate) fn begin(app: &AppHandle, desk: &Arc<Desk>) {
    match build(app, desk) {
        Ok(tray) => {
            tauri::async_runtime::spawn(keep_true(app.clone(), desk.clone(), tray));
        }
        Err(error) => tracing::warn!(%error, "the tray icon could not be made; Postern goes on without it"),
    }
}

/// The icon, its menu and the face it shows.
struct Tray {
    icon: TrayIcon,
    menu: TrayMenu,
    face: Face,
}

fn build(app: &AppHandle, desk: &Desk) -> tauri::Result<Tray> {
    let menu = TrayMenu::build(app, &desk.view.borrow())?;
    let face = Face::Connecting;
    let icon = TrayIconBuilder::with_id(ID)
        .icon(picture(face))
        .tooltip("Postern: Starting…")
        .menu(&menu.menu)
        .show_menu_on_left_click(true)
        .on_menu_event(|app, event| clicked(app, &event))
        .build(app)?;
    Ok(Tray { icon, menu, face })
}

async fn keep_true(app: AppHandle, desk: Arc<Desk>, tray: Tray) {
    let tray = Arc::new(Mutex::new(tray));
    let (mut state, mut view) = (desk.state.watch(), desk.view.subscribe());
    loop {
        let told = view.borrow_and_update().clone();
        let stands = state.borrow_and_update().clone();
        let paused = !desk.settings.facts().paused.is_empty();
        let headline = wording::headline(&stands, &told, paused, jiff::Timestamp::now());
        let ticks = headline.ticks;
        let (tray, handle) = (tray.clone(), app.clone());
        let _ = app.run_on_main_thread(move || {
            let mut tray = tray.lock().unwrap_or_else(PoisonError::into_inner);
            if let Err(error) = tray.draw(&handle, &headline, &told, paused) {
                tracing::warn!(%error, "the tray could not be changed");
            }
        });
        tokio::select! {
            changed = state.changed() => if changed.is_err() { return },
            changed = view.changed() => if changed.is_err() { return },
            () = tokio::time::sleep(TICK), if ticks => {}
        }
    }
}

impl Tray {
    fn draw(&mut self, app: &AppHandle, headline: &Headline, view: &AgentView, paused: bool) -> tauri::Result<()> {
        if !self.menu.fits(view) {
            self.menu = TrayMenu::build(app, view)?;
            self.menu.update(&headline.text, view, paused)?;
            self.icon.set_menu(Some(self.menu.menu.clone()))?;
        } else {
            self.menu.update(&headline.text, view, paused)?;
        }
        if self.face != headline.face {
            self.icon.set_icon(Some(picture(headline.face)))?;
            self.face = headline.face;
        }
        self.icon.set_tooltip(Some(format!("Postern: {}", headline.text)))
    }
}

fn picture(face: Face) -> Image<'static> {
    match face {
        Face::Online => tauri::include_image!("icons/tray/online.png"),
        Face::Connecting => tauri::include_image!("icons/tray/connecting.png"),
        Face::Offline => tauri::include_image!("icons/tray/offline.png"),
        Face::Paused => tauri::include_image!("icons/tray/paused.png"),
    }
}

fn clicked(app: &AppHandle, event: &MenuEvent) {
    let Some(click) = Click::of(event.id().as_ref()) else { return };
    tracing::debug!(?click, "tray");
    let desk = app.state::<Arc<Desk>>().inner().clone();
    match click {
        Click::Open => warn("open", windows::show_main(app)),
        Click::Console => warn("console", windows::show_page(app, CONSOLE_PAGE)),
        Click::Restart => {
            if desk.orders.agent.try_send(Order::Restart).is_err() {
                tracing::warn!("the agent is being restarted already");
            }
        }
        Click::Inspector => warn("inspector", windows::show_inspector(app, &windows::Target::default())),
        Click::Logs => warn("logs", commands::show_logs(&desk)),
        Click::Quit => quit::quit(app),
        Click::Pause => act(app, async move {
            if desk.settings.facts().paused.is_empty() {
                tunnels::pause_all(&desk).await
            } else {
                tunnels::resume(&desk).await
            }
        }),
        Click::Tunnel(name) => act(app, async move {
            let on = desk.view.borrow().tunnels.iter().any(|tunnel| tunnel.name == name && tunnel.is_on());
            tunnels::switch(&desk, &name, !on).await
        }),
        Click::Copy(name) => {
            let view = desk.view.borrow().clone();
            let tunnel = view.tunnels.into_iter().find(|tunnel| tunnel.name == name);
            if let Some(address) = tunnel.and_then(|tunnel| tunnel.public_url) {
                let handle = app.clone();
                act(app, async move { handle.state::<Copying>().copy(&address) });
            }
        }
    }
}

/// Does what a click asked for. A failure brings the main window, where the reason stands at the tunnel.
fn act(app: &AppHandle, action: impl Future<Output = Result<()>> + Send + 'static) {
    let app = app.clone();
    tauri::async_runtime::spawn(async move {
        let done = action.await;
        // The click has set the mark by itself; drawing again makes it true.
        app.state::<Arc<Desk>>().view.send_modify(|_| {});
        if let Err(failure) = done {
            tracing::warn!(%failure, "what was asked for in the tray did not work");
            let handle = app.clone();
            let _ = app.run_on_main_thread(move || warn("open", windows::show_main(&handle)));
        }
    });
}

fn warn(what: &str, done: Result<()>) {
    if let Err(failure) = done {
        tracing::warn!(%failure, what, "what was asked for in the tray did not work");
    }
}
