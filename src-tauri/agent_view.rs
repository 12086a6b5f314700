//! The agent's session and tunnels, as its event stream reports them.

use serde::Deserialize;
use serde_json::Value;

/// The latest state in the agent's event stream. Empty while no agent is connected.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct AgentView {
    /// Whether the event stream is open.
    pub(crate) connected: bool,
    /// The agent's process id.
    pub(crate) pid: Option<u32>,
    pub(crate) session: Option<SessionSummary>,
    /// Whether the agent has sent its tunnels; before, an empty list means nothing.
    pub(crate) tunnels_known: bool,
    pub(crate) tunnels: Vec<TunnelSummary>,
}

/// The agent's session with the server.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub(crate) struct SessionSummary {
    /// `online`, `connecting`, `waiting` or `refused`.
    pub(crate) state: String,
    #[serde(default)]
    pub(crate) server_addr: String,
    #[serde(default)]
    pub(crate) reason: Option<StateReason>,
    /// The time of the next connection attempt (RFC 3339).
    #[serde(default)]
    pub(crate) next_try: Option<String>,
}

/// The reason for a state that is not the wanted one.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub(crate) struct StateReason {
    #[serde(default)]
    pub(crate) code: String,
    #[serde(default)]
    pub(crate) message: String,
}

/// A tunnel of the agent, running or not.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub(crate) struct TunnelSummary {
    pub(crate) name: String,
    /// `stopped`, `starting`, `running` or `failed`.
    pub(crate) state: String,
    #[serde(default)]
    pub(crate) public_url: Option<String>,
    #[serde(default)]
    pub(crate) error: Option<StateReason>,
    /// Whether the tunnel is in the configuration file; others end with the agent.
    #[serde(default)]
    pub(crate) saved: bool,
}

impl TunnelSummary {
    /// Whether the tunnel is on or starting. A failed tunnel is off, and switching it on tries again.
    pub(crate) fn is_on(&self) -> bool {
        matches!(self.state.as_str(), "starting" | "running")
    }

    /// Whether the tunnel was switched on, even if it failed.
    pub(crate) fn is_enabled(&self) -> bool {
        self.state != "stopped"
    }
}

impl AgentView {
    /// Applies one event of the stream. Unreadable data changes nothing.
    pub(crate) fn apply_event(&mut self, event: &str, data: &Value) {
        match event {
            "status" => {
                if let Some(pid) = data.get("pid").and_then(|pid| u32::deserialize(pid).ok()) {
                    self.pid = Some(pid);
                }
                if let Some(session) = data.get("session").and_then(|value| SessionSummary::deserialize(value).ok()) {
                    self.session = Some(session);
                }
            }
            "tunnels" => {
                if let Some(tunnels) = data.get("tunnels").and_then(|value| Vec::deserialize(value).ok()) {
                    self.tunnels = tunnels;
                    self.tunnels_known = true;
                }
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn an_event_changes_only_what_it_names() {
        let mut view = AgentView::default();
        view.apply_event(
            "status",
            &json!({"pid": 7, "session": {"state": "waiting", "reason": {"message": "no server"}, "new": 1}}),
        );
        view.apply_event("tunnels", &json!({"tunnels": [{"name": "site", "state": "running", "saved": true}]}));
        view.apply_event("status", &json!({"session": 7}));
        view.apply_event("weather", &json!({"tunnels": []}));
        assert_eq!((view.pid, view.tunnels_known), (Some(7), true));
        let session = view.session.expect("the event has a session");
        assert_eq!((session.state.as_str(), session.next_try), ("waiting", None));
        assert!(view.tunnels[0].is_on());
    }

    #[test]
    fn a_failed_tunnel_is_off_but_still_enabled() {
        let mut view = AgentView::default();
        view.apply_event("tunnels", &json!({"tunnels": [{"name": "site", "state": "failed"}]}));
        assert!(!view.tunnels[0].is_on() && view.tunnels[0].is_enabled());
    }
}
