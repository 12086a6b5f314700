//! The last requests of edges, routes and tunnels.

use crate::{
    Gathered,
    resources::{Caller, RecordPath, Resources, Rules},
};
use postern_api::{
    Id, Result,
    resource::{RecentRequest, RequestFilter, Tunnel},
};

impl Resources {
    /// The last requests of an edge or a route, newest first.
    ///
    /// # Errors
    /// `NotFound`, or if the caller may not see the edge.
    pub(crate) async fn requests<R: Rules>(
        &self,
        caller: &Caller,
        at: &RecordPath<R>,
        filter: RequestFilter,
    ) -> Result<Gathered<Vec<RecentRequest>>> {
        self.get::<R>(caller, at).await?;
        Ok(self.live.requests(at.id.as_str(), filter).await)
    }

    /// The last requests of everything, newest first.
    pub(crate) async fn requests_in_all(&self, filter: RequestFilter) -> Gathered<Vec<RecentRequest>> {
        self.live.requests("", filter).await
    }

    /// The last requests of a tunnel, newest first.
    ///
    /// # Errors
    /// `NotFound`, or if the caller may not see the tunnel.
    pub(crate) async fn tunnel_requests(
        &self,
        caller: &Caller,
        id: &Id<Tunnel>,
        filter: RequestFilter,
    ) -> Result<Gathered<Vec<RecentRequest>>> {
        self.get_view::<Tunnel>(caller, id).await?;
        Ok(self.live.requests(id.as_str(), filter).await)
    }
}
