//! Ending in order: what the app started ends with it, whoever asks: the person, a signal, or the session.

use crate::desk::Desk;
use crate::supervision::session_watch;
use std::sync::Arc;
use tauri::{AppHandle, Manager};

/// Ends what the app started, then the app. A second call changes nothing.
pub(crate) fn quit(app: &AppHandle) {
    end(app, |app| app.exit(0));
}

/// Ends everything in the same order, and begins anew with other settings.
pub(crate) fn start_anew(app: &AppHandle) {
    end(app, AppHandle::request_restart);
}

fn end(app: &AppHandle, last: impl FnOnce(&AppHandle) + Send + 'static) {
    let desk = app.state::<Arc<Desk>>().inner().clone();
    if desk.quitting.send_replace(true) {
        return;
    }
    tracing::info!("quitting");
    // Nobody should look at a window that can do nothing any more.
    for window in app.webview_windows().into_values() {
        let _ = window.hide();
    }
    let app = app.clone();
    tauri::async_runtime::spawn(async move {
        desk.orders.stop_all().await;
        session_watch::end(&desk.record).await;
        tracing::info!("everything the app started has ended");
        last(&app);
    });
}

/// Quits on the signals by which a system asks programs to end.
#[cfg(unix)]
pub(crate) async fn on_signals(app: AppHandle) {
    use tokio::signal::unix::{SignalKind, signal};
    let streams = [SignalKind::terminate(), SignalKind::interrupt(), SignalKind::hangup()].map(signal);
    let [Ok(mut terminate), Ok(mut interrupt), Ok(mut hangup)] = streams else {
        tracing::error!("signals cannot be heard; a SIGTERM will end the app alone");
        return;
    };
    loop {
        let name = tokio::select! {
            _ = terminate.recv() => "SIGTERM",
            _ = interrupt.recv() => "SIGINT",
            _ = hangup.recv() => "SIGHUP",
        };
        tracing::info!(name, "asked to end");
        quit(&app);
    }
}

/// Quits when the console asks programs to end.
#[cfg(not(unix))]
pub(crate) async fn on_signals(app: AppHandle) {
    while tokio::signal::ctrl_c().await.is_ok() {
        quit(&app);
    }
}
