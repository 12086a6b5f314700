//! What is known of an alert rule from one evaluation to the next. It is in the store, so that a restart or another node does
//! not tell again what was told.

use crate::store::{Result, Store, StoreError};
use postern_api::{
    Id, Timestamp,
    resource::{AlertRule, AlertState},
};
use serde::{Deserialize, Serialize};

/// Prefix of the keys of what is known of alert rules.
pub(crate) const ALERTS: &str = "alerts/";

/// Key of what is known of the rule with an id.
pub(crate) fn key(id: &str) -> String {
    format!("{ALERTS}{id}")
}

/// What is known of a rule.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct AlertProgress {
    pub(crate) state: AlertState,
    /// Time of the latest event.
    pub(crate) state_since: Option<Timestamp>,
    pub(crate) value: Option<f64>,
    pub(crate) value_at: Option<Timestamp>,
    /// Whether the credential has had a session while the rule existed.
    pub(crate) was_connected: bool,
    /// Since when the credential has no session.
    pub(crate) away_since: Option<Timestamp>,
}

impl AlertProgress {
    /// Reads that of a rule; `None` before its first evaluation.
    ///
    /// # Errors
    /// If the store fails.
    pub(crate) async fn load(store: &dyn Store, id: &Id<AlertRule>) -> Result<Option<Self>> {
        let Some(entry) = store.get(&key(id.as_str())).await? else { return Ok(None) };
        let broken = |error| StoreError::Broken(format!("`{}` cannot be read: {error}", entry.key));
        serde_json::from_slice(&entry.value).map(Some).map_err(broken)
    }
}
