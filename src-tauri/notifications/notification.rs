//! A notification and its kind.

use crate::settings::NotificationPreferences;

/// The subject of a notification. Each kind is switched separately and has at most one notification on the screen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum NotificationKind {
    /// The session with the server was lost, or is back.
    Connection,
    /// A tunnel that is switched on failed.
    Tunnels,
    /// Visitors received errors.
    Errors,
    /// Certificates of the server expire soon.
    Certificates,
    /// The window was closed, and the app goes on; shown once.
    Background,
}

impl NotificationKind {
    /// Whether the preferences allow notifications of this kind.
    pub(super) fn is_enabled(self, preferences: NotificationPreferences) -> bool {
        match self {
            NotificationKind::Connection => preferences.connection,
            NotificationKind::Tunnels => preferences.tunnels,
            NotificationKind::Errors => preferences.errors,
            NotificationKind::Certificates => preferences.certificates,
            NotificationKind::Background => true,
        }
    }
}

/// One notification.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Notification {
    pub(super) kind: NotificationKind,
    pub(super) title: String,
    pub(super) text: String,
}
