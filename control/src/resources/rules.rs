//! Rules of one kind of record; everything else about a kind is generic.

use super::{
    Resources,
    caller::{Caller, admin_needed},
    commit_plan::CommitPlan,
    keys,
    owned_modules::{Modules, NewModule},
    relations::{Claim, Link, LinkRole, NewLink},
    rights::{Access, Scope},
};
use crate::NameHold;
use postern_api::{
    AnyId, Code, Error, Id, OwnerId, Result, Secret, Timestamp,
    resource::{BotUser, Resource, User, collection, list_uri},
};
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use serde_json::Value;

/// A record as it is stored. Its claims and links are part of it, so that they are found again even if the rules
/// that made them change.
#[derive(Clone, Serialize, Deserialize)]
#[serde(bound = "")]
pub(crate) struct StoredRecord<R: Rules> {
    pub(crate) id: Id<R>,
    /// Parent of a nested record.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) parent: Option<AnyId>,
    pub(crate) created_at: Timestamp,
    #[serde(default)]
    pub(crate) description: String,
    #[serde(default)]
    pub(crate) metadata: String,
    pub(crate) spec: R,
    /// State that is never shown, such as a hash.
    pub(crate) hidden: R::Hidden,
    #[serde(default)]
    pub(crate) claims: Vec<Claim>,
    #[serde(default)]
    pub(crate) links: Vec<Link>,
}

impl<R: Rules> StoredRecord<R> {
    pub(crate) fn key(&self) -> String {
        keys::record::<R>(self.id.as_str())
    }

    pub(crate) fn uri(&self, base_url: &str) -> String {
        format!("{}/{}", list_uri(base_url, &collection::<R>(self.parent.as_ref())), self.id)
    }
}

/// Rules of one kind.
pub(crate) trait Rules: Resource {
    /// State that is stored and never shown.
    type Hidden: Clone + Serialize + DeserializeOwned + Send + Sync + 'static;
    /// What a caller must be able to see.
    const SEEN_WITH: Scope = Scope::Shared;
    /// What a caller must be able to change.
    const CHANGED_WITH: Scope = Scope::Shared;
    /// Records of this kind own modules.
    const HAS_MODULES: bool = false;
    /// The validity of one module depends on others; see [`Rules::check_modules`].
    const MODULES_INTERDEPEND: bool = false;
    /// A response depends only on the record and its modules, so that it can be cached until they change.
    const CACHEABLE: bool = false;
    /// What a response shows changes only with the record, its modules and the links to it, so that its text can be indexed.
    /// Those of nested records count too; see [`Rules::SHOWN`].
    const SEARCH_INDEXED: bool = Self::CACHEABLE;
    /// Prefix of the ids, and kind, of the nested records that a response shows.
    const SHOWN: Option<(&'static str, &'static str)> = None;
    /// `create` picks a unique value by itself, and is called again if another record took that value first.
    const PICKS_VALUE: bool = false;
    /// JSON pointers into the stored record (`/spec/…`, `/hidden/…`) to texts that are sealed at rest.
    const SECRETS: &'static [&'static str] = &[];
    /// Code of the error when a body names a record of this kind that does not exist.
    const UNKNOWN: Code = Code::FieldInvalid;
    /// Code of the error when a record of this kind cannot be deleted because another record needs it.
    const IN_USE: Code = Code::BackendInUse;

    /// Makes a record from the caller's body.
    fn create(
        body: Self::Create,
        context: &CreateContext<'_, Self>,
    ) -> impl Future<Output = Result<NewRecord<Self>>> + Send;

    /// Merges a change into a stored record; gives the modules to replace.
    fn update(
        stored: &mut StoredRecord<Self>,
        body: Self::Update,
        call: &CallContext<'_>,
    ) -> impl Future<Output = Result<Vec<NewModule>>> + Send;

    /// Validates a record after it was made or changed. `former` is the stored record before a change.
    fn check(_stored: &StoredRecord<Self>, _former: Option<&StoredRecord<Self>>, _ctx: &Resources) -> Result<()> {
        Ok(())
    }

    /// Settings that callers make and that are part of the hidden state, by the names of request bodies; see
    /// [`Settings`](super::audit::Settings).
    fn hidden_settings(_hidden: &Self::Hidden) -> Vec<(&'static str, Value)> {
        Vec::new()
    }

    /// Values that no other record may hold.
    fn claims(_stored: &StoredRecord<Self>) -> Vec<Claim> {
        Vec::new()
    }

    /// Names and ports that agents must not take while the change is made.
    fn name_hold(_stored: &StoredRecord<Self>, _former: Option<&StoredRecord<Self>>) -> NameHold {
        NameHold::default()
    }

    /// Error when another record holds a claimed value.
    fn claim_taken(claim: &Claim, holder: &str) -> Error {
        Error::new(Code::StorageConflict, format!("`{}` belongs to `{holder}` already.", claim.value))
    }

    /// Validates all modules of a record together, as they will be after a change of any of them. Called if
    /// [`Rules::MODULES_INTERDEPEND`] is set.
    fn check_modules(_modules: &Modules, _ctx: &Resources) -> Result<()> {
        Ok(())
    }

    /// Records that must exist. The parent of a nested record is checked without it.
    fn links(_stored: &StoredRecord<Self>) -> Vec<NewLink> {
        Vec::new()
    }

    /// Checks other records before a change is committed, and adds to the plan that they stay as they were read.
    /// Returns `StorageConflict` if a value that `create` picked was taken meanwhile.
    fn before_commit(
        _plan: &mut CommitPlan,
        _stored: &StoredRecord<Self>,
        _former: Option<&StoredRecord<Self>>,
        _call: &CallContext<'_>,
    ) -> impl Future<Output = Result<()>> + Send {
        std::future::ready(Ok(()))
    }

    /// Whether only an administrator may change the record, because a change could shut administrators out or give rights
    /// that the caller does not have. Asked before and after a change, for other callers only.
    fn needs_administrator(
        _stored: &StoredRecord<Self>,
        _call: &CallContext<'_>,
    ) -> impl Future<Output = Result<bool>> + Send {
        std::future::ready(Ok(false))
    }

    /// Checks other records before a record is deleted by a request of its own.
    fn before_delete(
        _plan: &mut CommitPlan,
        _stored: &StoredRecord<Self>,
        _ctx: &Resources,
    ) -> impl Future<Output = Result<()>> + Send {
        std::future::ready(Ok(()))
    }

    /// Members that the server adds to a response.
    fn status(
        stored: &StoredRecord<Self>,
        modules: &Modules,
        ctx: &Resources,
    ) -> impl Future<Output = Result<Self::Status>> + Send;

    /// Adds a token to the response to a creation, the only one that shows it.
    fn reveal_token(_status: &mut Self::Status, _token: Secret) {}

    /// Token that a change has made anew. The response to the change shows it, and no other one does.
    fn renewed_token(_former: &StoredRecord<Self>, _stored: &StoredRecord<Self>) -> Option<Secret> {
        None
    }

    /// Owner of the record, if the kind has owners.
    fn owner(&self) -> Option<&OwnerId> {
        None
    }

    /// The change may leave the server without an administrator's key. `after` is `None` for a deletion.
    fn may_remove_administrator(_former: &Self, _after: Option<&Self>) -> bool {
        false
    }
}

/// A part of a record that has a DELETE operation of its own.
pub(crate) trait RemovablePart: 'static {
    /// Kind of the record.
    type Of: Rules;
    /// Last segment of the path.
    const NAME: &'static str;
    /// Removes the part, if it is set.
    fn remove(stored: &mut StoredRecord<Self::Of>);
}

/// Context of a call that changes a record.
#[derive(Clone, Copy)]
pub(crate) struct CallContext<'a> {
    pub(crate) caller: &'a Caller,
    pub(crate) now: jiff::Timestamp,
    pub(crate) resources: &'a Resources,
}

/// Context of a call that makes a record.
pub(crate) struct CreateContext<'a, R> {
    /// Id that the record will have.
    pub(crate) id: &'a Id<R>,
    pub(crate) call: CallContext<'a>,
}

/// A record about to be stored.
pub(crate) struct NewRecord<R: Rules> {
    pub(crate) spec: R,
    pub(crate) hidden: R::Hidden,
    /// Shown once, in the response.
    pub(crate) token: Option<Secret>,
    pub(crate) modules: Vec<NewModule>,
}

impl<R: Rules> NewRecord<R> {
    pub(crate) fn new(spec: R, hidden: R::Hidden) -> Self {
        NewRecord { spec, hidden, token: None, modules: Vec::new() }
    }
}

impl Caller {
    /// Checks access to a kind.
    ///
    /// # Errors
    /// `AdminNeeded` or `RoleTooLow`, if the caller's rights do not suffice.
    pub(crate) fn check_kind_access<R: Rules>(&self, access: Access) -> Result<()> {
        self.check_scope(access, if access == Access::See { R::SEEN_WITH } else { R::CHANGED_WITH })
    }
}

impl CallContext<'_> {
    /// Checks that the caller may change a record as it is before or after the change.
    ///
    /// # Errors
    /// `AdminNeeded`, if only an administrator may, or if the store fails.
    pub(super) async fn check_change<R: Rules>(&self, stored: &StoredRecord<R>) -> Result<()> {
        if !self.caller.is_admin() && R::needs_administrator(stored, self).await? {
            return Err(admin_needed());
        }
        Ok(())
    }
}

impl NewLink {
    /// A link to a record of a known kind.
    pub(crate) fn to<R: Rules>(id: &Id<R>, role: LinkRole) -> Self {
        let link = Link { to: id.any(), kind: R::KIND.to_owned(), role };
        NewLink { link, unknown: R::UNKNOWN, field: None }
    }

    /// A link to a user or bot user.
    pub(crate) fn to_owner(id: &OwnerId, role: LinkRole) -> Self {
        let unknown = match id {
            OwnerId::User(_) => User::UNKNOWN,
            OwnerId::Bot(_) => BotUser::UNKNOWN,
        };
        let link = Link { to: id.any(), kind: id.kind().to_owned(), role };
        NewLink { link, unknown, field: None }
    }
}
