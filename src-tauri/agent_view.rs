//! The agent's session and tunnels, as its event stream reports them.

use postern_api::local::{AgentStatus, ConfiguredTunnel, LocalEvent, SessionState, SessionView};

/// The latest state in the agent's event stream. Empty while no agent is connected.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct AgentView {
    /// Whether the event stream is open.
    pub(crate) connected: bool,
    /// The agent's process id.
    pub(crate) pid: Option<u32>,
    pub(crate) session: Option<SessionView>,
    /// Whether the agent has sent its tunnels; before, an empty list means nothing.
    pub(crate) tunnels_known: bool,
    pub(crate) tunnels: Vec<ConfiguredTunnel>,
}

impl AgentView {
    /// Applies one event of the stream.
    pub(crate) fn apply_event(&mut self, event: &LocalEvent) {
        match event {
            LocalEvent::Status(status) => {
                let AgentStatus { pid, session, .. } = status.as_ref();
                self.pid = Some(*pid);
                // The latency changes all the time, and nothing outside the windows shows it.
                self.session = Some(SessionView { legs: Vec::new(), ..session.clone() });
            }
            LocalEvent::Tunnels(list) => {
                self.tunnels.clone_from(&list.tunnels);
                self.tunnels_known = true;
            }
            LocalEvent::Request(_)
            | LocalEvent::RequestDeleted(_)
            | LocalEvent::RequestsDeleted(_)
            | LocalEvent::RequestsMissed(_) => {}
        }
    }

    /// Whether the agent has a session with the server.
    pub(crate) fn is_online(&self) -> bool {
        self.session.as_ref().is_some_and(|session| session.state == SessionState::Online)
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use serde_json::{Value, json};

    /// A view with these tunnels.
    pub(crate) fn view_of_tunnels(tunnels: &Value) -> AgentView {
        let mut view = AgentView::default();
        view.apply_event(&event("tunnels", &json!({ "tunnels": tunnels })));
        view
    }

    fn event(event: &str, data: &Value) -> LocalEvent {
        serde_json::from_value(json!({"event": event, "data": data})).expect("an event")
    }

    #[test]
    fn an_event_changes_only_what_it_names() {
        let mut view = view_of_tunnels(&json!([{"name": "site", "state": "running", "saved": true}]));
        // The status of an agent that is older than this app, and of one that is newer.
        let status = json!({"status": "offline", "agent_version": "0.1.0", "pid": 7, "config_path": "",
            "capture": {"bytes": 0, "limit": 0, "count": 0, "dropped": 0}, "new": 1,
            "session": {"state": "waiting", "reason": {"message": "no server"}, "new": 1}});
        view.apply_event(&event("status", &status));
        view.apply_event(&event("request_deleted", &json!({"id": "1"})));
        assert_eq!((view.pid, view.tunnels_known, view.is_online()), (Some(7), true, false));
        let session = view.session.expect("the event has a session");
        assert_eq!((session.state, session.next_try), (SessionState::Waiting, None));
        assert!(view.tunnels[0].is_on());
    }

    #[test]
    fn a_failed_tunnel_is_off_but_still_enabled() {
        let view = view_of_tunnels(&json!([{"name": "site", "state": "failed"}]));
        assert!(!view.tunnels[0].is_on() && view.tunnels[0].is_enabled());
    }
}
