//! The WebSocket converter module: on or off.

use crate::resources::{KeptModule, ModuleRules, Resources};
use postern_api::{
    AnyId, Result,
    module::{SwitchView, WebsocketTcpConverter},
    resource::Nothing,
};

impl ModuleRules for WebsocketTcpConverter {
    type Hidden = Nothing;

    fn check(&mut self, _here: &Resources) -> Result<()> {
        Ok(())
    }

    fn view(kept: &KeptModule<Self>, _owner: &AnyId, _here: &Resources) -> Result<SwitchView> {
        Ok(SwitchView { enabled: kept.module.enabled })
    }
}
