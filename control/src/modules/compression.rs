//! The compression module: on or off.

use crate::resources::{KeptModule, ModuleRules, Resources};
use postern_api::{
    AnyId, Result,
    module::{Compression, SwitchView},
    resource::Nothing,
};

impl ModuleRules for Compression {
    type Hidden = Nothing;

    fn check(&mut self, _here: &Resources) -> Result<()> {
        Ok(())
    }

    fn view(kept: &KeptModule<Self>, _owner: &AnyId, _here: &Resources) -> Result<SwitchView> {
        Ok(SwitchView { enabled: kept.module.enabled })
    }
}
