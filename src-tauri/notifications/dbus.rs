//! Notifications over the session bus (freedesktop.org Desktop Notifications Specification).
//!
//! Without a notification server nothing is shown.

use super::notification::{Notification, NotificationKind};
use futures::StreamExt;
use postern_api::html;
use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
};
use zbus::{proxy, zvariant::Value};

#[proxy(
    interface = "org.freedesktop.Notifications",
    default_service = "org.freedesktop.Notifications",
    default_path = "/org/freedesktop/Notifications"
)]
trait Notifications {
    #[expect(clippy::too_many_arguments, reason = "the D-Bus interface has this signature")]
    fn notify(
        &self,
        app_name: &str,
        replaces_id: u32,
        app_icon: &str,
        summary: &str,
        body: &str,
        actions: &[&str],
        hints: HashMap<&str, Value<'_>>,
        expire_timeout: i32,
    ) -> zbus::Result<u32>;

    fn close_notification(&self, id: u32) -> zbus::Result<()>;

    fn get_capabilities(&self) -> zbus::Result<Vec<String>>;

    #[zbus(signal)]
    fn action_invoked(&self, id: u32, action_key: &str) -> zbus::Result<()>;
}

/// Shows notifications through the notification server.
pub(super) struct Notifier {
    proxy: Option<NotificationsProxy<'static>>,
    /// The notification of each kind that may be on the screen.
    shown: ShownIds,
}

/// The ids of shown notifications: the signal for clicks may name those of other programs too.
type ShownIds = Arc<Mutex<HashMap<NotificationKind, u32>>>;

impl Notifier {
    pub(super) async fn open(on_click: impl Fn() + Send + Sync + 'static) -> Notifier {
        let shown = ShownIds::default();
        let proxy = connect(on_click, shown.clone()).await;
        if let Err(error) = &proxy {
            tracing::info!(%error, "notifications are not available");
        }
        Notifier { proxy: proxy.ok(), shown }
    }

    /// Shows a notification, which replaces the previous one of its kind.
    pub(super) async fn show(&mut self, notification: &Notification) {
        let Some(proxy) = &self.proxy else { return };
        let replaces = lock(&self.shown).get(&notification.kind).copied().unwrap_or(0);
        // The capabilities tell whether the server reads the text as markup.
        let has_markup = proxy.get_capabilities().await.is_ok_and(|all| all.iter().any(|one| one == "body-markup"));
        let text = if has_markup { html::escape(&notification.text) } else { notification.text.clone() };
        let hints = HashMap::from([("desktop-entry", Value::from("Postern"))]);
        let sent = proxy.notify(
            "Postern",
            replaces,
            "postern-desktop",
            &notification.title,
            &text,
            &["default", "Open Postern"],
            hints,
            -1,
        );
        match sent.await {
            Ok(id) => {
                lock(&self.shown).insert(notification.kind, id);
            }
            Err(error) => tracing::debug!(%error, "a notification was not shown"),
        }
    }

    /// Removes the notification of this kind from the screen.
    pub(super) async fn withdraw(&mut self, kind: NotificationKind) {
        let id = lock(&self.shown).remove(&kind);
        if let (Some(proxy), Some(id)) = (&self.proxy, id) {
            let _ = proxy.close_notification(id).await;
        }
    }
}

fn lock(shown: &ShownIds) -> std::sync::MutexGuard<'_, HashMap<NotificationKind, u32>> {
    shown.lock().unwrap_or_else(PoisonError::into_inner)
}

async fn connect(
    on_click: impl Fn() + Send + Sync + 'static,
    shown: ShownIds,
) -> zbus::Result<NotificationsProxy<'static>> {
    let proxy = NotificationsProxy::new(&zbus::Connection::session().await?).await?;
    let mut clicks = proxy.receive_action_invoked().await?;
    tauri::async_runtime::spawn(async move {
        while let Some(click) = clicks.next().await {
            let own = |id| lock(&shown).values().any(|known| *known == id);
            if click.args().is_ok_and(|args| args.action_key == "default" && own(args.id)) {
                on_click();
            }
        }
    });
    Ok(proxy)
}
