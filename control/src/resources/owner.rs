//! Kinds that own modules: which ones is declared once, and everything follows from it.

use super::{Attachment, Kept, Modules, Resources, Rules};
use crate::http::Api;
use postern_api::{Result, resource::Resource};

/// A kind with modules. Made by [`owner!`].
pub(crate) trait Owner: Rules + Resource<Update = <Self as Resource>::Create> {
    /// Takes the modules out of a body.
    fn take(body: &mut <Self as Resource>::Create) -> Vec<Attachment>;
    /// Shows the modules that are set.
    fn show(status: &mut Self::Status, kept: &Kept<Self>, modules: &Modules, here: &Resources) -> Result<()>;
    /// Adds the paths of the modules to the API.
    fn mount(api: Api) -> Api;
}

/// Declares the modules of a kind: each is a member of the body and of the status.
macro_rules! owner {
    ($kind:ty { $($member:ident: $module:ty),+ $(,)? }) => {
        impl $crate::resources::Owner for $kind {
            fn take(body: &mut <Self as postern_api::resource::Resource>::Create) -> Vec<$crate::resources::Attachment> {
                let mut taken = Vec::new();
                $(taken.extend(body.$member.take().map($crate::resources::Attachment::of::<$module>));)+
                taken
            }
            fn show(
                status: &mut Self::Status,
                kept: &$crate::resources::Kept<Self>,
                modules: &$crate::resources::Modules,
                here: &$crate::resources::Resources,
            ) -> postern_api::Result<()> {
                let owner = kept.id.any();
                $(status.$member = modules.view::<$module>(&owner, here)?;)+
                Ok(())
            }
            fn mount(api: $crate::http::Api) -> $crate::http::Api {
                api$(.module::<Self, $module>())+
            }
        }
    };
}
pub(crate) use owner;
