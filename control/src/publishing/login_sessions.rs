//! Login sessions, indexed by their keys.

use crate::logins::stored_login;
use postern_api::{
    Timestamp,
    published::{LoginSession, LoginSessions, SessionKey},
};
use std::{collections::HashMap, sync::Arc};

/// All sessions, in a persistent map that is shared with what is published.
#[derive(Default)]
pub(super) struct LoginSessionIndex {
    sessions: LoginSessions,
    keys: HashMap<String, SessionKey>,
    /// Times of last use, until the session itself is loaded; after that the edge tracks them.
    last_uses: HashMap<String, Timestamp>,
}

impl LoginSessionIndex {
    /// Sets the time of last use from its stored key and value.
    pub(super) fn set_last_use(&mut self, key: &str, value: &[u8]) {
        let (id, at) = (key.rsplit('/').next().unwrap_or_default(), stored_login::decode_time(value));
        self.last_uses.extend(at.map(|at| (id.to_owned(), at)));
    }

    /// Sets a session; `None` removes it.
    pub(super) fn set(&mut self, id: &str, session: Option<LoginSession>) {
        if let Some(former) = self.keys.remove(id) {
            self.sessions.remove_mut(&former);
        }
        if let Some(mut session) = session {
            let last = self.last_uses.remove(id);
            session.last_active = last.map_or(session.last_active, |last| last.max(session.last_active));
            self.keys.insert(id.to_owned(), session.key);
            self.sessions.insert_mut(session.key, Arc::new(session));
        }
    }

    pub(super) fn publish(&self) -> LoginSessions {
        self.sessions.clone()
    }
}
