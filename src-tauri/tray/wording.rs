//! What the tray says, as plain text: tested without a desktop.

use crate::agent_view::{AgentView, Tunnel};
use crate::state::{Condition, DesktopState, Mode};
use jiff::Timestamp;

/// The shape of the icon: told apart by its drawing, never by colour alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Face {
    Online,
    Connecting,
    Offline,
    Paused,
}

/// The first line of the menu.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Headline {
    pub(crate) face: Face,
    pub(crate) text: String,
    /// Whether the text counts seconds down and must be made again every second.
    pub(crate) ticks: bool,
}

/// One sentence about where things stand.
pub(crate) fn headline(state: &DesktopState, view: &AgentView, paused: bool, now: Timestamp) -> Headline {
    if let Some(error) = &state.agent.error {
        return offline(&error.message, state.agent.next_try.as_deref(), now);
    }
    if let (Mode::Local, Some(error)) = (state.server.mode, &state.server.error) {
        return offline(&error.message, state.server.next_try.as_deref(), now);
    }
    let Some(session) = view.session.as_ref().filter(|_| view.connected && state.agent.state == Condition::Running)
    else {
        let text = if state.agent.state == Condition::Stopped { "Stopped" } else { "Starting…" };
        return Headline { face: Face::Connecting, text: text.to_owned(), ticks: false };
    };
    match session.state.as_str() {
        "online" if paused => {
            Headline { face: Face::Paused, text: format!("Paused · {}", session.server_addr), ticks: false }
        }
        "online" => Headline { face: Face::Online, text: format!("Online · {}", session.server_addr), ticks: false },
        "connecting" => {
            Headline { face: Face::Connecting, text: format!("Connecting · {}", session.server_addr), ticks: false }
        }
        _ => {
            let reason =
                session.reason.as_ref().map_or("the server cannot be reached", |reason| reason.message.as_str());
            offline(reason, session.next_try.as_deref(), now)
        }
    }
}

fn offline(reason: &str, next_try: Option<&str>, now: Timestamp) -> Headline {
    let reason = shortened(reason.trim_end_matches('.'), 90);
    let seconds = next_try.and_then(|moment| moment.parse::<Timestamp>().ok()).map(|moment| {
        // A started second counts whole, so that the count ends at "now" and not at 0.
        (moment.as_millisecond() - now.as_millisecond()).max(0).div_euclid(1000) + 1
    });
    let text = match seconds {
        Some(seconds) => format!("Offline: {reason}, next try in {seconds} s"),
        None => format!("Offline: {reason}"),
    };
    Headline { face: Face::Offline, text, ticks: seconds.is_some() }
}

/// What a tunnel's check item says: its name, and its state where the mark alone would mislead.
pub(crate) fn tunnel_label(tunnel: &Tunnel) -> String {
    match tunnel.state.as_str() {
        "failed" => format!("{} (failed)", tunnel.name),
        "starting" => format!("{} (starting…)", tunnel.name),
        _ => tunnel.name.clone(),
    }
}

/// What a tunnel's copy item says: its name and its address.
pub(crate) fn address_label(tunnel: &Tunnel) -> Option<String> {
    Some(format!("{}: {}", tunnel.name, shortened(tunnel.public_url.as_deref()?, 80)))
}

/// A text that a menu can show: no mnemonics, no line breaks, not endless.
pub(crate) fn label(text: &str) -> String {
    shortened(text, 140).replace('&', "&&")
}

fn shortened(text: &str, most: usize) -> String {
    let text: String = text.chars().map(|letter| if letter.is_control() { ' ' } else { letter }).collect();
    if text.chars().count() <= most {
        return text;
    }
    let mut cut: String = text.chars().take(most - 1).collect();
    cut.push('…');
    cut
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::agent_view::{Reason, Session};
    use crate::state::{AuthorityState, State};

    fn running() -> DesktopState {
        let state = State::new(Mode::Local, AuthorityState::default());
        state.change(|state| {
            state.server.state = Condition::Running;
            state.agent.state = Condition::Running;
        });
        state.now()
    }

    fn session(state: &str, reason: Option<&str>, next_try: Option<&str>) -> AgentView {
        let session = Session {
            state: state.to_owned(),
            server_addr: "localhost:4443".to_owned(),
            reason: reason.map(|message| Reason { code: String::new(), message: message.to_owned() }),
            next_try: next_try.map(str::to_owned),
        };
        AgentView { connected: true, session: Some(session), ..AgentView::default() }
    }

    #[test]
    fn the_first_line_says_where_things_stand() {
        let now: Timestamp = "2026-11-20T12:00:00Z".parse().unwrap();
        let say = |view: &AgentView, paused| headline(&running(), view, paused, now);
        assert_eq!(say(&session("online", None, None), false).text, "Online · localhost:4443");
        assert_eq!(say(&session("online", None, None), true).face, Face::Paused);
        assert_eq!(say(&AgentView::default(), false).text, "Starting…");
        let waiting = session("waiting", Some("The server cannot be reached."), Some("2026-11-20T12:00:03.5Z"));
        let told = say(&waiting, false);
        assert_eq!(told.text, "Offline: The server cannot be reached, next try in 4 s");
        assert!(told.ticks && told.face == Face::Offline);
    }

    #[test]
    fn a_part_that_does_not_start_is_the_first_thing_to_know() {
        let mut state = running();
        state.server.error = Some(crate::failure::Failure::new(postern_api::Code::ListenFailed, "No port is free."));
        let told = headline(&state, &session("online", None, None), false, Timestamp::now());
        assert_eq!(told.text, "Offline: No port is free");
    }

    #[test]
    fn labels_fit_into_a_menu() {
        assert_eq!(label("a&b\nc"), "a&&b c");
        assert_eq!(label(&"x".repeat(500)).chars().count(), 140);
    }
}
