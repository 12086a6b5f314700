//! The views: what is alive at this moment, shown like resources and changed by nobody.

mod app_session;
mod app_user;
mod dependents;
mod endpoint;
mod facts;
mod refused;
mod status;
mod traffic;
mod tunnel;
mod tunnel_session;

use crate::resources::{Caller, Resources, admin_needed};
use postern_api::{
    Code, Error, Id, Result,
    resource::{Removable, View},
};
use std::future::Future;

/// Where the records of a view come from.
pub(crate) trait Seen: View {
    /// Whether only administrators may look.
    const ADMIN_ONLY: bool = false;

    /// Those older than `before`, newest first, at most `limit`.
    fn some(
        here: &Resources,
        before: Option<&Id<Self>>,
        limit: usize,
    ) -> impl Future<Output = Result<Vec<Self>>> + Send;

    /// The one with this id, if it is there.
    fn one(here: &Resources, id: &Id<Self>) -> impl Future<Output = Result<Option<Self>>> + Send;
}

/// A view whose records somebody may end.
pub(crate) trait Ending: Seen + Removable {
    /// Ends one; it is an error if it is not there.
    fn end(here: &Resources, caller: &Caller, id: &Id<Self>) -> impl Future<Output = Result<()>> + Send;
}

/// A page of a view, newest first.
pub(crate) struct Glance<V> {
    pub(crate) records: Vec<V>,
    /// Where the next page begins, if there is one.
    pub(crate) before: Option<Id<V>>,
}

impl Resources {
    /// Reads a page of a view.
    pub(crate) async fn look<V: Seen>(
        &self,
        caller: &Caller,
        before: Option<&Id<V>>,
        limit: usize,
    ) -> Result<Glance<V>> {
        may_look::<V>(caller)?;
        let mut records = V::some(self, before, limit + 1).await?;
        let more = records.len() > limit;
        records.truncate(limit);
        let before = records.last().filter(|_| more).map(|record| record.id().clone());
        Ok(Glance { records, before })
    }

    /// Reads one record of a view.
    pub(crate) async fn look_at<V: Seen>(&self, caller: &Caller, id: &Id<V>) -> Result<V> {
        may_look::<V>(caller)?;
        V::one(self, id).await?.ok_or_else(|| gone(id))
    }

    /// Ends one record of a view.
    pub(crate) async fn end<V: Ending>(&self, caller: &Caller, id: &Id<V>) -> Result<()> {
        may_look::<V>(caller)?;
        V::end(self, caller, id).await
    }
}

fn may_look<V: Seen>(caller: &Caller) -> Result<()> {
    if V::ADMIN_ONLY && !caller.admin { Err(admin_needed()) } else { Ok(()) }
}

pub(crate) fn gone<V: View>(id: &Id<V>) -> Error {
    let kind = V::KIND.replace('_', " ");
    Error::new(Code::NotFound, format!("There is no {kind} with the id `{id}`. It may have ended meanwhile."))
}

/// Of all that is alive those older than `before`, newest first, at most `limit`.
fn newest<V: View, T>(all: Vec<T>, id: impl Fn(&T) -> &str, before: Option<&Id<V>>, limit: usize) -> Vec<(Id<V>, T)> {
    let known = |item: T| Some((Id::<V>::parse(id(&item)).ok()?, item));
    let mut found: Vec<(Id<V>, T)> =
        all.into_iter().filter_map(known).filter(|(id, _)| before.is_none_or(|before| id < before)).collect();
    found.sort_by(|(one, _), (other, _)| other.cmp(one));
    found.truncate(limit);
    found
}
