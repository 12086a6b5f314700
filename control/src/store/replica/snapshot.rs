//! All keys at one revision, read in pages, and what changed since the replica followed last.

use super::{
    key_space::KeySpace,
    memory::Memory,
    state::{LeasedChange, State},
};
use crate::store::{
    Change, Revision,
    etcd::{CALL_TIMEOUT, Client, Failure},
};
use std::collections::HashSet;

/// Entries of the first page.
const FIRST_LIMIT: i64 = 64;
const MAX_LIMIT: i64 = 2048;
/// Pages are made larger and smaller so that they are about this long.
const PAGE_BYTES: usize = 4 << 20;

/// All keys at a revision.
pub(super) struct Snapshot {
    changes: Vec<LeasedChange>,
    pub(super) revision: Revision,
}

impl Snapshot {
    /// Reads all keys. Begins again if the revision is compacted meanwhile.
    pub(super) async fn read(client: &Client, keys: &KeySpace) -> Result<Self, Failure> {
        loop {
            match Self::read_once(client, keys).await {
                Err(Failure::Compacted) => {}
                read => return read,
            }
        }
    }

    async fn read_once(client: &Client, keys: &KeySpace) -> Result<Self, Failure> {
        let mut request = keys.range_request("");
        request.limit = FIRST_LIMIT;
        let mut snapshot = Snapshot { changes: Vec::new(), revision: 0 };
        loop {
            let page = client.range(request.clone(), CALL_TIMEOUT).await?;
            if request.revision == 0 {
                snapshot.revision = page.header.as_ref().map_or(0, |header| header.revision);
                request.revision = snapshot.revision;
            }
            let bytes: usize = page.kvs.iter().map(|kv| kv.key.len() + kv.value.len()).sum();
            request.limit = if bytes > PAGE_BYTES { request.limit / 2 } else { request.limit * 2 }.clamp(1, MAX_LIMIT);
            let last = page.kvs.last().map(|kv| kv.key.clone());
            for kv in page.kvs {
                if let Some(key) = keys.own(&kv.key) {
                    snapshot.changes.push((Change { revision: kv.mod_revision, key, value: Some(kv.value) }, kv.lease));
                }
            }
            let Some(mut next) = last.filter(|_| page.more) else { return Ok(snapshot) };
            next.push(0);
            request.key = next;
        }
    }

    /// The keys, as a new replica holds them.
    pub(super) fn into_memory(self) -> Memory {
        let mut memory = Memory::default();
        self.changes.iter().for_each(|(change, lease)| memory.change(change, *lease));
        memory.set_revision(self.revision);
        memory
    }

    /// Applies what changed since the replica followed last.
    pub(super) fn apply_difference(self, state: &State) {
        let reached = state.reached();
        let present: HashSet<&str> = self.changes.iter().map(|(change, _)| change.key.as_str()).collect();
        let deleted: Vec<LeasedChange> = {
            let memory = state.memory();
            let gone = memory.iter().filter(|(key, _)| !present.contains(key.as_str()));
            gone.map(|(key, _)| (Change { revision: self.revision, key: key.clone(), value: None }, 0)).collect()
        };
        let mut changes: Vec<LeasedChange> =
            self.changes.into_iter().filter(|(change, _)| change.revision > reached).collect();
        changes.sort_by_key(|(change, _)| change.revision);
        changes.extend(deleted);
        state.apply(changes, self.revision);
    }
}
