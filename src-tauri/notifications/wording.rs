//! What is said, and about what: tested without a desktop.

use super::{Kind, Note};
use crate::agent_view::{AgentView, Tunnel};
use serde_json::Value;

const LONGEST: usize = 200;

/// Tunnels that have just failed.
pub(super) fn of_tunnels(before: &AgentView, now: &AgentView) -> Vec<Note> {
    let failed = |tunnel: &&Tunnel| tunnel.state == "failed";
    let knew = |name: &str| before.tunnels.iter().filter(failed).any(|tunnel| tunnel.name == name);
    // The first list of an agent holds what was so before: nobody needs to be told.
    if !before.tunnels_told {
        return Vec::new();
    }
    let fresh = now.tunnels.iter().filter(failed).filter(|tunnel| !knew(&tunnel.name));
    fresh
        .map(|tunnel| Note {
            kind: Kind::Tunnels,
            title: plain(&format!("The tunnel {} does not work", tunnel.name)),
            text: plain(tunnel.error.as_ref().map_or("Open Postern to see why.", |reason| &reason.message)),
        })
        .collect()
}

pub(super) fn tunnels_are_well(now: &AgentView) -> bool {
    now.tunnels_told && now.tunnels.iter().all(|tunnel| tunnel.state != "failed")
}

pub(super) fn offline(view: &AgentView) -> Note {
    let reason = view.session.as_ref().and_then(|session| session.reason.as_ref());
    let text = reason.map_or("Visitors cannot reach your tunnels until it is back.", |reason| &reason.message);
    Note { kind: Kind::Connection, title: "The server cannot be reached".into(), text: plain(text) }
}

pub(super) fn online_again(view: &AgentView) -> Note {
    let on = view.tunnels.iter().filter(|tunnel| tunnel.is_on()).count();
    let server = view.session.as_ref().map_or("", |session| &session.server_addr);
    let text = match on {
        0 => format!("Connected to {server}."),
        1 => format!("Connected to {server}, one tunnel is on."),
        _ => format!("Connected to {server}, {on} tunnels are on."),
    };
    Note { kind: Kind::Connection, title: "Online again".into(), text: plain(&text) }
}

/// A visitor's request that was answered with an error of the server's side, or not at all, once it is over.
pub(super) fn of_request(data: &Value) -> Option<Note> {
    let word = |name: &str| data.get(name).and_then(Value::as_str).unwrap_or_default();
    let is_there = |name: &str| data.get(name).is_some_and(|value| !value.is_null());
    // What somebody sends again or takes from a file they watch.
    if !is_there("duration") || is_there("replay_of") || data.get("imported") == Some(&Value::Bool(true)) {
        return None;
    }
    let title = match data.get("status_code").and_then(Value::as_u64) {
        Some(status) if (500..600).contains(&status) => format!("A visitor was answered with {status}"),
        None if is_there("error") => "A visitor got no answer from your service".to_owned(),
        _ => return None,
    };
    let tunnel = word("tunnel_name").trim_end_matches(" (http)").trim_end_matches(" (https)");
    let path = word("path").split('?').next().unwrap_or_default();
    let text = format!("{} {path} through {tunnel}.", word("method"));
    Some(Note { kind: Kind::Errors, title, text: plain(&text) })
}

/// Strangers' text: no markup, no control characters, not long.
fn plain(text: &str) -> String {
    let readable =
        |letter: &char| !letter.is_control() && !matches!(*letter, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    let mut plain: String = text.chars().filter(readable).take(LONGEST + 1).collect();
    if plain.chars().count() > LONGEST {
        plain = plain.chars().take(LONGEST - 1).chain(['…']).collect();
    }
    plain
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use serde_json::json;

    fn view(tunnels: Value) -> AgentView {
        let mut view = AgentView::default();
        view.hear("tunnels", &json!({ "tunnels": tunnels }));
        view
    }

    #[test]
    fn a_tunnel_is_told_of_when_it_fails_and_not_again() {
        let on = view(json!([{"name": "site", "state": "running"}]));
        let failed = view(json!([{"name": "site", "state": "failed", "error": {"message": "The name is taken."}}]));
        let notes = of_tunnels(&on, &failed);
        assert_eq!(
            (notes[0].title.as_str(), notes[0].text.as_str()),
            ("The tunnel site does not work", "The name is taken.")
        );
        assert!(of_tunnels(&failed, &failed).is_empty());
        assert!(of_tunnels(&AgentView::default(), &failed).is_empty(), "what was so at the start");
        assert!(tunnels_are_well(&on) && !tunnels_are_well(&failed));
    }

    #[test]
    fn only_errors_that_visitors_saw_are_told() {
        let of = |status: Value, more: Value| {
            let mut data = json!({"status_code": status, "duration": 7, "error": null, "replay_of": null,
                "imported": false, "method": "GET", "path": "/pay?card=1", "tunnel_name": "site (https)"});
            data.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
            of_request(&data)
        };
        let note = of(json!(502), json!({})).unwrap();
        assert_eq!(
            (note.title.as_str(), note.text.as_str()),
            ("A visitor was answered with 502", "GET /pay through site.")
        );
        let note = of(Value::Null, json!({"error": "nothing listens"})).unwrap();
        assert_eq!(note.title, "A visitor got no answer from your service");
        assert_eq!(of(json!(404), json!({})), None);
        assert_eq!(of(json!(500), json!({"replay_of": "1"})), None);
        assert_eq!(of(json!(500), json!({"imported": true})), None);
        assert_eq!(of(json!(500), json!({"duration": null})), None, "it is not over");
        assert_eq!(of_request(&json!({"status_code": "500"})), None);
    }

    #[test]
    fn what_strangers_write_stays_plain_and_short() {
        assert_eq!(plain("a\u{202e}b\nc"), "abc");
        assert_eq!(plain(&"x".repeat(500)).chars().count(), LONGEST);
    }
}
