//! Ordered shutdown: the programs that the app started end before the app, on Quit, on a signal and at logout.

use crate::{app_state::AppState, supervision::Supervisor};
use std::sync::Arc;
use tauri::{AppHandle, Manager};

/// Ends the programs that the app started, then the app. A second call does nothing.
pub(crate) fn quit(app: &AppHandle) {
    shut_down(app, |app| app.exit(0));
}

/// Ends the programs that the app started, then restarts the app, for example with new settings.
pub(crate) fn restart(app: &AppHandle) {
    shut_down(app, AppHandle::request_restart);
}

fn shut_down(app: &AppHandle, finish: impl FnOnce(&AppHandle) + Send + 'static) {
    if !app.state::<Arc<AppState>>().begin_shutdown() {
        return;
    }
    tracing::info!("shutting down");
    // The windows can do nothing from here on.
    for window in app.webview_windows().into_values() {
        let _ = window.hide();
    }
    let app = app.clone();
    let supervisor = app.state::<Arc<Supervisor>>().inner().clone();
    tauri::async_runtime::spawn(async move {
        supervisor.stop_all().await;
        tracing::info!("all programs that the app started have ended");
        finish(&app);
    });
}

/// Quits on SIGTERM, SIGINT and SIGHUP.
#[cfg(unix)]
pub(crate) async fn quit_on_signals(app: AppHandle) {
    use tokio::signal::unix::{SignalKind, signal};
    let streams = [SignalKind::terminate(), SignalKind::interrupt(), SignalKind::hangup()].map(signal);
    let [Ok(mut terminate), Ok(mut interrupt), Ok(mut hangup)] = streams else {
        tracing::error!("signals cannot be handled; a SIGTERM will end only the app");
        return;
    };
    loop {
        let name = tokio::select! {
            _ = terminate.recv() => "SIGTERM",
            _ = interrupt.recv() => "SIGINT",
            _ = hangup.recv() => "SIGHUP",
        };
        tracing::info!(name, "received a signal");
        quit(&app);
    }
}

/// Quits on Ctrl+C.
#[cfg(not(unix))]
pub(crate) async fn quit_on_signals(app: AppHandle) {
    while tokio::signal::ctrl_c().await.is_ok() {
        quit(&app);
    }
}
