//! Handles requests of the admin socket.

use crate::admin_socket::{AdminApi, Suspended};
use postern_api::{Result, Role, Secret, resource::Node};
use postern_control::Control;
use std::sync::Arc;

/// Handles requests of the admin socket on the server's own store.
pub(crate) struct AdminHandler(pub(crate) Arc<Control>);

impl AdminApi for AdminHandler {
    async fn create_api_key(&self, description: String, role: Role) -> Result<Secret> {
        let key = self.0.create_api_key(&description, role).await?;
        tracing::info!(%role, "an API key was created through the admin socket");
        Ok(key)
    }

    async fn unlock(&self) -> Result<Suspended> {
        let suspended = self.0.unlock().await?;
        for (restriction, kind) in &suspended {
            tracing::warn!(
                restriction,
                kind = kind.as_str(),
                "an IP restriction was suspended through the admin socket"
            );
        }
        Ok(suspended)
    }

    async fn invite(&self) -> Result<Secret> {
        let invitation = self.0.invite().await?;
        tracing::warn!("an invitation with the key of all secrets was given through the admin socket");
        Ok(invitation)
    }

    async fn nodes(&self) -> Result<Vec<Node>> {
        self.0.nodes().await
    }
}
