//! One commit in the making: what must hold, what is written, and what it means if something does not hold.

use super::kept::{Claim, Link, Linked};
use crate::store::{Commit, Condition, Revision, Write};
use postern_api::{AnyId, Code, Error, Result, Timestamp};
use serde::Serialize;

/// Why a commit did not happen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Obstacle {
    /// Something was changed at the same moment: look again and try again.
    Moved,
    /// Another record holds the value.
    Taken(Claim),
    /// The target of a new link does not exist; whether a module names it.
    Missing(Link, bool),
}

/// A commit in the making.
#[derive(Default)]
pub(crate) struct Plan {
    conditions: Vec<(Condition, Obstacle)>,
    writes: Vec<Write>,
}

#[derive(Serialize)]
struct Event<'a> {
    #[serde(rename = "type")]
    what: &'a str,
    object: &'a str,
    by: &'a AnyId,
    at: Timestamp,
}

impl Plan {
    /// The key must be as it was when it was read.
    pub(crate) fn unchanged(&mut self, key: &str, revision: Option<Revision>) {
        let condition = match revision {
            Some(revision) => Condition::Unchanged(key.to_owned(), revision),
            None => Condition::Absent(key.to_owned()),
        };
        self.conditions.push((condition, Obstacle::Moved));
    }

    /// The key must exist.
    pub(crate) fn present(&mut self, key: &str) {
        self.conditions.push((Condition::Present(key.to_owned()), Obstacle::Moved));
    }

    /// Nothing may have been added below a prefix since it was read.
    pub(crate) fn none_newer(&mut self, prefix: &str, revision: Revision) {
        self.conditions.push((Condition::NoneNewer(prefix.to_owned(), revision), Obstacle::Moved));
    }

    pub(crate) fn put(&mut self, key: &str, value: Vec<u8>) {
        self.writes.push(Write::Put(key.to_owned(), value));
    }

    pub(crate) fn delete(&mut self, key: &str) {
        self.writes.push(Write::Delete(key.to_owned()));
    }

    /// Takes new claims for a record and lets go of those it no longer has.
    pub(crate) fn claim(&mut self, record: &str, former: &[Claim], now: &[Claim]) {
        for claim in former.iter().filter(|claim| !now.contains(claim)) {
            self.delete(&claim.key());
        }
        for claim in now.iter().filter(|claim| !former.contains(claim)) {
            self.conditions.push((Condition::Absent(claim.key()), Obstacle::Taken(claim.clone())));
            self.put(&claim.key(), record.as_bytes().to_vec());
        }
    }

    /// Makes new links and removes those that are no more. A link that was there before asks for nothing: its
    /// target may have gone if the link only mentions it. `from` is `<id>` or `<id>/<module>`.
    pub(super) fn link(&mut self, from: &str, record_key: &str, former: &[Link], now: &[Link]) -> Result<()> {
        for link in former.iter().filter(|link| !now.contains(link)) {
            self.delete(&link.key(from));
        }
        for link in now.iter().filter(|link| !former.contains(link)) {
            let missing = Obstacle::Missing(link.clone(), from.contains('/'));
            self.conditions.push((Condition::Present(link.target_key()), missing));
            let linked = Linked { role: link.role, from: record_key.to_owned() };
            self.put(&link.key(from), plain(&linked)?);
        }
        Ok(())
    }

    /// Notes down that something happened.
    pub(crate) fn event(&mut self, what: &str, object: &str, by: &AnyId, at: jiff::Timestamp) -> Result<()> {
        let id = postern_api::id::next_ksuid(at);
        let event = Event { what, object, by, at: Timestamp::new(at) };
        self.put(&format!("events/ev_{id}"), plain(&event)?);
        Ok(())
    }

    /// The commit, to be given to the store.
    pub(crate) fn commit(&self) -> Commit {
        Commit {
            conditions: self.conditions.iter().map(|(condition, _)| condition.clone()).collect(),
            writes: self.writes.clone(),
        }
    }

    /// What a condition that did not hold means.
    pub(super) fn obstacle(&self, failed: &Condition) -> Obstacle {
        let found = self.conditions.iter().find(|(condition, _)| condition == failed);
        found.map_or(Obstacle::Moved, |(_, obstacle)| obstacle.clone())
    }
}

fn plain(value: &impl Serialize) -> Result<Vec<u8>> {
    serde_json::to_vec(value)
        .map_err(|error| Error::new(Code::Internal, format!("A record could not be written: {error}.")))
}
