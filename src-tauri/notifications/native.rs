//! Notifications of macOS and Windows.

use super::{Kind, Note};
use tauri::AppHandle;

/// The way to whoever shows notes.
pub(super) struct Post;

impl Post {
    pub(super) async fn open(_app: AppHandle) -> Post {
        Post
    }

    pub(super) async fn send(&mut self, note: &Note) {
        let (title, text) = (note.title.clone(), note.text.clone());
        let shown = tokio::task::spawn_blocking(move || {
            notify_rust::Notification::new().appname("Postern").summary(&title).body(&text).show().map(drop)
        });
        if let Ok(Err(error)) = shown.await {
            tracing::debug!(%error, "a notification was not shown");
        }
    }

    /// The system keeps what was said in its own list.
    pub(super) async fn withdraw(&mut self, _kind: Kind) {}
}
