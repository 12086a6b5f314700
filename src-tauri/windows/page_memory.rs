//! What the pages of the windows take in memory. They are small and hardly move.

use super::{INSPECTOR_WINDOW, MAIN_WINDOW};
use std::cell::Cell;
use tauri::{AppHandle, Manager, WebviewWindow};
use webkit2gtk::{CacheModel, HardwareAccelerationPolicy, SettingsExt, WebContextExt, WebView, WebViewExt};

thread_local! {
    /// A view on its way out of the closure that gets it.
    static VIEW: Cell<Option<WebView>> = const { Cell::new(None) };
}

/// With a graphics library each of the processes takes twice the memory. The pages come out of the program, so that they
/// need no cache.
pub(super) fn save_memory(window: &WebviewWindow) {
    let changed = window.with_webview(|webview| {
        let view = webview.inner();
        if let Some(settings) = view.settings() {
            settings.set_hardware_acceleration_policy(HardwareAccelerationPolicy::Never);
            settings.set_enable_webgl(false);
            settings.set_enable_webaudio(false);
        }
        if let Some(context) = view.context() {
            context.set_cache_model(CacheModel::DocumentViewer);
        }
    });
    if let Err(error) = changed {
        tracing::warn!(%error, "the window is drawn with a graphics library");
    }
}

/// The view of the other window, whose process can show this page as well. Must be called on the main thread.
pub(super) fn related_view(app: &AppHandle, label: &str) -> Option<WebView> {
    let other = if label == MAIN_WINDOW { INSPECTOR_WINDOW } else { MAIN_WINDOW };
    // On the main thread this is called at once.
    app.get_webview_window(other)?.with_webview(|webview| VIEW.set(Some(webview.inner()))).ok()?;
    VIEW.take()
}
