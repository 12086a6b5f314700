//! The one thing that logins ask of whoever stores them.

use futures::future::BoxFuture;
use postern_api::{
    Code, Error, Timestamp,
    published::{LoginSession, SessionKey},
};

/// Where sessions are kept, so that they outlive the process and can be ended from elsewhere. What is asked for is
/// published and taken (`Logins::publish`) when the answer comes.
pub trait Ledger: Send + Sync {
    /// A session begins; it has no id yet. Those named by their id, whose browser is here now, go on under another
    /// key.
    fn begin(&self, session: LoginSession, renamed: Vec<(String, SessionKey)>) -> BoxFuture<'_, Result<(), Error>>;
    /// A session goes on with what the provider says of the person now.
    fn renew(&self, session: LoginSession) -> BoxFuture<'_, Result<(), Error>>;
    /// Sessions end, by their ids. Those that are no more are no error.
    fn end(&self, ids: Vec<String>) -> BoxFuture<'_, Result<(), Error>>;
    /// When sessions were last used, by their ids. Nobody waits for this to be durable.
    fn used(&self, used: Vec<(String, Timestamp)>) -> BoxFuture<'_, Result<(), Error>>;
}

/// Keeps nothing: every login is refused. For an edge that has nowhere to keep them.
pub struct NoLedger;

impl Ledger for NoLedger {
    fn begin(&self, _: LoginSession, _: Vec<(String, SessionKey)>) -> BoxFuture<'_, Result<(), Error>> {
        Box::pin(std::future::ready(Err(Code::LoginUnavailable.into())))
    }
    fn renew(&self, _: LoginSession) -> BoxFuture<'_, Result<(), Error>> {
        Box::pin(std::future::ready(Err(Code::LoginUnavailable.into())))
    }
    fn end(&self, _: Vec<String>) -> BoxFuture<'_, Result<(), Error>> {
        Box::pin(std::future::ready(Ok(())))
    }
    fn used(&self, _: Vec<(String, Timestamp)>) -> BoxFuture<'_, Result<(), Error>> {
        Box::pin(std::future::ready(Ok(())))
    }
}
