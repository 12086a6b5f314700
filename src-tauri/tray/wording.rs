//! The texts of the tray.

use crate::{
    agent_view::AgentView,
    desktop_state::{DesktopState, RunState, ServerMode},
};
use jiff::Timestamp;
use postern_api::local::{ConfiguredTunnel, SessionState, TunnelState};

/// The icons, which differ in shape and not only in colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TrayIconKind {
    Online,
    Connecting,
    Offline,
    Paused,
}

/// The first line of the menu.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Headline {
    pub(crate) icon: TrayIconKind,
    pub(crate) text: String,
    /// Whether the text has a countdown and must be updated every second.
    pub(crate) counts_down: bool,
}

/// The status of server, agent and session in one sentence.
pub(crate) fn headline(state: &DesktopState, view: &AgentView, paused: bool, now: Timestamp) -> Headline {
    if let Some(error) = &state.agent.error {
        return offline(&error.message, state.agent.next_try.as_deref(), now);
    }
    if let (ServerMode::Local, Some(error)) = (state.server.mode, &state.server.error) {
        return offline(&error.message, state.server.next_try.as_deref(), now);
    }
    let Some(session) = view.session.as_ref().filter(|_| view.connected && state.agent.state == RunState::Running)
    else {
        let text = if state.agent.state == RunState::Stopped { "Stopped" } else { "Starting…" };
        return Headline { icon: TrayIconKind::Connecting, text: text.to_owned(), counts_down: false };
    };
    match session.state {
        SessionState::Online if paused => Headline {
            icon: TrayIconKind::Paused,
            text: format!("Paused · {}", session.server_addr),
            counts_down: false,
        },
        SessionState::Online => Headline {
            icon: TrayIconKind::Online,
            text: format!("Online · {}", session.server_addr),
            counts_down: false,
        },
        SessionState::Connecting => Headline {
            icon: TrayIconKind::Connecting,
            text: format!("Connecting · {}", session.server_addr),
            counts_down: false,
        },
        SessionState::Waiting | SessionState::Refused => {
            let reason =
                session.reason.as_ref().map_or("the server cannot be reached", |reason| reason.message.as_str());
            offline(reason, session.next_try.as_deref(), now)
        }
    }
}

fn offline(reason: &str, next_try: Option<&str>, now: Timestamp) -> Headline {
    let reason = shortened(reason.trim_end_matches('.'), 90);
    let seconds = next_try.and_then(|moment| moment.parse::<Timestamp>().ok()).map(|moment| {
        // A fraction of a second counts as a whole one, so that the countdown never shows 0.
        (moment.as_millisecond() - now.as_millisecond()).max(0).div_euclid(1000) + 1
    });
    let text = match seconds {
        Some(seconds) => format!("Offline: {reason}, next try in {seconds} s"),
        None => format!("Offline: {reason}"),
    };
    Headline { icon: TrayIconKind::Offline, text, counts_down: seconds.is_some() }
}

/// The text of a tunnel's check item: its name, and its state if the check mark would mislead.
pub(crate) fn tunnel_label(tunnel: &ConfiguredTunnel) -> String {
    match tunnel.state {
        TunnelState::Failed => format!("{} (failed)", tunnel.name),
        TunnelState::Starting => format!("{} (starting…)", tunnel.name),
        TunnelState::Running if tunnel.service.is_some() => format!("{} (no local service)", tunnel.name),
        TunnelState::Stopped | TunnelState::Running => tunnel.name.clone(),
    }
}

/// The text of a tunnel's copy item: its name and its public address.
pub(crate) fn address_label(tunnel: &ConfiguredTunnel) -> Option<String> {
    Some(format!("{}: {}", tunnel.name, shortened(tunnel.public_url.as_deref()?, 80)))
}

/// A text for a menu item: without mnemonics and line breaks, at most 140 characters.
pub(crate) fn label(text: &str) -> String {
    shortened(text, 140).replace('&', "&&")
}

fn shortened(text: &str, max_length: usize) -> String {
    let text: String = text.chars().map(|letter| if letter.is_control() { ' ' } else { letter }).collect();
    if text.chars().count() <= max_length {
        return text;
    }
    let mut cut: String = text.chars().take(max_length - 1).collect();
    cut.push('…');
    cut
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::desktop_state::AuthorityState;
    use serde_json::json;

    fn running() -> DesktopState {
        let mut state = DesktopState::new(ServerMode::Local, AuthorityState::default());
        state.server.state = RunState::Running;
        state.agent.state = RunState::Running;
        state
    }

    fn session(state: &str, reason: Option<&str>, next_try: Option<&str>) -> AgentView {
        let session = json!({"state": state, "server_addr": "localhost:4443", "next_try": next_try,
            "reason": reason.map(|message| json!({"message": message}))});
        AgentView { connected: true, session: serde_json::from_value(session).unwrap(), ..AgentView::default() }
    }

    #[test]
    fn the_first_line_tells_the_status() {
        let now: Timestamp = "2026-11-20T12:00:00Z".parse().unwrap();
        let line = |view: &AgentView, paused| headline(&running(), view, paused, now);
        assert_eq!(line(&session("online", None, None), false).text, "Online · localhost:4443");
        assert_eq!(line(&session("online", None, None), true).icon, TrayIconKind::Paused);
        assert_eq!(line(&AgentView::default(), false).text, "Starting…");
        let waiting = session("waiting", Some("The server cannot be reached."), Some("2026-11-20T12:00:03.5Z"));
        let waiting = line(&waiting, false);
        assert_eq!(waiting.text, "Offline: The server cannot be reached, next try in 4 s");
        assert!(waiting.counts_down && waiting.icon == TrayIconKind::Offline);
    }

    #[test]
    fn a_program_that_does_not_start_comes_first() {
        let mut state = running();
        state.server.error = Some(crate::error::DesktopError::new(postern_api::Code::ListenFailed, "No port is free."));
        let headline = headline(&state, &session("online", None, None), false, postern_api::clock::now());
        assert_eq!(headline.text, "Offline: No port is free");
    }

    #[test]
    fn a_tunnel_says_that_its_local_service_does_not_run() {
        let tunnel = |service: serde_json::Value| {
            let tunnel = json!({"name": "shop", "definition": {}, "state": "running", "saved": true, "service": service,
                "error": null, "public_url": null});
            tunnel_label(&serde_json::from_value(tunnel).unwrap())
        };
        assert_eq!(tunnel(serde_json::Value::Null), "shop");
        let missing = json!({"code": "ERR_POSTERN_8012", "message": "Nothing listens on localhost:8080."});
        assert_eq!(tunnel(missing), "shop (no local service)");
    }

    #[test]
    fn labels_fit_in_a_menu() {
        assert_eq!(label("a&b\nc"), "a&&b c");
        assert_eq!(label(&"x".repeat(500)).chars().count(), 140);
    }
}
