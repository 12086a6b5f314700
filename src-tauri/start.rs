//! Composition of the app: configuration and state, supervised programs, windows and tray.

use crate::{
    agent_api::AgentClient,
    agent_configuration, agent_events,
    app_config::AppConfig,
    app_state::AppState,
    certificate_expiry,
    clipboard::AppClipboard,
    command_table, deep_links,
    desktop_state::{AuthorityState, DesktopState, RunState, ServerMode},
    error::{DesktopError, Result},
    logging,
    management_api::ManagementClient,
    management_key::ManagementKeys,
    notifications::{self, CloseExplanation},
    page_settings,
    paths::{AppPaths, ListenAddresses},
    remote_server,
    settings::{AppSettings, SettingsFile},
    shutdown, single_instance, state_events,
    supervision::{self, CommandReceivers, StartedProcesses, Supervisor},
    tray::{self, TrayHost},
    trust,
    tunnels::TunnelSwitch,
    windows,
};
use postern_config::private_file;
use std::{io::Write, process::ExitCode, sync::Arc, time::Duration};
use tauri::{AppHandle, Manager, RunEvent, WindowEvent, Wry};
use tauri_plugin_window_state::StateFlags;

/// The argument of the start at login: in the tray, without a window.
const HIDDEN: &str = "--hidden";
/// The time that the desktop's tray has to start at login.
const TRAY_TIMEOUT: Duration = Duration::from_secs(15);

/// Runs the app until the user, a signal or the session ends it.
pub(crate) fn run() -> ExitCode {
    page_settings::apply();
    if single_instance::hand_over() {
        return ExitCode::SUCCESS;
    }
    match prepare().and_then(build) {
        Ok(app) => {
            app.run(on_event);
            ExitCode::SUCCESS
        }
        Err(error) => {
            tracing::error!(%error, "cannot start");
            let _ = writeln!(std::io::stderr(), "postern-desktop: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Everything that exists before the windows.
struct PreparedApp {
    config: Arc<AppConfig>,
    state: Arc<AppState>,
    supervisor: Arc<Supervisor>,
    commands: CommandReceivers,
    /// For the agent and the server on this computer.
    loopback_http: reqwest::Client,
    /// For the management API, local or remote.
    management_http: reqwest::Client,
}

fn prepare() -> Result<PreparedApp> {
    let paths = AppPaths::from_env()?;
    private_file::create_folder(&paths.desktop).map_err(|error| {
        DesktopError::local(format!("The folder {} cannot be created", paths.desktop.display()), error)
    })?;
    logging::init(&paths.logs());
    let loopback_http = loopback_client()?;
    let settings = SettingsFile::open(&paths.desktop);
    let saved = settings.current();
    let authority = AuthorityState { offered: saved.trust_offer_answered, ..AuthorityState::default() };
    let mut desktop = DesktopState::new(server_mode(&paths, &saved), authority);
    let mut management_http = loopback_http.clone();
    if let Some(remote) = saved.remote {
        management_http = remote_server::management_client(&paths)?;
        desktop.server.address = Some(remote.address);
        desktop.server.api_address = Some(remote.api);
    }
    let (supervisor, commands) = Supervisor::new(StartedProcesses::open(&paths.desktop));
    Ok(PreparedApp {
        config: Arc::new(AppConfig { listen: ListenAddresses::from_env()?, settings, paths }),
        state: Arc::new(AppState::new(desktop)),
        supervisor: Arc::new(supervisor),
        commands,
        loopback_http,
        management_http,
    })
}

/// A client without redirects and proxies. It has no certificate authorities, because loading those of the system
/// would delay the first window and the programs on this computer speak plain HTTP.
fn loopback_client() -> Result<reqwest::Client> {
    reqwest::Client::builder()
        .no_proxy()
        .tls_certs_only([])
        .redirect(reqwest::redirect::Policy::none())
        .connect_timeout(Duration::from_secs(3))
        .build()
        .map_err(|error| DesktopError::local("The HTTP client for the agent cannot be created", error))
}

/// Remote if the settings name a remote server, or if the agent's configuration has one and a token for it.
fn server_mode(paths: &AppPaths, settings: &AppSettings) -> ServerMode {
    if settings.remote.is_some() {
        return ServerMode::Remote;
    }
    let text = std::fs::read_to_string(&paths.agent_configuration).unwrap_or_default();
    let is_remote = agent_configuration::top_level_value(&text, "server_addr")
        .is_some_and(|address| !agent_configuration::is_loopback(&address));
    let has_token = || agent_configuration::top_level_value(&text, "authtoken").is_some();
    if is_remote && has_token() { ServerMode::Remote } else { ServerMode::Local }
}

fn build(prepared: PreparedApp) -> Result<tauri::App<Wry>> {
    let PreparedApp { config, state, supervisor, commands, loopback_http, management_http } = prepared;
    let agent = Arc::new(AgentClient::new(state.clone(), loopback_http.clone()));
    let keys = ManagementKeys::new(config.clone(), state.clone());
    let tunnels = TunnelSwitch::new(config.clone(), state.clone(), agent.clone());
    tauri::Builder::default()
        .plugin(tauri_plugin_single_instance::init(|app, arguments, _folder| {
            let handle = app.clone();
            let _ = app.run_on_main_thread(move || show_requested_window(&handle, &arguments));
        }))
        .plugin(tauri_plugin_autostart::Builder::new().app_name("Postern").arg(HIDDEN).build())
        .plugin(tauri_plugin_window_state::Builder::default().with_state_flags(saved_window_state()).build())
        .manage(config.clone())
        .manage(state.clone())
        .manage(supervisor.clone())
        .manage(agent)
        .manage(tunnels.clone())
        .manage(ManagementClient::new(state.clone(), management_http, keys))
        .manage(AppClipboard::default())
        .manage(TrayHost::default())
        .manage(windows::HiddenMain::default())
        .invoke_handler(command_table::handler())
        .setup(move |app| {
            let handle = app.handle().clone();
            tray::start(&handle, &config, &state);
            let arguments: Vec<String> = std::env::args().collect();
            if is_hidden(&arguments) {
                tauri::async_runtime::spawn(show_window_without_tray(handle.clone()));
            } else {
                deep_links::open(&handle, &arguments)?;
            }
            tauri::async_runtime::spawn(async move {
                start_tasks(&handle, &config, &state, tunnels, &loopback_http).await;
                supervision::start(&supervisor, commands, &config, &state, &loopback_http);
            });
            Ok(())
        })
        .build(tauri::generate_context!())
        .map_err(|error| DesktopError::local("The app cannot be initialized", error))
}

/// The saved state of windows. Visibility is not saved, because a window that was hidden on Quit must be shown again.
fn saved_window_state() -> StateFlags {
    StateFlags::SIZE | StateFlags::POSITION | StateFlags::MAXIMIZED | StateFlags::FULLSCREEN
}

/// Starts the background tasks. Must run inside the runtime.
async fn start_tasks(
    app: &AppHandle,
    config: &Arc<AppConfig>,
    state: &Arc<AppState>,
    tunnels: TunnelSwitch,
    loopback_http: &reqwest::Client,
) {
    tokio::spawn(shutdown::quit_on_signals(app.clone()));
    tokio::spawn(tray::watch_host(app.clone()));
    tokio::spawn(state_events::emit_changes(state.clone(), app.clone()));
    let (requests, certificates) = notifications::start(app, config, state);
    tokio::spawn(certificate_expiry::watch(app.clone(), config.clone(), state.clone(), certificates));
    tokio::spawn(agent_events::follow(state.clone(), loopback_http.clone(), app.clone(), requests));
    tokio::spawn(tunnels.restore_and_save());
    match state.desktop().server.mode {
        ServerMode::Remote => drop(tokio::spawn(state_events::track_remote_server(state.clone()))),
        ServerMode::Local => drop(tokio::spawn(refresh_trust_after_starts(config.clone(), state.clone()))),
    }
}

/// Updates the trust in the local authority whenever the server has started, because a start may create an authority.
async fn refresh_trust_after_starts(config: Arc<AppConfig>, state: Arc<AppState>) {
    let mut changes = state.subscribe_desktop();
    let mut known_pid = None;
    loop {
        let server = changes.borrow_and_update().server.clone();
        if server.state == RunState::Running && known_pid != server.pid {
            known_pid = server.pid;
            trust::refresh_state(&config, &state).await;
        }
        if changes.changed().await.is_err() {
            return;
        }
    }
}

fn on_event(app: &AppHandle, event: RunEvent) {
    match event {
        // With a tray, closing the main window only hides it, and the tunnels stay on.
        RunEvent::WindowEvent { label, event: WindowEvent::CloseRequested { api, .. }, .. }
            if label == windows::MAIN_WINDOW && app.state::<TrayHost>().is_available() =>
        {
            api.prevent_close();
            windows::hide_main(app);
            if let Some(explanation) = app.try_state::<CloseExplanation>() {
                explanation.window_closed();
            }
        }
        // Closing the last window quits the app only without a tray.
        RunEvent::ExitRequested { code: None, api, .. } => {
            api.prevent_exit();
            if !app.state::<TrayHost>().is_available() {
                shutdown::quit(app);
            }
        }
        #[cfg(target_os = "macos")]
        RunEvent::Reopen { .. } => show_requested_window(app, &[]),
        #[cfg(target_os = "macos")]
        RunEvent::Opened { urls } => {
            let links: Vec<String> = urls.iter().map(ToString::to_string).collect();
            show_requested_window(app, &links);
        }
        _ => {}
    }
}

fn is_hidden(arguments: &[String]) -> bool {
    arguments.iter().skip(1).any(|argument| argument == HIDDEN) && deep_links::DeepLink::find(arguments).is_none()
}

/// Shows the main window after a hidden start if no tray becomes available. At login the tray may start after the app.
async fn show_window_without_tray(app: AppHandle) {
    let deadline = tokio::time::Instant::now() + TRAY_TIMEOUT;
    while tokio::time::Instant::now() < deadline {
        if app.state::<TrayHost>().is_available() {
            return;
        }
        tokio::time::sleep(Duration::from_millis(200)).await;
    }
    let handle = app.clone();
    let _ = app.run_on_main_thread(move || show_requested_window(&handle, &[]));
}

/// Shows the window that another start of the program requested; a hidden start requests none.
fn show_requested_window(app: &AppHandle, arguments: &[String]) {
    if is_hidden(arguments) {
        return;
    }
    if let Err(error) = deep_links::open(app, arguments) {
        tracing::warn!(%error, "the requested window cannot be shown");
    }
}
