//! The main window and the inspector window. Neither can navigate away from the app's own pages.

#[cfg(target_os = "linux")]
mod page_memory;

use crate::{
    error::{DesktopError, Result},
    ipc::WindowEvent,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::{
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicU64, Ordering},
        mpsc,
    },
    time::Duration,
};
use tauri::{AppHandle, Manager, WebviewUrl, WebviewWindow, WebviewWindowBuilder};
use url::{Url, form_urlencoded::Serializer};

pub(crate) const MAIN_WINDOW: &str = "main";
pub(crate) const INSPECTOR_WINDOW: &str = "inspector";
/// Width and height in logical pixels.
const MAIN_SIZE: (f64, f64) = (1080.0, 720.0);
/// Time for which a hidden window keeps its page, which takes some hundred MiB, so that it is shown again at once.
const HIDDEN_PAGE_LIFETIME: Duration = Duration::from_secs(30);
/// Whether a page would lose something: input that was not sent, or an open dialog.
const HAS_UNSENT_INPUT: &str = "document.querySelector('[data-unsent], [role=dialog]') !== null";
/// The main window shall show this page.
pub(crate) const GO_TO: WindowEvent<String> = WindowEvent::new("go-to");
/// The inspector shall show this target.
pub(crate) const INSPECTOR_TARGET: WindowEvent<InspectorTarget> = WindowEvent::new("inspector-target");

/// The target of the inspector: the requests of a tunnel, one request, or everything.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub(crate) struct InspectorTarget {
    pub(crate) tunnel: Option<String>,
    pub(crate) request: Option<String>,
}

/// The main window while it is hidden.
#[derive(Default)]
pub(crate) struct HiddenMain {
    /// How often it was hidden or shown.
    changes: AtomicU64,
    /// What follows the `#` in the address of the page that was given up.
    fragment: Mutex<Option<String>>,
}

/// Shows the main window in front, and creates it if it was closed.
pub(crate) fn show_main(app: &AppHandle) -> Result<()> {
    if let Some(window) = app.get_webview_window(MAIN_WINDOW) {
        return bring_to_front(&window);
    }
    let former = app.state::<HiddenMain>().fragment.lock().unwrap_or_else(PoisonError::into_inner).take();
    let page = former.map_or_else(|| "index.html".to_owned(), |fragment| format!("index.html#{fragment}"));
    build(app, MAIN_WINDOW, &page, "Postern", MAIN_SIZE)
}

/// Hides the main window. If it stays hidden, its page is given up, and its memory with it; the next window shows the same
/// page.
pub(crate) fn hide_main(app: &AppHandle) {
    let Some(window) = app.get_webview_window(MAIN_WINDOW) else { return };
    let _ = window.hide();
    let hidden_at = app.state::<HiddenMain>().changes.fetch_add(1, Ordering::Relaxed) + 1;
    give_up_later(app.clone(), hidden_at);
}

fn give_up_later(app: AppHandle, hidden_at: u64) {
    tauri::async_runtime::spawn(async move {
        tokio::time::sleep(HIDDEN_PAGE_LIFETIME).await;
        let is_still_hidden =
            move |app: &AppHandle| app.state::<HiddenMain>().changes.load(Ordering::Relaxed) == hidden_at;
        let Some(window) = app.get_webview_window(MAIN_WINDOW).filter(|_| is_still_hidden(&app)) else { return };
        let _ = window.eval_with_callback(HAS_UNSENT_INPUT, move |has_input| {
            let app = app.clone();
            if has_input.trim() != "false" {
                give_up_later(app, hidden_at);
                return;
            }
            let handle = app.clone();
            let _ = app.run_on_main_thread(move || {
                if is_still_hidden(&handle) {
                    give_up_main(&handle);
                }
            });
        });
    });
}

fn give_up_main(app: &AppHandle) {
    let Some(window) = app.get_webview_window(MAIN_WINDOW) else { return };
    let fragment = window.url().ok().and_then(|url| url.fragment().map(str::to_owned));
    *app.state::<HiddenMain>().fragment.lock().unwrap_or_else(PoisonError::into_inner) = fragment;
    match window.destroy() {
        Ok(()) => tracing::info!("the page of the hidden window was given up"),
        Err(error) => tracing::warn!(%error, "the page of the hidden window is kept"),
    }
}

/// Shows a page of the main window.
pub(crate) fn show_page(app: &AppHandle, page: &str) -> Result<()> {
    match app.get_webview_window(MAIN_WINDOW) {
        Some(window) => {
            bring_to_front(&window)?;
            GO_TO.emit(&window, &page.to_owned()).map_err(|error| failed(&error))
        }
        None => build(app, MAIN_WINDOW, &format!("index.html#/{page}"), "Postern", MAIN_SIZE),
    }
}

/// Shows the target in the inspector window.
pub(crate) fn show_inspector(app: &AppHandle, target: &InspectorTarget) -> Result<()> {
    if let Some(window) = app.get_webview_window(INSPECTOR_WINDOW) {
        bring_to_front(&window)?;
        return INSPECTOR_TARGET.emit(&window, target).map_err(|error| failed(&error));
    }
    let mut query = Serializer::new(String::new());
    if let Some(tunnel) = &target.tunnel {
        query.append_pair("tunnel", tunnel);
    }
    if let Some(request) = &target.request {
        query.append_pair("request", request);
    }
    let query = query.finish();
    let page = if query.is_empty() { "inspector.html".to_owned() } else { format!("inspector.html?{query}") };
    build(app, INSPECTOR_WINDOW, &page, "Postern inspector", (1200.0, 780.0))
}

fn build(app: &AppHandle, label: &'static str, page: &str, title: &'static str, size: (f64, f64)) -> Result<()> {
    let page = WebviewUrl::App(page.into());
    let (sender, built) = mpsc::channel();
    let handle = app.clone();
    // Views belong to the main thread, where this is called at once.
    app.run_on_main_thread(move || {
        let _ = sender.send(build_here(&handle, label, page, title, size));
    })
    .and_then(|()| built.recv().unwrap_or(Err(tauri::Error::FailedToReceiveMessage)))
    .map_err(|error| failed(&error))
}

fn build_here(
    app: &AppHandle,
    label: &str,
    page: WebviewUrl,
    title: &str,
    (width, height): (f64, f64),
) -> tauri::Result<()> {
    let window = WebviewWindowBuilder::new(app, label, page)
        .title(title)
        .inner_size(width, height)
        .min_inner_size(480.0, 360.0)
        .on_navigation(is_app_page);
    #[cfg(target_os = "linux")]
    page_memory::keep_graphics_drivers_out();
    #[cfg(target_os = "linux")]
    let window = match page_memory::related_view(app, label) {
        Some(view) => window.with_related_view(view),
        None => window,
    };
    let window = window.build()?;
    #[cfg(target_os = "linux")]
    page_memory::save_memory(&window);
    #[cfg(not(target_os = "linux"))]
    drop(window);
    Ok(())
}

/// Captured content must never replace a page that is allowed to call commands.
fn is_app_page(url: &Url) -> bool {
    let own_host = matches!(url.host_str(), Some("localhost" | "tauri.localhost"));
    (url.scheme() == "tauri" && own_host) || (url.host_str() == Some("tauri.localhost"))
}

fn bring_to_front(window: &WebviewWindow) -> Result<()> {
    window.state::<HiddenMain>().changes.fetch_add(1, Ordering::Relaxed);
    window.show().and_then(|()| window.unminimize()).and_then(|()| window.set_focus()).map_err(|error| failed(&error))
}

fn failed(error: &tauri::Error) -> DesktopError {
    DesktopError::local("The window cannot be shown", error)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_window_navigates_only_to_the_apps_own_pages() {
        for own in ["tauri://localhost/", "tauri://localhost/inspector.html?tunnel=site", "http://tauri.localhost/"] {
            assert!(is_app_page(&Url::parse(own).unwrap()), "{own}");
        }
        for foreign in [
            "https://example.com/",
            "http://localhost:4040/",
            "file:///etc/passwd",
            "data:text/html,x",
            "tauri://evil/",
        ] {
            assert!(!is_app_page(&Url::parse(foreign).unwrap()), "{foreign}");
        }
    }
}
