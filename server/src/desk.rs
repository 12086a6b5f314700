//! What the running server does for whoever may read its data folder.

use crate::rescue_socket::{Answers, Suspended};
use postern_api::{Result, Secret};
use postern_control::Control;
use std::sync::Arc;

/// Answers the socket with the server's own store.
pub(crate) struct Desk(pub(crate) Arc<Control>);

impl Answers for Desk {
    async fn create_api_key(&self, description: String, admin: bool) -> Result<Secret> {
        let key = self.0.create_api_key(&description, admin).await?;
        tracing::info!(admin, "an API key was made through the socket in the data folder");
        Ok(key)
    }

    async fn unlock(&self) -> Result<Suspended> {
        let suspended = self.0.unlock().await?;
        for (restriction, kind) in &suspended {
            tracing::warn!(
                restriction,
                kind = kind.as_str(),
                "an IP restriction was suspended through the socket in the data folder"
            );
        }
        Ok(suspended)
    }
}
