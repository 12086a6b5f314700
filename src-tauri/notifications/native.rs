//! Notifications of macOS and Windows.

use super::notification::{Notification, NotificationKind};

/// Shows notifications through the operating system.
pub(super) struct Notifier;

impl Notifier {
    pub(super) async fn open(_on_click: impl Fn() + Send + Sync + 'static) -> Notifier {
        Notifier
    }

    pub(super) async fn show(&mut self, notification: &Notification) {
        let (title, text) = (notification.title.clone(), notification.text.clone());
        let shown = tokio::task::spawn_blocking(move || {
            notify_rust::Notification::new().appname("Postern").summary(&title).body(&text).show().map(drop)
        });
        if let Ok(Err(error)) = shown.await {
            tracing::debug!(%error, "a notification was not shown");
        }
    }

    /// Does nothing: the system keeps notifications in its own list.
    pub(super) async fn withdraw(&mut self, _kind: NotificationKind) {}
}
