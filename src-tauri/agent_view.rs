//! What the agent told about itself: its session and its tunnels, as far as tray and supervision need it.

use serde::Deserialize;
use serde_json::Value;

/// The last word of the agent's feed. Empty while no agent is connected.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct AgentView {
    /// Whether the feed is open.
    pub(crate) connected: bool,
    /// Which process tells this.
    pub(crate) pid: Option<u32>,
    pub(crate) session: Option<Session>,
    /// Whether `tunnels` was told yet; before, an empty list means nothing.
    pub(crate) tunnels_told: bool,
    pub(crate) tunnels: Vec<Tunnel>,
}

/// The session with the server.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub(crate) struct Session {
    /// `online`, `connecting`, `waiting` or `refused`.
    pub(crate) state: String,
    #[serde(default)]
    pub(crate) server_addr: String,
    #[serde(default)]
    pub(crate) reason: Option<Reason>,
    /// RFC 3339.
    #[serde(default)]
    pub(crate) next_try: Option<String>,
}

/// Why something is not as it should be.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub(crate) struct Reason {
    #[serde(default)]
    pub(crate) code: String,
    #[serde(default)]
    pub(crate) message: String,
}

/// One tunnel the agent knows, running or not.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub(crate) struct Tunnel {
    pub(crate) name: String,
    /// `stopped`, `starting`, `running` or `failed`.
    pub(crate) state: String,
    #[serde(default)]
    pub(crate) public_url: Option<String>,
    #[serde(default)]
    pub(crate) error: Option<Reason>,
    /// Whether it stands in the configuration file; others vanish with the agent.
    #[serde(default)]
    pub(crate) saved: bool,
}

impl Tunnel {
    /// Whether it is on or about to be; one that failed is off, and switching it on tries again.
    pub(crate) fn is_on(&self) -> bool {
        matches!(self.state.as_str(), "starting" | "running")
    }

    /// Whether somebody wants it on, be it that it works or not.
    pub(crate) fn is_wanted(&self) -> bool {
        self.state != "stopped"
    }
}

impl AgentView {
    /// Takes in one event of the feed; what cannot be read changes nothing.
    pub(crate) fn hear(&mut self, event: &str, data: &Value) {
        match event {
            "status" => {
                if let Some(pid) = data.get("pid").and_then(|pid| u32::deserialize(pid).ok()) {
                    self.pid = Some(pid);
                }
                if let Some(session) = data.get("session").and_then(|value| Session::deserialize(value).ok()) {
                    self.session = Some(session);
                }
            }
            "tunnels" => {
                if let Some(tunnels) = data.get("tunnels").and_then(|value| Vec::deserialize(value).ok()) {
                    self.tunnels = tunnels;
                    self.tunnels_told = true;
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
    fn events_change_what_they_speak_of_and_nothing_else() {
        let mut view = AgentView::default();
        view.hear(
            "status",
            &json!({"pid": 7, "session": {"state": "waiting", "reason": {"message": "no server"}, "new": 1}}),
        );
        view.hear("tunnels", &json!({"tunnels": [{"name": "site", "state": "running", "saved": true}]}));
        view.hear("status", &json!({"session": 7}));
        view.hear("weather", &json!({"tunnels": []}));
        assert_eq!((view.pid, view.tunnels_told), (Some(7), true));
        let session = view.session.expect("heard");
        assert_eq!((session.state.as_str(), session.next_try), ("waiting", None));
        assert!(view.tunnels[0].is_on());
    }

    #[test]
    fn a_tunnel_that_failed_is_off_but_still_wanted() {
        let mut view = AgentView::default();
        view.hear("tunnels", &json!({"tunnels": [{"name": "site", "state": "failed"}]}));
        assert!(!view.tunnels[0].is_on() && view.tunnels[0].is_wanted());
    }
}
