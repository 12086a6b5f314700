//! Everybody who has logged in, by what the edge finds them by.

use crate::logins::stored;
use postern_api::{
    Timestamp,
    published::{LoginSession, LoginSessions, SessionKey},
};
use std::{collections::HashMap, sync::Arc};

/// All sessions. What is published shares with them all that has not changed since.
#[derive(Default)]
pub(super) struct Logins {
    sessions: LoginSessions,
    keys: HashMap<String, SessionKey>,
    /// When sessions were used last, until they are read themselves: from then on the edge knows better.
    uses: HashMap<String, Timestamp>,
}

impl Logins {
    /// Takes in when a session was used last.
    pub(super) fn used(&mut self, key: &str, value: &[u8]) {
        let (id, at) = (key.rsplit('/').next().unwrap_or_default(), stored::read_moment(value));
        self.uses.extend(at.map(|at| (id.to_owned(), at)));
    }

    /// Takes in a session as it is now, or that it is gone.
    pub(super) fn set(&mut self, id: &str, session: Option<LoginSession>) {
        if let Some(former) = self.keys.remove(id) {
            self.sessions.remove_mut(&former);
        }
        if let Some(mut session) = session {
            let last = self.uses.remove(id);
            session.last_active = last.map_or(session.last_active, |last| last.max(session.last_active));
            self.keys.insert(id.to_owned(), session.key);
            self.sessions.insert_mut(session.key, Arc::new(session));
        }
    }

    pub(super) fn publish(&self) -> LoginSessions {
        self.sessions.clone()
    }
}
