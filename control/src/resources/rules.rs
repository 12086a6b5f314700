//! What a kind or a module must say about itself; everything else is done for it.

use super::{Caller, Claim, Kept, KeptModule, Link, kept};
use crate::{Live, Settings, store::Entry};
use postern_api::{
    Id, Result, Secret,
    module::Module,
    resource::{Resource, User},
};
use serde::{Serialize, de::DeserializeOwned};

/// What kinds and modules may ask about the server they live in.
#[derive(Clone, Copy)]
pub(crate) struct Place<'a> {
    pub(crate) settings: &'a Settings,
    pub(crate) live: &'a dyn Live,
}

impl Place<'_> {
    pub(crate) fn base_url(&self) -> &str {
        &self.settings.base_url
    }
}

/// What is special about a kind.
pub(crate) trait Rules: Resource {
    /// What is stored and never shown.
    type Hidden: Clone + Serialize + DeserializeOwned + Send + Sync + 'static;
    /// Whether only administrators may have to do with it.
    const ADMIN_ONLY: bool = false;

    /// Makes a resource from what the caller said.
    fn create(body: Self::Create, id: &Id<Self>, caller: &Caller) -> Result<Draft<Self>>;

    /// Merges a change into a stored resource; gives the modules that are replaced.
    fn change(kept: &mut Kept<Self>, body: Self::Update) -> Result<Vec<Attachment>>;

    /// Shape and meaning, after creating and after every change. `former` is what was stored before.
    fn check(_kept: &Kept<Self>, _former: Option<&Kept<Self>>, _place: Place<'_>) -> Result<()> {
        Ok(())
    }

    /// Values that no other record may hold.
    fn claims(_kept: &Kept<Self>) -> Vec<Claim> {
        Vec::new()
    }

    /// What to say when another record holds the value already.
    fn taken(claim: &Claim, holder: &str) -> postern_api::Error {
        postern_api::Error::new(
            postern_api::Code::StorageConflict,
            format!("`{}` belongs to `{holder}` already.", claim.value),
        )
    }

    /// Records that must exist.
    fn links(_kept: &Kept<Self>) -> Vec<Link> {
        Vec::new()
    }

    /// What the server adds to an answer.
    fn status(kept: &Kept<Self>, modules: &Modules, place: Place<'_>) -> Result<Self::Status>;

    /// Puts a token into the answer to a creation, the one time it is shown.
    fn show_once(_status: &mut Self::Status, _token: Secret) {}

    /// Whose it is, if it is somebody's.
    fn owner(&self) -> Option<&Id<User>> {
        None
    }

    /// Whether the change may leave the server without an administrator's key. `after` is `None` for a deletion.
    fn weakens(_former: &Self, _after: Option<&Self>) -> bool {
        false
    }

    /// Whether records of this kind own modules.
    const HAS_MODULES: bool = false;
}

/// A resource about to be made.
pub(crate) struct Draft<R: Rules> {
    pub(crate) spec: R,
    pub(crate) hidden: R::Hidden,
    /// Shown in the answer, then forgotten.
    pub(crate) token: Option<Secret>,
    pub(crate) modules: Vec<Attachment>,
}

impl<R: Rules> Draft<R> {
    pub(crate) fn new(spec: R, hidden: R::Hidden) -> Self {
        Draft { spec, hidden, token: None, modules: Vec::new() }
    }
}

/// What is special about a module.
pub(crate) trait ModuleRules: Module {
    /// Shape and meaning; may bring what was said into its canonical form.
    fn check(&mut self) -> Result<()>;
    /// Records it names.
    fn links(&self) -> Result<Vec<Link>>;
    /// How it is shown.
    fn view(&self, base_url: &str) -> Result<Self::View>;
}

/// A module about to be stored with its owner.
#[derive(Debug)]
pub(crate) struct Attachment {
    pub(crate) name: &'static str,
    pub(crate) links: Vec<Link>,
    pub(crate) value: Vec<u8>,
}

impl Attachment {
    /// Checks a module and makes it ready.
    pub(crate) fn of<M: ModuleRules>(mut module: M) -> Result<Self> {
        module.check()?;
        let links = module.links()?;
        let value = kept::encode(&KeptModule { module, links: links.clone() })?;
        Ok(Attachment { name: M::NAME, links, value })
    }
}

/// The stored modules of one owner.
#[derive(Debug, Default)]
pub(crate) struct Modules(pub(crate) Vec<Entry>);

impl Modules {
    pub(crate) fn entry(&self, name: &str) -> Option<&Entry> {
        self.0.iter().find(|entry| entry.key.rsplit('/').next() == Some(name))
    }

    pub(crate) fn view<M: ModuleRules>(&self, base_url: &str) -> Result<Option<M::View>> {
        let Some(entry) = self.entry(M::NAME) else { return Ok(None) };
        kept::decode::<KeptModule<M>>(entry)?.module.view(base_url).map(Some)
    }
}
