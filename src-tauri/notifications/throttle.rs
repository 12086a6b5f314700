//! Limits the rate of notifications. Of several of one kind, the last one is shown with the number of the others.

use super::notification::{Notification, NotificationKind};
use std::{collections::HashMap, time::Duration};
use tokio::time::Instant;

/// Notifications within this interval are shown as one.
const GATHER_INTERVAL: Duration = Duration::from_millis(500);
/// The minimum interval between two notifications of one kind.
const MIN_INTERVAL: Duration = Duration::from_secs(10);

#[derive(Default)]
pub(super) struct Throttle {
    kinds: HashMap<NotificationKind, KindState>,
    /// Notifications since the last call of `take_due`.
    new: Vec<Notification>,
}

#[derive(Default)]
struct KindState {
    /// The time of the last shown notification.
    shown: Option<Instant>,
    pending: Option<PendingNotification>,
}

struct PendingNotification {
    notification: Notification,
    /// The number of earlier notifications that this one replaces.
    replaced: usize,
    due: Instant,
}

impl Throttle {
    pub(super) fn push(&mut self, notification: Notification) {
        self.new.push(notification);
    }

    /// Drops the pending notification of this kind.
    pub(super) fn clear(&mut self, kind: NotificationKind) {
        self.new.retain(|notification| notification.kind != kind);
        if let Some(state) = self.kinds.get_mut(&kind) {
            state.pending = None;
        }
    }

    /// The time until the next notification is due.
    pub(super) fn next_due(&self, now: Instant) -> Option<Duration> {
        let pending = self.kinds.values().filter_map(|state| state.pending.as_ref());
        pending.map(|pending| pending.due.saturating_duration_since(now)).min()
    }

    /// Removes and returns the notifications to show now.
    pub(super) fn take_due(&mut self, now: Instant) -> Vec<Notification> {
        for notification in std::mem::take(&mut self.new) {
            let state = self.kinds.entry(notification.kind).or_default();
            let earliest = state.shown.map_or(now, |shown| shown + MIN_INTERVAL);
            state.pending = Some(match state.pending.take() {
                Some(pending) => PendingNotification { notification, replaced: pending.replaced + 1, due: pending.due },
                None => PendingNotification { notification, replaced: 0, due: earliest.max(now + GATHER_INTERVAL) },
            });
        }
        let mut due = Vec::new();
        for state in self.kinds.values_mut() {
            if state.pending.as_ref().is_some_and(|pending| pending.due <= now)
                && let Some(PendingNotification { mut notification, replaced, .. }) = state.pending.take()
            {
                if replaced > 0 {
                    notification.text = format!("{} And {replaced} more.", notification.text);
                }
                state.shown = Some(now);
                due.push(notification);
            }
        }
        due
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn notification(kind: NotificationKind, text: &str) -> Notification {
        Notification { kind, title: "Title".into(), text: text.into() }
    }

    #[test]
    fn simultaneous_notifications_become_one_and_the_next_is_delayed() {
        let (mut throttle, begin) = (Throttle::default(), Instant::now());
        for number in 0..50 {
            throttle.push(notification(NotificationKind::Errors, &format!("{number}.")));
            assert!(throttle.take_due(begin).is_empty(), "simultaneous notifications are gathered");
        }
        assert_eq!(throttle.next_due(begin), Some(GATHER_INTERVAL));
        assert_eq!(
            throttle.take_due(begin + GATHER_INTERVAL),
            [notification(NotificationKind::Errors, "49. And 49 more.")]
        );
        throttle.push(notification(NotificationKind::Errors, "again."));
        assert!(throttle.take_due(begin + GATHER_INTERVAL * 2).is_empty());
        assert_eq!(
            throttle.take_due(begin + GATHER_INTERVAL + MIN_INTERVAL),
            [notification(NotificationKind::Errors, "again.")]
        );
        assert_eq!(throttle.next_due(begin), None);
    }

    #[test]
    fn kinds_do_not_delay_each_other() {
        let (mut throttle, begin) = (Throttle::default(), Instant::now());
        throttle.push(notification(NotificationKind::Errors, "a"));
        throttle.take_due(begin);
        throttle.take_due(begin + GATHER_INTERVAL);
        throttle.push(notification(NotificationKind::Connection, "b"));
        throttle.take_due(begin + GATHER_INTERVAL);
        assert_eq!(throttle.take_due(begin + GATHER_INTERVAL * 2), [notification(NotificationKind::Connection, "b")]);
    }

    #[test]
    fn a_cleared_notification_is_not_shown() {
        let (mut throttle, begin) = (Throttle::default(), Instant::now());
        throttle.push(notification(NotificationKind::Tunnels, "a"));
        throttle.take_due(begin);
        throttle.push(notification(NotificationKind::Tunnels, "b"));
        throttle.clear(NotificationKind::Tunnels);
        assert!(throttle.take_due(begin + MIN_INTERVAL).is_empty());
    }
}
