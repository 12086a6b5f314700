//! Kinds that own modules. The list of a kind's modules is declared once, with [`owner!`].

use super::{HostRules, ModuleRules, Modules, NewModule, Resources, Rules, StoredRecord};
use postern_api::{Result, resource::Resource};

/// A kind with modules, implemented by [`owner!`].
pub(crate) trait ModuleOwner: Rules + Resource<Update = <Self as Resource>::Create> {
    /// Takes the modules out of a body.
    fn take_modules(body: &mut <Self as Resource>::Create) -> Vec<NewModule>;

    /// Sets the members of the modules that are set.
    ///
    /// # Errors
    /// If a module cannot be read.
    fn show_modules(
        status: &mut Self::Status,
        stored: &StoredRecord<Self>,
        modules: &Modules,
        ctx: &Resources,
    ) -> Result<()>;

    /// Calls the visitor with each module of the kind.
    fn visit_modules<V: ModuleVisitor>(visitor: V) -> V;
}

/// Code that runs once for each module of a kind, with its type.
pub(crate) trait ModuleVisitor: Sized {
    #[must_use]
    fn visit<O: HostRules<M>, M: ModuleRules>(self) -> Self;
}

/// Declares the modules of a kind: each is a member of the body and of the status.
macro_rules! owner {
    ($kind:ident modules { $($(#[$doc:meta])* $member:ident: $module:ident,)+ }) => {
        impl $crate::resources::ModuleOwner for $kind {
            fn take_modules(
                body: &mut <Self as postern_api::resource::Resource>::Create,
            ) -> Vec<$crate::resources::NewModule> {
                let mut taken = Vec::new();
                $(taken.extend(body.$member.take().map($crate::resources::NewModule::new::<postern_api::module::$module>));)+
                taken
            }
            fn show_modules(
                status: &mut Self::Status,
                stored: &$crate::resources::StoredRecord<Self>,
                modules: &$crate::resources::Modules,
                ctx: &$crate::resources::Resources,
            ) -> postern_api::Result<()> {
                let owner = stored.id.any();
                $(status.$member = modules.view::<postern_api::module::$module>(&owner, ctx)?;)+
                Ok(())
            }
            fn visit_modules<V: $crate::resources::ModuleVisitor>(visitor: V) -> V {
                visitor$(.visit::<Self, postern_api::module::$module>())+
            }
        }
    };
}
pub(crate) use owner;
