//! The live state of the app: the desktop state, the agent's session and tunnels, and whether the app is shutting down.

use crate::{agent_view::AgentView, desktop_state::DesktopState};
use tokio::sync::watch;

/// Everything that changes while the app runs and that other tasks follow.
pub(crate) struct AppState {
    desktop: watch::Sender<DesktopState>,
    agent: watch::Sender<AgentView>,
    shutting_down: watch::Sender<bool>,
}

impl AppState {
    pub(crate) fn new(desktop: DesktopState) -> AppState {
        AppState {
            desktop: watch::Sender::new(desktop),
            agent: watch::Sender::default(),
            shutting_down: watch::Sender::new(false),
        }
    }

    /// A copy of the desktop state.
    pub(crate) fn desktop(&self) -> DesktopState {
        self.desktop.borrow().clone()
    }

    pub(crate) fn subscribe_desktop(&self) -> watch::Receiver<DesktopState> {
        self.desktop.subscribe()
    }

    /// Changes the desktop state and notifies subscribers if it differs.
    pub(crate) fn update_desktop(&self, update: impl FnOnce(&mut DesktopState)) {
        notify_if_changed(&self.desktop, update);
    }

    /// A copy of the latest state of the agent's session and tunnels.
    pub(crate) fn agent_view(&self) -> AgentView {
        self.agent.borrow().clone()
    }

    pub(crate) fn subscribe_agent(&self) -> watch::Receiver<AgentView> {
        self.agent.subscribe()
    }

    /// Changes the agent's view and notifies subscribers if it differs.
    pub(crate) fn update_agent_view(&self, update: impl FnOnce(&mut AgentView)) {
        notify_if_changed(&self.agent, update);
    }

    /// Notifies subscribers of the agent's view although nothing changed.
    pub(crate) fn renotify_agent_view(&self) {
        self.agent.send_modify(|_| {});
    }

    /// Marks the app as shutting down. Returns false if it was already.
    pub(crate) fn begin_shutdown(&self) -> bool {
        !self.shutting_down.send_replace(true)
    }

    pub(crate) fn is_shutting_down(&self) -> bool {
        *self.shutting_down.borrow()
    }
}

fn notify_if_changed<T: Clone + PartialEq>(sender: &watch::Sender<T>, update: impl FnOnce(&mut T)) {
    sender.send_if_modified(|value| {
        let before = value.clone();
        update(value);
        *value != before
    });
}
