//! What a kind or a module must say about itself; everything else is done for it.

use super::{Caller, Claim, Kept, KeptModule, Link, Resources, kept, plan::Plan};
use crate::{
    Wanted,
    store::{Entry, Page, Revision},
};
use futures::{FutureExt, future::BoxFuture};
use postern_api::{AnyId, Id, OwnerId, Result, Secret, module::Module, resource::Resource};
use serde::{Serialize, de::DeserializeOwned};
use std::future::Future;

/// What is special about a kind.
pub(crate) trait Rules: Resource {
    /// What is stored and never shown.
    type Hidden: Clone + Serialize + DeserializeOwned + Send + Sync + 'static;
    /// Whether only administrators may have to do with it.
    const ADMIN_ONLY: bool = false;
    /// Whether records of this kind own modules.
    const HAS_MODULES: bool = false;
    /// Whether what one module may be depends on another.
    const MODULES_DEPEND: bool = false;
    /// Whether an answer is made of the record and its modules alone, so that it stays the same for as long as they do.
    const LASTING: bool = false;
    /// Whether `create` picks a value that nobody else may have: it is asked again if somebody else was faster.
    const PICKS: bool = false;
    /// JSON pointers into the stored record (`/spec/…`, `/hidden/…`): texts that are sealed at rest.
    const SECRETS: &'static [&'static str] = &[];

    /// Makes a resource from what the caller said.
    fn create(body: Self::Create, making: &Making<'_, Self>) -> impl Future<Output = Result<Draft<Self>>> + Send;

    /// Merges a change into a stored resource; gives the modules that are replaced.
    fn change(
        kept: &mut Kept<Self>,
        body: Self::Update,
        call: &Call<'_>,
    ) -> impl Future<Output = Result<Vec<Attachment>>> + Send;

    /// Shape and meaning, after creating and after every change. `former` is what was stored before.
    fn check(_kept: &Kept<Self>, _former: Option<&Kept<Self>>, _here: &Resources) -> Result<()> {
        Ok(())
    }

    /// Values that no other record may hold.
    fn claims(_kept: &Kept<Self>) -> Vec<Claim> {
        Vec::new()
    }

    /// Names and ports that agents must not take while the change is being made.
    fn wanted(_kept: &Kept<Self>, _former: Option<&Kept<Self>>) -> Wanted {
        Wanted::default()
    }

    /// What to say when another record holds the value already.
    fn taken(claim: &Claim, holder: &str) -> postern_api::Error {
        postern_api::Error::new(
            postern_api::Code::StorageConflict,
            format!("`{}` belongs to `{holder}` already.", claim.value),
        )
    }

    /// Whether the modules of a record go together, as they would be after a change of any of them. Asked where
    /// [`Rules::MODULES_DEPEND`] says so.
    fn fit(_modules: &Modules, _here: &Resources) -> Result<()> {
        Ok(())
    }

    /// Records that must exist. That the parent of a nested kind does is seen to.
    fn links(_kept: &Kept<Self>) -> Vec<Link> {
        Vec::new()
    }

    /// Looks at other records before a change is committed, and adds to the plan that what was seen still holds then.
    /// What `create` has picked and somebody else was faster to take is a `StorageConflict`.
    fn secure(
        _plan: &mut Plan,
        _kept: &Kept<Self>,
        _former: Option<&Kept<Self>>,
        _call: &Call<'_>,
    ) -> impl Future<Output = Result<()>> + Send {
        std::future::ready(Ok(()))
    }

    /// The same before a record is deleted by a call of its own.
    fn release(_plan: &mut Plan, _kept: &Kept<Self>, _here: &Resources) -> impl Future<Output = Result<()>> + Send {
        std::future::ready(Ok(()))
    }

    /// What the server adds to an answer.
    fn status(
        kept: &Kept<Self>,
        modules: &Modules,
        here: &Resources,
    ) -> impl Future<Output = Result<Self::Status>> + Send;

    /// Puts a token into the answer to a creation, the one time it is shown.
    fn show_once(_status: &mut Self::Status, _token: Secret) {}

    /// Whose it is, if it is somebody's.
    fn owner(&self) -> Option<&OwnerId> {
        None
    }

    /// Whether the change may leave the server without an administrator's key. `after` is `None` for a deletion.
    fn weakens(_former: &Self, _after: Option<&Self>) -> bool {
        false
    }
}

/// Something in a record that can be taken out by a call of its own.
pub(crate) trait Part: 'static {
    /// The kind of the record.
    type Of: Rules;
    /// The last part of the path.
    const NAME: &'static str;
    /// Takes it out; it is no error if it is not there.
    fn remove(kept: &mut Kept<Self::Of>);
}

/// The call that changes something.
#[derive(Clone, Copy)]
pub(crate) struct Call<'a> {
    /// Who calls.
    pub(crate) caller: &'a Caller,
    /// When.
    pub(crate) now: jiff::Timestamp,
    /// What else there is, to be read.
    pub(crate) here: &'a Resources,
}

/// The call that makes something.
pub(crate) struct Making<'a, R> {
    /// The id it will have.
    pub(crate) id: &'a Id<R>,
    /// Who makes it, when, and among what.
    pub(crate) call: Call<'a>,
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
    /// What is stored beside the configuration, outlives its replacement, and is not what the caller said.
    type Hidden: Default + Clone + std::fmt::Debug + Serialize + DeserializeOwned + Send + Sync + 'static;
    /// JSON pointers into the stored module (`/module/…`, `/hidden/…`): texts that are sealed at rest.
    const SECRETS: &'static [&'static str] = &[];

    /// Shape and meaning; may bring what was said into its canonical form.
    fn check(&mut self, here: &Resources) -> Result<()>;
    /// Records it names.
    fn links(&self) -> Result<Vec<Link>> {
        Ok(Vec::new())
    }
    /// What to keep beside it; `former` is what was kept beside the configuration that is replaced.
    fn hidden(
        &self,
        _owner: &AnyId,
        former: Option<Self::Hidden>,
        _here: &Resources,
    ) -> impl Future<Output = Result<Self::Hidden>> + Send {
        std::future::ready(Ok(former.unwrap_or_default()))
    }
    /// How it is shown.
    fn view(kept: &KeptModule<Self>, owner: &AnyId, here: &Resources) -> Result<Self::View>;
}

/// A module about to be stored with its owner, whichever module it is.
pub(crate) struct Attachment {
    pub(crate) name: &'static str,
    module: Box<dyn Attached>,
}

/// What an attachment comes to under a key.
pub(crate) struct Stored {
    pub(crate) links: Vec<Link>,
    pub(crate) value: Vec<u8>,
}

impl Attachment {
    /// A module that was named in its owner's body.
    pub(crate) fn of<M: ModuleRules>(module: M) -> Self {
        Attachment { name: M::NAME, module: Box::new(module) }
    }

    /// Checks it and writes it, in place of what is stored under its key.
    pub(crate) async fn store(&self, owner: &AnyId, former: Option<&Entry>, here: &Resources) -> Result<Stored> {
        self.module.store(owner, former, here).await
    }
}

trait Attached: Send + Sync {
    fn store<'a>(
        &'a self,
        owner: &'a AnyId,
        former: Option<&'a Entry>,
        here: &'a Resources,
    ) -> BoxFuture<'a, Result<Stored>>;
}

impl<M: ModuleRules> Attached for M {
    fn store<'a>(
        &'a self,
        owner: &'a AnyId,
        former: Option<&'a Entry>,
        here: &'a Resources,
    ) -> BoxFuture<'a, Result<Stored>> {
        async move {
            let kept = complete(self.clone(), owner, former, here).await?;
            let value = here.codec.module(&kept, &kept::module_key(owner.as_str(), M::NAME))?;
            Ok(Stored { links: kept.links, value })
        }
        .boxed()
    }
}

/// A checked module with its links and what is kept beside it.
pub(super) async fn complete<M: ModuleRules>(
    mut module: M,
    owner: &AnyId,
    former: Option<&Entry>,
    here: &Resources,
) -> Result<KeptModule<M>> {
    module.check(here)?;
    let links = module.links()?;
    let former = former.map(|entry| here.codec.read_module::<M>(entry)).transpose()?;
    let hidden = module.hidden(owner, former.map(|former| former.hidden), here).await?;
    Ok(KeptModule { module, hidden, links })
}

/// The modules of one owner, as they are stored or would be.
#[derive(Debug, Default)]
pub(crate) struct Modules {
    entries: Vec<Entry>,
    /// The newest commit they include.
    revision: Revision,
}

impl Modules {
    pub(super) fn new(page: Page) -> Self {
        Modules { entries: page.entries, revision: page.revision }
    }

    pub(crate) fn entry(&self, name: &str) -> Option<&Entry> {
        self.entries.iter().find(|entry| entry.key.rsplit('/').next() == Some(name))
    }

    /// Puts a module in place of the one under its key.
    pub(super) fn put(&mut self, key: &str, value: Vec<u8>) {
        self.remove(key);
        self.entries.push(Entry { key: key.to_owned(), value, revision: 0 });
    }

    pub(super) fn remove(&mut self, key: &str) {
        self.entries.retain(|entry| entry.key != key);
    }

    /// Plans that none of them is changed, removed or added meanwhile.
    pub(super) fn stay(&self, plan: &mut Plan, owner: &str) {
        plan.none_newer(&kept::modules_of(owner), self.revision);
        for entry in &self.entries {
            plan.unchanged(&entry.key, Some(entry.revision));
        }
    }

    /// The configuration of a module, if it is set.
    pub(crate) fn read<M: ModuleRules>(&self, here: &Resources) -> Result<Option<M>> {
        let Some(entry) = self.entry(M::NAME) else { return Ok(None) };
        Ok(Some(here.codec.read_module::<M>(entry)?.module))
    }

    pub(crate) fn view<M: ModuleRules>(&self, owner: &AnyId, here: &Resources) -> Result<Option<M::View>> {
        let Some(entry) = self.entry(M::NAME) else { return Ok(None) };
        M::view(&here.codec.read_module::<M>(entry)?, owner, here).map(Some)
    }
}
