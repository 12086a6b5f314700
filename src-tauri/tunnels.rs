//! Switches tunnels on and off, and restores the tunnels that were on when a new agent starts.

use crate::{
    agent_api::{self, AgentClient},
    agent_view::AgentView,
    app_config::AppConfig,
    app_state::AppState,
    error::Result,
};
use postern_api::local::ConfiguredTunnel;
use std::{collections::BTreeSet, sync::Arc, time::Duration};

/// The time a state must last before it is saved, because an agent that ends stops its tunnels first.
const SETTLE_TIME: Duration = Duration::from_millis(1500);

/// Switches the tunnels of this computer's agent.
#[derive(Clone)]
pub(crate) struct TunnelSwitch {
    config: Arc<AppConfig>,
    state: Arc<AppState>,
    agent: Arc<AgentClient>,
}

impl TunnelSwitch {
    pub(crate) fn new(config: Arc<AppConfig>, state: Arc<AppState>, agent: Arc<AgentClient>) -> TunnelSwitch {
        TunnelSwitch { config, state, agent }
    }

    /// Starts or stops one tunnel of the configuration file.
    ///
    /// # Errors
    ///
    /// Fails with the agent's error, and if the agent does not respond.
    pub(crate) async fn set(&self, name: &str, on: bool) -> Result<()> {
        let path = format!("/api/configured/{}/{}", encode_segment(name), if on { "start" } else { "stop" });
        let response = self.agent.request("POST", &path, Some("{}".to_owned())).await?;
        if response.status < 400 {
            return Ok(());
        }
        Err(agent_api::read_error(&response.body).into())
    }

    /// Stops every tunnel that is on and saves their names for `resume`.
    ///
    /// # Errors
    ///
    /// Fails with the first error; the other tunnels are stopped nevertheless.
    pub(crate) async fn pause_all(&self) -> Result<()> {
        let tunnels = self.state.agent_view().tunnels;
        let on: Vec<String> = tunnels.into_iter().filter(ConfiguredTunnel::is_on).map(|tunnel| tunnel.name).collect();
        self.config.settings.update(|settings| settings.paused.extend(on.iter().cloned()));
        self.set_each(&on, false).await
    }

    /// Starts the tunnels that `pause_all` stopped.
    ///
    /// # Errors
    ///
    /// Fails with the first error; the other tunnels are started nevertheless.
    pub(crate) async fn resume(&self) -> Result<()> {
        let mut paused = self.config.settings.current().paused;
        self.config.settings.update(|settings| settings.paused.clear());
        let existing: BTreeSet<String> =
            self.state.agent_view().tunnels.into_iter().map(|tunnel| tunnel.name).collect();
        paused.retain(|name| existing.contains(name));
        self.set_each(&paused.into_iter().collect::<Vec<_>>(), true).await
    }

    async fn set_each(&self, names: &[String], on: bool) -> Result<()> {
        let mut result = Ok(());
        for name in names {
            let switched = self.set(name, on).await;
            if result.is_ok() {
                result = switched;
            }
        }
        result
    }

    /// Restores the tunnels of a new agent and saves every later change, while the app runs.
    pub(crate) async fn restore_and_save(self) {
        let mut changes = self.state.subscribe_agent();
        let mut known_pid: Option<u32> = None;
        // The tunnels to switch on as soon as a new agent reports that it has them.
        let mut pending = BTreeSet::new();
        loop {
            let view = changes.borrow_and_update().clone();
            let agent = self.state.desktop().agent;
            // A view without a list, or of an agent that has ended, does not tell which tunnels are switched on.
            let is_current = view.connected && view.tunnels_known && view.pid.is_some() && view.pid == agent.pid;
            if is_current && known_pid != view.pid {
                known_pid = view.pid;
                pending = if agent.adopted { BTreeSet::new() } else { self.config.settings.current().tunnels_on };
                tracing::info!(pid = view.pid, adopted = agent.adopted, tunnels = ?pending, "the agent is running");
            }
            if is_current && self.restore(&view, &mut pending).await {
                continue;
            }
            // A change within this time replaces the state before it is saved.
            match tokio::time::timeout(SETTLE_TIME, changes.changed()).await {
                Ok(Ok(())) => continue,
                Ok(Err(_)) => return,
                Err(_) => {}
            }
            if is_current && view.pid == self.state.desktop().agent.pid && !self.state.is_shutting_down() {
                self.save(&view.tunnels, &pending);
            }
            if changes.changed().await.is_err() {
                return;
            }
        }
    }

    fn save(&self, tunnels: &[ConfiguredTunnel], pending: &BTreeSet<String>) {
        let enabled = tunnels.iter().filter(|tunnel| tunnel.saved && tunnel.is_enabled());
        let on: BTreeSet<String> = enabled.map(|tunnel| tunnel.name.clone()).chain(pending.iter().cloned()).collect();
        self.config.settings.update(|settings| {
            settings.paused.retain(|name| !on.contains(name));
            settings.tunnels_on = on;
        });
    }

    /// Switches on the pending tunnels that the agent has. Returns whether any was switched.
    async fn restore(&self, view: &AgentView, pending: &mut BTreeSet<String>) -> bool {
        let mut switched = false;
        for tunnel in &view.tunnels {
            if pending.remove(&tunnel.name) && !tunnel.is_on() {
                switched = true;
                if let Err(error) = self.set(&tunnel.name, true).await {
                    tracing::warn!(tunnel = tunnel.name, %error, "the tunnel cannot be restored");
                }
            }
        }
        switched
    }
}

/// A tunnel name as one path segment.
fn encode_segment(name: &str) -> String {
    let mut segment = String::with_capacity(name.len());
    for byte in name.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'_' | b'~' => segment.push(char::from(byte)),
            // A dot is escaped too, so that a name of dots is no dot segment.
            _ => segment.push_str(&format!("%{byte:02X}")),
        }
    }
    segment
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_one_path_segment() {
        assert_eq!(encode_segment("site"), "site");
        assert_eq!(encode_segment("a/b (http)"), "a%2Fb%20%28http%29");
        assert_eq!(encode_segment(".."), "%2E%2E");
    }
}
