//! The parts of the app that supervision uses.

use super::started_processes::StartedProcesses;
use crate::app_config::AppConfig;
use crate::app_state::AppState;
use crate::management_key::ManagementKeys;
use std::sync::Arc;

/// What the supervised programs use of the app.
#[derive(Clone)]
pub(super) struct SupervisionContext {
    pub(super) config: Arc<AppConfig>,
    pub(super) state: Arc<AppState>,
    pub(super) started: Arc<StartedProcesses>,
    pub(super) keys: ManagementKeys,
    /// For loopback addresses.
    pub(super) http: reqwest::Client,
}
