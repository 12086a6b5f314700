//! Where the edge keeps logins: with the management API, and with the edge itself having taken what was published.

use crate::run::CaughtUp;
use futures::FutureExt;
use futures::future::BoxFuture;
use postern_api::published::{LoginSession, SessionKey};
use postern_api::{Error, Result, Timestamp};
use postern_control::Control;
use std::sync::Arc;

/// Holds the management API for as long as the edge may write to it.
pub(crate) struct Ledger {
    control: Arc<Control>,
    caught_up: CaughtUp,
}

impl Ledger {
    /// What begins or ends is answered once `caught_up` says so.
    pub(crate) fn new(control: Arc<Control>, caught_up: CaughtUp) -> Self {
        Ledger { control, caught_up }
    }

    async fn applied(&self, done: Result<()>) -> Result<()> {
        done?;
        self.caught_up.clone().wait().await;
        Ok(())
    }
}

impl postern_logins::Ledger for Ledger {
    fn begin(&self, session: LoginSession, renamed: Vec<(String, SessionKey)>) -> BoxFuture<'_, Result<(), Error>> {
        async move { self.applied(self.control.logins().begin(session, renamed).await).await }.boxed()
    }
    fn renew(&self, session: LoginSession) -> BoxFuture<'_, Result<(), Error>> {
        async move { self.applied(self.control.logins().renew(session).await).await }.boxed()
    }
    fn end(&self, ids: Vec<String>) -> BoxFuture<'_, Result<(), Error>> {
        async move { self.applied(self.control.logins().end(&ids).await).await }.boxed()
    }
    fn used(&self, used: Vec<(String, Timestamp)>) -> BoxFuture<'_, Result<(), Error>> {
        async move { self.control.logins().used(&used).await }.boxed()
    }
}
