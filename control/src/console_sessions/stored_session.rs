//! Stored form of a session: the digest of its token, and what it stands for.

use crate::{ConsoleSessionLimits, store::Entry};
use postern_api::{Code, Error, Id, OwnerId, Result, Role, Timestamp, resource::ApiKey, token::TokenHash};
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// Prefix of the keys, each of which ends with the KSUID of the session.
pub(super) const SESSIONS: &str = "console_sessions/";

/// A stored session.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct StoredSession {
    pub(super) hash: TokenHash,
    #[serde(flatten)]
    pub(super) begun_with: BegunWith,
    pub(super) owner: OwnerId,
    pub(super) created_at: Timestamp,
    pub(super) last_used: Timestamp,
    /// It was begun over HTTPS, and holds there only.
    pub(super) secure: bool,
}

/// What a session was begun with. Its rights are looked up at each call.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub(super) enum BegunWith {
    Key { api_key: Id<ApiKey> },
    Provider { provider: ProviderGrant },
}

/// What an OpenID provider said at the sign-in.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct ProviderGrant {
    pub(super) issuer: String,
    /// In lower case.
    pub(super) email: String,
    /// The role that the groups gave; `None` if roles do not depend on groups.
    pub(super) role: Option<Role>,
}

/// Key of a session.
pub(super) fn key(ksuid: &str) -> String {
    format!("{SESSIONS}{ksuid}")
}

impl StoredSession {
    pub(super) fn read(entry: &Entry) -> Result<Self> {
        serde_json::from_slice(&entry.value)
            .map_err(|_| Error::new(Code::Internal, format!("`{}` cannot be read: it has another form.", entry.key)))
    }

    pub(super) fn write(&self) -> Result<Vec<u8>> {
        serde_json::to_vec(self)
            .map_err(|error| Error::new(Code::Internal, format!("A session could not be written: {error}.")))
    }

    /// The end of its life.
    pub(super) fn expires_at(&self, limits: ConsoleSessionLimits) -> Timestamp {
        after(self.created_at, limits.lifetime)
    }

    /// Whether it is too old, or has been idle for too long. A clock that was set back ends no session.
    pub(super) fn has_expired(&self, limits: ConsoleSessionLimits, now: Timestamp) -> bool {
        now >= self.expires_at(limits) || now >= after(self.last_used, limits.inactivity)
    }
}

fn after(start: Timestamp, duration: Duration) -> Timestamp {
    let seconds = i64::try_from(duration.as_secs()).unwrap_or(i64::MAX);
    let end = jiff::Timestamp::from_second(start.seconds().saturating_add(seconds));
    Timestamp::new(end.unwrap_or(jiff::Timestamp::MAX))
}
