//! Views: live and stored state that is shown like resources but cannot be changed.

mod app_session;
mod app_user;
mod decisions;
mod dependents;
mod endpoint;
mod node;
mod references;
mod server_facts;
mod status;
mod traffic;
mod tunnel;
mod tunnel_session;

use crate::resources::{Caller, Resources, admin_needed, view_not_found};
use postern_api::{
    Id, Result,
    resource::{NodeName, Removable, View},
};

/// Source of the records of a view.
pub(crate) trait ViewSource: View {
    /// Only administrators have access.
    const ADMIN_ONLY: bool = false;

    /// Nodes whose records are missing in the list.
    fn missing_nodes(_ctx: &Resources) -> Vec<NodeName> {
        Vec::new()
    }

    /// Records older than `before`, newest first, at most `limit`.
    fn list(ctx: &Resources, before: Option<&Id<Self>>, limit: usize)
    -> impl Future<Output = Result<Vec<Self>>> + Send;

    /// The record with this id, if it exists.
    fn get(ctx: &Resources, id: &Id<Self>) -> impl Future<Output = Result<Option<Self>>> + Send;
}

/// A view whose records can be deleted.
pub(crate) trait DeletableView: ViewSource + Removable {
    /// Deletes a record, or fails with `NotFound`.
    fn delete(ctx: &Resources, caller: &Caller, id: &Id<Self>) -> impl Future<Output = Result<()>> + Send;
}

/// A page of a view, newest first.
pub(crate) struct ViewRecords<V> {
    pub(crate) records: Vec<V>,
    /// Cursor of the next page, if there is one.
    pub(crate) before: Option<Id<V>>,
    /// Nodes whose records are missing.
    pub(crate) nodes_missing: Vec<NodeName>,
}

impl Resources {
    /// Reads a page of a view.
    ///
    /// # Errors
    /// If the caller has no access, or the store fails.
    pub(crate) async fn list_view<V: ViewSource>(
        &self,
        caller: &Caller,
        before: Option<&Id<V>>,
        limit: usize,
    ) -> Result<ViewRecords<V>> {
        check_access::<V>(caller)?;
        let nodes_missing = V::missing_nodes(self);
        let mut records = V::list(self, before, limit + 1).await?;
        let more = records.len() > limit;
        records.truncate(limit);
        let before = records.last().filter(|_| more).map(|record| record.id().clone());
        Ok(ViewRecords { records, before, nodes_missing })
    }

    /// Reads one record of a view.
    ///
    /// # Errors
    /// `NotFound`, if the caller has no access, or the store fails.
    pub(crate) async fn get_view<V: ViewSource>(&self, caller: &Caller, id: &Id<V>) -> Result<V> {
        check_access::<V>(caller)?;
        V::get(self, id).await?.ok_or_else(|| view_not_found(id))
    }

    /// Deletes one record of a view.
    ///
    /// # Errors
    /// `NotFound`, if the caller has no access, or the store fails.
    pub(crate) async fn delete_view<V: DeletableView>(&self, caller: &Caller, id: &Id<V>) -> Result<()> {
        check_access::<V>(caller)?;
        V::delete(self, caller, id).await
    }
}

fn check_access<V: ViewSource>(caller: &Caller) -> Result<()> {
    if V::ADMIN_ONLY && !caller.admin { Err(admin_needed()) } else { Ok(()) }
}

/// The items older than `before`, newest first, at most `limit`.
fn newest_first<V: View, T>(
    all: Vec<T>,
    id: impl Fn(&T) -> &str,
    before: Option<&Id<V>>,
    limit: usize,
) -> Vec<(Id<V>, T)> {
    let with_id = |item: T| Some((Id::<V>::parse(id(&item)).ok()?, item));
    let mut found: Vec<(Id<V>, T)> =
        all.into_iter().filter_map(with_id).filter(|(id, _)| before.is_none_or(|before| id < before)).collect();
    found.sort_by(|(one, _), (other, _)| other.cmp(one));
    found.truncate(limit);
    found
}
