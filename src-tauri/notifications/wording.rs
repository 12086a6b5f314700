//! The texts of notifications, and the conditions for them.

use super::notification::{Notification, NotificationKind};
use crate::agent_view::AgentView;
use postern_api::{
    Timestamp,
    local::{ConfiguredTunnel, RequestSummary, TunnelState},
    resource::AuditEvent,
};
use serde_json::Value;

/// The most characters of a title or text.
const MAX_TEXT_LENGTH: usize = 200;
const SECONDS_PER_DAY: i64 = 24 * 60 * 60;

/// One notification for each tunnel that failed since the previous view.
pub(super) fn failed_tunnels(previous: &AgentView, view: &AgentView) -> Vec<Notification> {
    let failed = |tunnel: &&ConfiguredTunnel| tunnel.state == TunnelState::Failed;
    let was_failed = |name: &str| previous.tunnels.iter().filter(failed).any(|tunnel| tunnel.name == name);
    // Failures in the first list of an agent are not new.
    if !previous.tunnels_known {
        return Vec::new();
    }
    let newly_failed = view.tunnels.iter().filter(failed).filter(|tunnel| !was_failed(&tunnel.name));
    newly_failed
        .map(|tunnel| Notification {
            kind: NotificationKind::Tunnels,
            title: plain(&format!("The tunnel {} failed", tunnel.name)),
            text: plain(tunnel.error.as_ref().map_or("Open Postern to see why.", |reason| &reason.message)),
        })
        .collect()
}

/// Whether the agent has sent its tunnels and none of them failed.
pub(super) fn no_tunnel_failed(view: &AgentView) -> bool {
    view.tunnels_known && view.tunnels.iter().all(|tunnel| tunnel.state != TunnelState::Failed)
}

/// The notification for the first window that is closed while the app goes on.
pub(super) fn goes_on(view: &AgentView) -> Notification {
    let on = view.tunnels.iter().filter(|tunnel| tunnel.is_on()).count();
    let text = match on {
        0 => "Quit it, or open the window again, with its icon in the tray.".to_owned(),
        1 => "One tunnel is still on. Open the window or quit with the icon in the tray.".to_owned(),
        _ => format!("{on} tunnels are still on. Open the window or quit with the icon in the tray."),
    };
    Notification { kind: NotificationKind::Background, title: "Postern keeps running".into(), text: plain(&text) }
}

/// The notification for a lost session.
pub(super) fn offline(view: &AgentView) -> Notification {
    let reason = view.session.as_ref().and_then(|session| session.reason.as_ref());
    let text = reason.map_or("Visitors cannot reach your tunnels until it is back.", |reason| &reason.message);
    Notification { kind: NotificationKind::Connection, title: "The server cannot be reached".into(), text: plain(text) }
}

/// The notification for a restored session.
pub(super) fn online_again(view: &AgentView) -> Notification {
    let on = view.tunnels.iter().filter(|tunnel| tunnel.is_on()).count();
    let server = view.session.as_ref().map_or("", |session| &session.server_addr);
    let text = match on {
        0 => format!("Connected to {server}."),
        1 => format!("Connected to {server}, one tunnel is on."),
        _ => format!("Connected to {server}, {on} tunnels are on."),
    };
    Notification { kind: NotificationKind::Connection, title: "Online again".into(), text: plain(&text) }
}

/// A notification for a completed request of a visitor that got a 5xx response or none at all.
pub(super) fn failed_request(request: &RequestSummary<'_>) -> Option<Notification> {
    // Replays and imported requests are not from visitors.
    if request.duration.is_none() || request.replay_of.is_some() || request.imported {
        return None;
    }
    let title = match request.status_code {
        Some(status @ 500..600) => format!("A visitor received a {status} response"),
        None if request.error.is_some() => "A visitor received no response from the local service".to_owned(),
        _ => return None,
    };
    let tunnel = request.tunnel_name.trim_end_matches(" (http)").trim_end_matches(" (https)");
    let path = request.path.split('?').next().unwrap_or_default();
    let summary = format!("{} {path} through {tunnel}.", request.method);
    Some(Notification { kind: NotificationKind::Errors, title, text: plain(&summary) })
}

/// A notification for an event about a certificate; `None` for one that has ended, or that the event does not name.
pub(super) fn expiring_certificate(event: &AuditEvent, now: Timestamp) -> Option<Notification> {
    let observed = event.after.as_ref()?;
    let not_after: Timestamp = serde_json::from_value(observed.get("not_after")?.clone()).ok()?;
    let name = observed.get("names")?.as_array()?.first().and_then(Value::as_str).unwrap_or("A certificate");
    if not_after <= now {
        return None;
    }
    let days = (not_after.seconds() - now.seconds()) / SECONDS_PER_DAY;
    let title = match days {
        0 => "A certificate expires today".to_owned(),
        1 => "A certificate expires in one day".to_owned(),
        _ => format!("A certificate expires in {days} days"),
    };
    let is_renewed = observed.get("renewed").and_then(Value::as_bool).unwrap_or_default();
    let advice = if is_renewed { "It could not be renewed yet." } else { "Upload a new one." };
    Some(Notification { kind: NotificationKind::Certificates, title, text: plain(&format!("{name}: {advice}")) })
}

/// Untrusted text without control and bidirectional formatting characters, shortened.
fn plain(text: &str) -> String {
    let readable =
        |letter: &char| !letter.is_control() && !matches!(*letter, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    let mut plain: String = text.chars().filter(readable).take(MAX_TEXT_LENGTH + 1).collect();
    if plain.chars().count() > MAX_TEXT_LENGTH {
        plain = plain.chars().take(MAX_TEXT_LENGTH - 1).chain(['…']).collect();
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::agent_view::tests::view_of_tunnels;
    use serde_json::json;

    #[test]
    fn a_failed_tunnel_is_reported_once() {
        let on = view_of_tunnels(&json!([{"name": "site", "state": "running"}]));
        let failed =
            view_of_tunnels(&json!([{"name": "site", "state": "failed", "error": {"message": "The name is taken."}}]));
        let notifications = failed_tunnels(&on, &failed);
        assert_eq!(
            (notifications[0].title.as_str(), notifications[0].text.as_str()),
            ("The tunnel site failed", "The name is taken.")
        );
        assert!(failed_tunnels(&failed, &failed).is_empty());
        assert!(failed_tunnels(&AgentView::default(), &failed).is_empty(), "it failed before the start");
        assert!(no_tunnel_failed(&on) && !no_tunnel_failed(&failed));
    }

    #[test]
    fn the_first_close_says_what_goes_on() {
        for (tunnels, text) in [
            (json!([]), "Quit it"),
            (json!([{"name": "a", "state": "running"}, {"name": "b", "state": "stopped"}]), "One tunnel is still on."),
            (json!([{"name": "a", "state": "running"}, {"name": "b", "state": "starting"}]), "2 tunnels are still on."),
        ] {
            let notification = goes_on(&view_of_tunnels(&tunnels));
            assert!(notification.text.starts_with(text), "{}", notification.text);
            assert!(notification.text.contains("tray"), "{}", notification.text);
        }
    }

    #[test]
    fn only_errors_that_visitors_saw_are_reported() {
        let notification_of = |status: Value, more: Value| {
            let mut data = json!({"id": "1", "status_code": status, "duration": 7, "method": "GET",
                "path": "/pay?card=1", "tunnel_name": "site (https)", "host": "site.localhost", "remote_addr": "::1",
                "start": "2026-11-22T10:00:00Z", "request_size": 0, "response_size": 0, "cut": false});
            data.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
            failed_request(&serde_json::from_value(data).unwrap())
        };
        let notification = notification_of(json!(502), json!({})).unwrap();
        assert_eq!(
            (notification.title.as_str(), notification.text.as_str()),
            ("A visitor received a 502 response", "GET /pay through site.")
        );
        let notification = notification_of(Value::Null, json!({"error": "nothing listens"})).unwrap();
        assert_eq!(notification.title, "A visitor received no response from the local service");
        assert_eq!(notification_of(json!(404), json!({})), None);
        assert_eq!(notification_of(json!(500), json!({"replay_of": "1"})), None);
        assert_eq!(notification_of(json!(500), json!({"imported": true})), None);
        assert_eq!(notification_of(json!(500), json!({"duration": null})), None, "the request is not complete");
    }

    #[test]
    fn a_certificate_is_reported_with_the_days_that_are_left() {
        let at = |text: &str| text.parse::<jiff::Timestamp>().map(Timestamp::new).unwrap();
        let event = |renewed: bool| -> AuditEvent {
            let id = "ev_0ujtsYcgvSTl8PAuAdqWYSMnLOv";
            serde_json::from_value(json!({"id": id, "uri": "", "created_at": "2026-11-25T10:00:00Z",
                "operation": "observed", "kind": "certificate_expiry", "object_id": "cert_1", "parent_id": null,
                "actor_type": "server", "actor_id": null, "actor_name": "", "api_key_id": null, "address": "",
                "operation_id": "", "before": null, "masked": [], "shortened": [], "secrets_changed": false,
                "put_back": {"calls": [], "note": ""}, "after": {"names": ["shop.test"], "days": 14,
                "not_after": "2026-12-09T10:00:00Z", "renewed": renewed}}))
            .unwrap()
        };
        for (now, title) in [
            ("2026-11-25T10:00:00Z", "A certificate expires in 14 days"),
            ("2026-12-08T09:00:00Z", "A certificate expires in one day"),
            ("2026-12-09T09:00:00Z", "A certificate expires today"),
        ] {
            let notification = expiring_certificate(&event(false), at(now)).unwrap();
            assert_eq!(
                (notification.title.as_str(), notification.text.as_str()),
                (title, "shop.test: Upload a new one.")
            );
        }
        let renewed = expiring_certificate(&event(true), at("2026-12-01T10:00:00Z")).unwrap();
        assert_eq!(renewed.text, "shop.test: It could not be renewed yet.");
        assert_eq!(expiring_certificate(&event(false), at("2026-12-09T10:00:00Z")), None, "it has ended");
    }

    #[test]
    fn untrusted_text_is_plain_and_short() {
        assert_eq!(plain("a\u{202e}b\nc"), "abc");
        assert_eq!(plain(&"x".repeat(500)).chars().count(), MAX_TEXT_LENGTH);
    }
}
