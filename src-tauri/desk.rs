//! What every part of the app shares: the places, the state, the agent's view and the ways to act.

use crate::agent_view::AgentView;
use crate::places::{Addresses, Places};
use crate::settings::Settings;
use crate::state::State;
use crate::supervision::{Orders, Record};
use std::sync::Arc;
use tokio::sync::watch;

/// One desk per app.
pub(crate) struct Desk {
    pub(crate) places: Places,
    pub(crate) wanted: Addresses,
    pub(crate) settings: Settings,
    pub(crate) state: State,
    /// What the agent told last through its feed.
    pub(crate) view: watch::Sender<AgentView>,
    pub(crate) record: Arc<Record>,
    pub(crate) orders: Orders,
    /// For loopback only: it follows no redirects and uses no proxy.
    pub(crate) http: reqwest::Client,
    /// For the management API, wherever the server is; of one elsewhere it trusts whom the person named.
    pub(crate) management: reqwest::Client,
    /// True from the moment the app begins to end.
    pub(crate) quitting: watch::Sender<bool>,
}

impl Desk {
    pub(crate) fn is_quitting(&self) -> bool {
        *self.quitting.borrow()
    }
}
