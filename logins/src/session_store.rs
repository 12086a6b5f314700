//! The interface to the storage of sessions.

use futures::future::BoxFuture;
use postern_api::{
    Code, Error, Timestamp,
    published::{LoginSession, SessionKey},
};

/// The id of a SAML message or assertion that was accepted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SpentId {
    /// Digest of route and id.
    pub digest: [u8; 32],
    /// End of its validity, in seconds since 1970; it need not be stored for longer.
    pub until: i64,
}

/// Stores sessions, so that they outlive the process and can be ended from elsewhere. When a future of `create`,
/// `renew` or `end` completes, the change is published (`Logins::publish`) already.
pub trait SessionStore: Send + Sync {
    /// Stores a new session, which has no id yet. The sessions in `rekeyed`, named by id, move to new keys.
    fn create(&self, session: LoginSession, rekeyed: Vec<(String, SessionKey)>) -> BoxFuture<'_, Result<(), Error>>;
    /// Replaces a session after its person was checked again.
    fn renew(&self, session: LoginSession) -> BoxFuture<'_, Result<(), Error>>;
    /// Ends sessions by id. Unknown ids are not an error.
    fn end(&self, ids: Vec<String>) -> BoxFuture<'_, Result<(), Error>>;
    /// Marks SAML assertions as used, for all nodes of a cluster. Whether none of them was used before. A store of a single
    /// server need not do anything: its server knows what it has accepted.
    fn spend(&self, ids: Vec<SpentId>) -> BoxFuture<'_, Result<bool, Error>> {
        let _ = ids;
        Box::pin(std::future::ready(Ok(true)))
    }
    /// Records when sessions were last used, by id. Need not be durable when it completes.
    fn record_use(&self, used: Vec<(String, Timestamp)>) -> BoxFuture<'_, Result<(), Error>>;
}

/// Stores nothing and refuses every login. For an edge without storage.
pub struct NoSessionStore;

impl SessionStore for NoSessionStore {
    fn create(&self, _: LoginSession, _: Vec<(String, SessionKey)>) -> BoxFuture<'_, Result<(), Error>> {
        Box::pin(std::future::ready(Err(Code::LoginUnavailable.into())))
    }
    fn renew(&self, _: LoginSession) -> BoxFuture<'_, Result<(), Error>> {
        Box::pin(std::future::ready(Err(Code::LoginUnavailable.into())))
    }
    fn end(&self, _: Vec<String>) -> BoxFuture<'_, Result<(), Error>> {
        Box::pin(std::future::ready(Ok(())))
    }
    fn record_use(&self, _: Vec<(String, Timestamp)>) -> BoxFuture<'_, Result<(), Error>> {
        Box::pin(std::future::ready(Ok(())))
    }
}
