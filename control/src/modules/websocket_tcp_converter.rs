//! The WebSocket converter module.

use crate::resources::{ModuleReferences, ModuleRules, Resources, StoredModule};
use postern_api::{
    AnyId, Result,
    module::{SwitchView, WebsocketTcpConverter},
    resource::Nothing,
};

impl ModuleRules for WebsocketTcpConverter {
    type Hidden = Nothing;

    fn check(&mut self, _ctx: &Resources) -> Result<()> {
        Ok(())
    }

    fn view(stored: &StoredModule<Self>, _owner: &AnyId, _ctx: &Resources) -> Result<SwitchView> {
        Ok(SwitchView { enabled: stored.module.enabled })
    }

    fn publish(stored: &StoredModule<Self>, _references: &dyn ModuleReferences) -> Result<WebsocketTcpConverter> {
        Ok(stored.module.clone())
    }
}
