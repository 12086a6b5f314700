//! The context of the supervised programs.

use super::started_processes::StartedProcesses;
use crate::{app_config::AppConfig, app_state::AppState, management_key::ManagementKeys};
use std::sync::Arc;

/// The parts of the app that the supervised programs use.
#[derive(Clone)]
pub(super) struct SupervisionContext {
    pub(super) config: Arc<AppConfig>,
    pub(super) state: Arc<AppState>,
    pub(super) started: Arc<StartedProcesses>,
    pub(super) keys: ManagementKeys,
    /// For loopback addresses.
    pub(super) http: reqwest::Client,
}
