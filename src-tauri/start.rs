//! Putting the app together: one desk, the parts, the windows, the tray.

use crate::clipboard::Copying;
use crate::desk::Desk;
use crate::failure::{Failure, Result};
use crate::management_api::HeldKey;
use crate::places::{Addresses, Places};
use crate::settings::{Facts, Settings};
use crate::state::{AuthorityState, Condition, Mode, State};
use crate::supervision::{self, OrderBook, Record, session_watch};
use crate::tray::{self, TrayHost};
use crate::{
    agent_configuration, commands, events, journal, links, notifications, preferences, private_file, quit, remote,
    storage, trust, tunnels, windows,
};
use std::io::Write;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;
use tauri::{AppHandle, Manager, RunEvent, WindowEvent, Wry};
use tauri_plugin_window_state::StateFlags;
use tokio::sync::watch;

/// The argument with which a session starts the app: in the tray, without a window.
const HIDDEN: &str = "--hidden";
/// How long a tray may take to come up with the session.
const TRAY_PATIENCE: Duration = Duration::from_secs(15);

/// Runs the app until the person, a signal or the session ends it.
pub(crate) fn run() -> ExitCode {
    match prepare().and_then(|(desk, book)| build(desk, book)) {
        Ok(app) => {
            app.run(on_event);
            ExitCode::SUCCESS
        }
        Err(failure) => {
            tracing::error!(%failure, "cannot start");
            let _ = writeln!(std::io::stderr(), "postern-desktop: {failure}");
            ExitCode::FAILURE
        }
    }
}

fn prepare() -> Result<(Arc<Desk>, OrderBook)> {
    let places = Places::find()?;
    private_file::make_folder(&places.desktop)
        .map_err(|error| Failure::local(format!("The folder {} cannot be made", places.desktop.display()), error))?;
    journal::begin(&places.logs());
    // For the agent and the server on this computer, in plain HTTP: reading all authorities of the system would hold the
    // first window up.
    let http = reqwest::Client::builder()
        .no_proxy()
        .tls_certs_only([])
        .redirect(reqwest::redirect::Policy::none())
        .connect_timeout(Duration::from_secs(3))
        .build()
        .map_err(|error| Failure::local("Requests to the agent cannot be made", error))?;
    let (orders, book) = supervision::orders();
    let settings = Settings::open(&places.desktop);
    let authority = AuthorityState { offered: settings.facts().trust_offer_answered, ..AuthorityState::default() };
    let facts = settings.facts();
    let state = State::new(mode(&places, &facts), authority);
    let mut management = http.clone();
    if let Some(remote) = facts.remote {
        management = remote::management_client(&places)?;
        state.change(|state| {
            state.server.address = Some(remote.address);
            state.server.api_address = Some(remote.api);
        });
    }
    let desk = Desk {
        wanted: Addresses::wanted()?,
        settings,
        state,
        management,
        view: watch::Sender::default(),
        record: Arc::new(Record::open(&places.desktop)),
        orders,
        http,
        quitting: watch::Sender::new(false),
        places,
    };
    Ok((Arc::new(desk), book))
}

/// Remote when a server elsewhere was chosen, or when the agent's configuration names a server on another computer and has a token for it.
fn mode(places: &Places, facts: &Facts) -> Mode {
    if facts.remote.is_some() {
        return Mode::Remote;
    }
    let text = std::fs::read_to_string(&places.agent_configuration).unwrap_or_default();
    let elsewhere = agent_configuration::value(&text, "server_addr")
        .is_some_and(|address| !agent_configuration::is_this_computer(&address));
    if elsewhere && agent_configuration::value(&text, "authtoken").is_some() { Mode::Remote } else { Mode::Local }
}

fn build(desk: Arc<Desk>, book: OrderBook) -> Result<tauri::App<Wry>> {
    tauri::Builder::default()
        .plugin(tauri_plugin_single_instance::init(|app, arguments, _folder| {
            let handle = app.clone();
            let _ = app.run_on_main_thread(move || begin_as_asked(&handle, &arguments));
        }))
        .plugin(tauri_plugin_autostart::Builder::new().app_name("Postern").arg(HIDDEN).build())
        .plugin(tauri_plugin_window_state::Builder::default().with_state_flags(remembered_of_windows()).build())
        .manage(desk.clone())
        .manage(Copying::default())
        .manage(HeldKey::default())
        .manage(TrayHost::default())
        .invoke_handler(tauri::generate_handler![
            commands::agent_request,
            commands::management_request,
            commands::agent_bytes,
            commands::desktop_state,
            commands::open_inspector,
            commands::open_external,
            commands::copy_text,
            commands::trust_authority,
            commands::untrust_authority,
            commands::dismiss_trust_offer,
            commands::restart_part,
            commands::reveal_logs,
            commands::quit,
            preferences::preferences,
            preferences::set_autostart,
            preferences::set_notifications,
            remote::use_remote_server,
            remote::use_local_server,
            storage::data_sizes,
            storage::log_end,
        ])
        .setup(move |app| {
            let handle = app.handle().clone();
            tray::begin(&handle, &desk);
            let arguments: Vec<String> = std::env::args().collect();
            if is_hidden(&arguments) {
                tauri::async_runtime::spawn(show_unless_there_is_a_tray(handle.clone()));
            } else {
                links::follow(&handle, &arguments)?;
            }
            tauri::async_runtime::spawn(live(handle, desk, book));
            Ok(())
        })
        .build(tauri::generate_context!())
        .map_err(|error| Failure::local("The app could not be put together", error))
}

/// A window that was hidden when the app ended must be seen at the next start, so visibility is not remembered.
fn remembered_of_windows() -> StateFlags {
    StateFlags::SIZE | StateFlags::POSITION | StateFlags::MAXIMIZED | StateFlags::FULLSCREEN
}

/// Everything that goes on beside the windows. Runs inside the runtime, which process handles need.
async fn live(app: AppHandle, desk: Arc<Desk>, book: OrderBook) {
    tokio::spawn(quit::on_signals(app.clone()));
    tokio::spawn(tray::watch_host(app.clone()));
    tokio::spawn(events::announce_state(desk.clone(), app.clone()));
    let mouth = notifications::begin(&app, &desk);
    tokio::spawn(events::follow(desk.clone(), app.clone(), mouth));
    tokio::spawn(tunnels::remember(desk.clone()));
    match desk.state.now().server.mode {
        Mode::Remote => drop(tokio::spawn(events::judge_remote_server(desk.clone()))),
        Mode::Local => drop(tokio::spawn(look_at_trust(desk.clone()))),
    }
    session_watch::begin(&desk.record, &desk.places.desktop).await;
    supervision::begin(&desk, book);
}

/// The authority appears with the server's first start, and may be another one after a restart.
async fn look_at_trust(desk: Arc<Desk>) {
    let mut state = desk.state.watch();
    let mut seen = None;
    loop {
        let server = state.borrow_and_update().server.clone();
        if server.state == Condition::Running && seen != server.pid {
            seen = server.pid;
            trust::look_again(&desk).await;
        }
        if state.changed().await.is_err() {
            return;
        }
    }
}

fn on_event(app: &AppHandle, event: RunEvent) {
    match event {
        // With a tray the main window only hides: tunnels stay, and the way back is in sight.
        RunEvent::WindowEvent { label, event: WindowEvent::CloseRequested { api, .. }, .. }
            if label == windows::MAIN && app.state::<TrayHost>().is_there() =>
        {
            api.prevent_close();
            if let Some(window) = app.get_webview_window(&label) {
                let _ = window.hide();
            }
        }
        // The last window was closed, and only without a tray does that mean the end.
        RunEvent::ExitRequested { code: None, api, .. } => {
            api.prevent_exit();
            if !app.state::<TrayHost>().is_there() {
                quit::quit(app);
            }
        }
        #[cfg(target_os = "macos")]
        RunEvent::Reopen { .. } => begin_as_asked(app, &[]),
        #[cfg(target_os = "macos")]
        RunEvent::Opened { urls } => {
            let links: Vec<String> = urls.iter().map(ToString::to_string).collect();
            begin_as_asked(app, &links);
        }
        _ => {}
    }
}

fn is_hidden(arguments: &[String]) -> bool {
    arguments.iter().skip(1).any(|argument| argument == HIDDEN) && links::Link::among(arguments).is_none()
}

/// At the start of a session the tray may come later than the app. Where none comes, nothing may stay hidden.
async fn show_unless_there_is_a_tray(app: AppHandle) {
    let until = tokio::time::Instant::now() + TRAY_PATIENCE;
    while tokio::time::Instant::now() < until {
        if app.state::<TrayHost>().is_there() {
            return;
        }
        tokio::time::sleep(Duration::from_millis(200)).await;
    }
    let handle = app.clone();
    let _ = app.run_on_main_thread(move || begin_as_asked(&handle, &[]));
}

/// Shows what another start of the program asked for. One that was to stay hidden asks for nothing.
fn begin_as_asked(app: &AppHandle, arguments: &[String]) {
    if is_hidden(arguments) {
        return;
    }
    if let Err(failure) = links::follow(app, arguments) {
        tracing::warn!(%failure, "the window asked for cannot be shown");
    }
}
