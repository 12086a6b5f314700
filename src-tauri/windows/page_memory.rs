//! What the pages of the windows take in memory. They are small and hardly move.

use super::{INSPECTOR_WINDOW, MAIN_WINDOW};
use std::{cell::Cell, sync::Once};
use tauri::{AppHandle, Manager, WebviewWindow};
use webkit2gtk::{
    CacheModel, HardwareAccelerationPolicy, SettingsExt, WebContext, WebContextExt, WebView, WebViewExt, glib,
};

/// Where EGL looks for graphics drivers.
const GRAPHICS_DRIVERS: &str = "__EGL_VENDOR_LIBRARY_FILENAMES";

thread_local! {
    /// A view on its way out of the closure that gets it.
    static VIEW: Cell<Option<WebView>> = const { Cell::new(None) };
}

/// Has EGL find no graphics drivers in this process: it looks for them once, when the first view is created. This process
/// only copies pixels to the screen, and the drivers would take 35 MiB. The processes of the pages do not start without
/// drivers, so that they must not inherit this. Must be called on the main thread, before the first view; a view of a
/// context of its own has no processes yet.
pub(super) fn keep_graphics_drivers_out() {
    static DONE: Once = Once::new();
    DONE.call_once(|| {
        if glib::getenv(GRAPHICS_DRIVERS).is_some() || glib::setenv(GRAPHICS_DRIVERS, "/dev/null", false).is_err() {
            return;
        }
        drop(WebView::with_context(&WebContext::new_ephemeral()));
        glib::unsetenv(GRAPHICS_DRIVERS);
    });
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
