//! Notifications over the session bus. Without anybody there who shows them, nothing happens.

use super::{Kind, Note, clicked};
use futures::StreamExt;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use tauri::AppHandle;
use zbus::proxy;
use zbus::zvariant::Value;

#[proxy(
    interface = "org.freedesktop.Notifications",
    default_service = "org.freedesktop.Notifications",
    default_path = "/org/freedesktop/Notifications"
)]
trait Notifications {
    #[allow(clippy::too_many_arguments, reason = "the interface has these")]
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

/// The way to whoever shows notes.
pub(super) struct Post {
    proxy: Option<NotificationsProxy<'static>>,
    /// The note of each kind that may be on the screen.
    shown: Shown,
}

/// The numbers of notes; clicks on those of other programs may be told to us as well.
type Shown = Arc<Mutex<HashMap<Kind, u32>>>;

impl Post {
    pub(super) async fn open(app: AppHandle) -> Post {
        let shown = Shown::default();
        let proxy = connect(app, shown.clone()).await;
        if let Err(error) = &proxy {
            tracing::info!(%error, "no notifications");
        }
        Post { proxy: proxy.ok(), shown }
    }

    /// Shows a note in the place of the one before of its kind.
    pub(super) async fn send(&mut self, note: &Note) {
        let Some(proxy) = &self.proxy else { return };
        let replaces = lock(&self.shown).get(&note.kind).copied().unwrap_or(0);
        // Some read the text as markup, others show every letter: what they say decides.
        let marked_up = proxy.get_capabilities().await.is_ok_and(|all| all.iter().any(|one| one == "body-markup"));
        let text = if marked_up { escaped(&note.text) } else { note.text.clone() };
        let hints = HashMap::from([("desktop-entry", Value::from("Postern"))]);
        let sent = proxy.notify(
            "Postern",
            replaces,
            "postern-desktop",
            &note.title,
            &text,
            &["default", "Open Postern"],
            hints,
            -1,
        );
        match sent.await {
            Ok(id) => {
                lock(&self.shown).insert(note.kind, id);
            }
            Err(error) => tracing::debug!(%error, "a notification was not shown"),
        }
    }

    /// Takes a note from the screen that is true no longer.
    pub(super) async fn withdraw(&mut self, kind: Kind) {
        let id = lock(&self.shown).remove(&kind);
        if let (Some(proxy), Some(id)) = (&self.proxy, id) {
            let _ = proxy.close_notification(id).await;
        }
    }
}

fn lock(shown: &Shown) -> std::sync::MutexGuard<'_, HashMap<Kind, u32>> {
    shown.lock().unwrap_or_else(PoisonError::into_inner)
}

async fn connect(app: AppHandle, shown: Shown) -> zbus::Result<NotificationsProxy<'static>> {
    let proxy = NotificationsProxy::new(&zbus::Connection::session().await?).await?;
    let mut clicks = proxy.receive_action_invoked().await?;
    tauri::async_runtime::spawn(async move {
        while let Some(click) = clicks.next().await {
            let own = |id| lock(&shown).values().any(|known| *known == id);
            if click.args().is_ok_and(|args| args.action_key == "default" && own(args.id)) {
                clicked(&app);
            }
        }
    });
    Ok(proxy)
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markup_of_strangers_is_text() {
        assert_eq!(escaped("<b>a & b</b>"), "&lt;b&gt;a &amp; b&lt;/b&gt;");
    }
}
