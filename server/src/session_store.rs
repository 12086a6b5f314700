//! Stores login sessions of visitors in the management API and waits until the edge has applied them.

use crate::edge_sync::EdgeSync;
use futures::{FutureExt, future::BoxFuture};
use postern_api::{
    Error, Result, Timestamp,
    published::{LoginSession, SessionKey},
};
use postern_control::{Control, SpentAssertion};
use postern_logins::SpentId;
use std::sync::Arc;

/// Session store of the edge, backed by the management API.
pub(crate) struct ControlSessionStore {
    control: Arc<Control>,
    edge_sync: EdgeSync,
}

impl ControlSessionStore {
    /// Changes complete once the edge has applied them.
    pub(crate) fn new(control: Arc<Control>, edge_sync: EdgeSync) -> Self {
        ControlSessionStore { control, edge_sync }
    }

    async fn applied(&self, result: Result<()>) -> Result<()> {
        result?;
        self.edge_sync.wait().await;
        Ok(())
    }
}

impl postern_logins::SessionStore for ControlSessionStore {
    fn create(&self, session: LoginSession, rekeyed: Vec<(String, SessionKey)>) -> BoxFuture<'_, Result<(), Error>> {
        async move { self.applied(self.control.logins().begin(session, rekeyed).await).await }.boxed()
    }
    fn renew(&self, session: LoginSession) -> BoxFuture<'_, Result<(), Error>> {
        async move { self.applied(self.control.logins().renew(session).await).await }.boxed()
    }
    fn end(&self, ids: Vec<String>) -> BoxFuture<'_, Result<(), Error>> {
        async move { self.applied(self.control.logins().end(&ids).await).await }.boxed()
    }
    fn spend(&self, ids: Vec<SpentId>) -> BoxFuture<'_, Result<bool, Error>> {
        let ids = ids.into_iter().map(|SpentId { digest, until }| SpentAssertion { digest, until });
        let ids: Vec<SpentAssertion> = ids.collect();
        async move { self.control.logins().spend(&ids).await }.boxed()
    }
    fn record_use(&self, used: Vec<(String, Timestamp)>) -> BoxFuture<'_, Result<(), Error>> {
        async move { self.control.logins().record_uses(&used).await }.boxed()
    }
}
