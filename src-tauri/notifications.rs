//! Desktop notifications for users who do not look at a window: few, rate-limited, each kind can be switched off.

#[cfg_attr(target_os = "linux", path = "notifications/dbus.rs")]
#[cfg_attr(not(target_os = "linux"), path = "notifications/native.rs")]
mod deliver;
mod notification;
mod throttle;
mod wording;

use crate::{agent_view::AgentView, app_config::AppConfig, app_state::AppState, windows};
use deliver::Notifier;
use notification::{Notification, NotificationKind};
use postern_api::{Timestamp, local::RequestSummary, resource::AuditEvent};
use std::{
    collections::VecDeque,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};
use tauri::{AppHandle, Manager};
use throttle::Throttle;
use tokio::{sync::mpsc, time::Instant};

/// Notifications beyond this many waiting ones are dropped.
const QUEUE_CAPACITY: usize = 32;
/// The number of request ids that are remembered as reported.
const MAX_REPORTED_REQUESTS: usize = 256;
/// The loss of a session is reported if it lasts longer.
const SESSION_LOSS_GRACE: Duration = Duration::from_secs(3);

/// A change of what is worth a notification.
#[derive(Debug)]
enum NotificationEvent {
    Show(Notification),
    /// The last notification of this kind no longer applies.
    Clear(NotificationKind),
}

/// Says once that the app goes on when its window is closed.
#[derive(Clone)]
pub(crate) struct CloseExplanation {
    events: mpsc::Sender<NotificationEvent>,
    config: Arc<AppConfig>,
    state: Arc<AppState>,
}

impl CloseExplanation {
    /// The main window was closed. Only the first time is worth a notification.
    pub(crate) fn window_closed(&self) {
        if !self.config.settings.current().close_explained {
            self.config.settings.update(|settings| settings.close_explained = true);
            let _ = self.events.try_send(NotificationEvent::Show(wording::goes_on(&self.state.agent_view())));
        }
    }
}

/// Reports failed requests of visitors from the agent's event stream.
#[derive(Clone)]
pub(crate) struct RequestObserver {
    events: mpsc::Sender<NotificationEvent>,
    /// The ids of reported requests: a pin or an annotation sends the same request again.
    reported: Arc<Mutex<VecDeque<String>>>,
}

impl RequestObserver {
    /// Examines one request of the stream.
    pub(crate) fn observe(&self, request: &RequestSummary<'_>) {
        if let Some(notification) = wording::failed_request(request)
            && self.mark_reported(&request.id)
        {
            let _ = self.events.try_send(NotificationEvent::Show(notification));
        }
    }

    /// Returns false if the request was already reported.
    fn mark_reported(&self, id: &str) -> bool {
        let mut reported = self.reported.lock().unwrap_or_else(PoisonError::into_inner);
        if reported.iter().any(|known| known == id) {
            return false;
        }
        if reported.len() == MAX_REPORTED_REQUESTS {
            reported.pop_front();
        }
        reported.push_back(id.to_owned());
        true
    }
}

/// Reports certificates of the server that expire soon, from its events.
#[derive(Clone)]
pub(crate) struct CertificateObserver {
    events: mpsc::Sender<NotificationEvent>,
}

impl CertificateObserver {
    /// Reports one event.
    pub(crate) fn observe(&self, event: &AuditEvent) {
        if let Some(notification) = wording::expiring_certificate(event, Timestamp::now()) {
            let _ = self.events.try_send(NotificationEvent::Show(notification));
        }
    }
}

/// Starts notifications for as long as the app runs.
pub(crate) fn start(
    app: &AppHandle,
    config: &Arc<AppConfig>,
    state: &Arc<AppState>,
) -> (RequestObserver, CertificateObserver) {
    let (events, receiver) = mpsc::channel(QUEUE_CAPACITY);
    tauri::async_runtime::spawn(watch_agent(state.clone(), events.clone()));
    tauri::async_runtime::spawn(deliver_events(app.clone(), config.clone(), state.clone(), receiver));
    app.manage(CloseExplanation { events: events.clone(), config: config.clone(), state: state.clone() });
    (RequestObserver { events: events.clone(), reported: Arc::default() }, CertificateObserver { events })
}

/// Reports changes of the session and of the tunnels.
async fn watch_agent(state: Arc<AppState>, events: mpsc::Sender<NotificationEvent>) {
    let mut changes = state.subscribe_agent();
    let mut previous = AgentView::default();
    let mut reported_offline = false;
    loop {
        let view = changes.borrow_and_update().clone();
        for notification in wording::failed_tunnels(&previous, &view) {
            let _ = events.send(NotificationEvent::Show(notification)).await;
        }
        if wording::no_tunnel_failed(&view) {
            let _ = events.send(NotificationEvent::Clear(NotificationKind::Tunnels)).await;
        }
        if reported_offline && view.is_online() {
            reported_offline = false;
            let _ = events.send(NotificationEvent::Show(wording::online_again(&view))).await;
        }
        let was_online = previous.is_online();
        // A restarted agent does not know the session of its predecessor.
        previous = if view.connected { view.clone() } else { AgentView { connected: false, ..previous } };
        if was_online && view.connected && !view.is_online() && !state.is_shutting_down() {
            let lost = tokio::time::timeout(SESSION_LOSS_GRACE, changes.wait_for(AgentView::is_online)).await.is_err();
            if lost {
                reported_offline = true;
                let _ = events.send(NotificationEvent::Show(wording::offline(&state.agent_view()))).await;
            }
            continue;
        }
        if changes.changed().await.is_err() {
            return;
        }
    }
}

async fn deliver_events(
    app: AppHandle,
    config: Arc<AppConfig>,
    state: Arc<AppState>,
    mut events: mpsc::Receiver<NotificationEvent>,
) {
    let handle = app.clone();
    let mut notifier = Notifier::open(move || show_main_window(&handle)).await;
    let mut throttle = Throttle::default();
    loop {
        let delay = throttle.next_due(Instant::now());
        let event = tokio::select! {
            event = events.recv() => match event {
                Some(event) => Some(event),
                None => return,
            },
            () = tokio::time::sleep(delay.unwrap_or(Duration::MAX)), if delay.is_some() => None,
        };
        match event {
            Some(NotificationEvent::Show(notification)) => throttle.push(notification),
            Some(NotificationEvent::Clear(kind)) => {
                throttle.clear(kind);
                notifier.withdraw(kind).await;
            }
            None => {}
        }
        for notification in throttle.take_due(Instant::now()) {
            let enabled = notification.kind.is_enabled(config.settings.current().notifications);
            if enabled && !state.is_shutting_down() && !is_window_visible(&app) {
                tracing::info!(kind = ?notification.kind, title = notification.title, "notification");
                notifier.show(&notification).await;
            }
        }
    }
}

/// Whether a window of the app is visible, which shows the same itself.
fn is_window_visible(app: &AppHandle) -> bool {
    app.webview_windows()
        .values()
        .any(|window| window.is_visible().unwrap_or(false) && !window.is_minimized().unwrap_or(false))
}

fn show_main_window(app: &AppHandle) {
    let handle = app.clone();
    let _ = app.run_on_main_thread(move || {
        if let Err(error) = windows::show_main(&handle) {
            tracing::warn!(%error, "the main window cannot be shown");
        }
    });
}
