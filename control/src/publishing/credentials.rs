//! Tunnel credentials of the edge: accepted ones, and refused ones of inactive owners.

use crate::resources::StoredRecord;
use postern_api::{
    OwnerId,
    published::{self, Map},
    resource::{BotUser, Credential},
    token::TokenHash,
};
use std::collections::{HashMap, HashSet};

/// All credentials by the KSUID of their ids, and the inactive owners.
#[derive(Default)]
pub(super) struct Credentials {
    owners: HashMap<String, OwnerId>,
    inactive_owners: HashSet<OwnerId>,
    /// Credentials that agents may use.
    pub(super) accepted: Map<String, published::Credential>,
    /// Credentials of inactive owners.
    inactive_credentials: Map<String, published::Credential>,
    /// Hashes of the credentials of inactive owners.
    pub(super) refused: Map<String, TokenHash>,
}

impl Credentials {
    /// Sets a credential; `None` removes it.
    pub(super) fn set(&mut self, ksuid: String, credential: Option<StoredRecord<Credential>>) {
        self.remove(&ksuid);
        self.owners.remove(&ksuid);
        if let Some(stored) = credential {
            let (id, owner) = (stored.id.to_string(), stored.spec.owner_id.to_string());
            let credential = published::Credential { id, hash: stored.hidden, acl: stored.spec.acl, owner };
            self.owners.insert(ksuid.clone(), stored.spec.owner_id);
            self.insert(ksuid, credential);
        }
    }

    /// Sets a bot user; `None` removes it. Returns whether it became active or inactive.
    pub(super) fn set_bot_user(&mut self, id: &str, bot: Option<StoredRecord<BotUser>>) -> bool {
        let Ok(owner) = OwnerId::parse(id) else { return false };
        let changed = match bot {
            Some(bot) if !bot.spec.active => self.inactive_owners.insert(owner.clone()),
            _ => self.inactive_owners.remove(&owner),
        };
        if changed {
            let owned = self.owners.iter().filter(|(_, other)| **other == owner).map(|(ksuid, _)| ksuid.clone());
            for ksuid in owned.collect::<Vec<_>>() {
                if let Some(credential) = self.remove(&ksuid) {
                    self.insert(ksuid, credential);
                }
            }
        }
        changed
    }

    fn remove(&mut self, ksuid: &str) -> Option<published::Credential> {
        let credential = self.accepted.get(ksuid).or_else(|| self.inactive_credentials.get(ksuid)).cloned()?;
        self.accepted.remove_mut(ksuid);
        if self.inactive_credentials.remove_mut(ksuid) {
            self.refused.remove_mut(ksuid);
        }
        Some(credential)
    }

    fn insert(&mut self, ksuid: String, credential: published::Credential) {
        if self.owners.get(&ksuid).is_some_and(|owner| self.inactive_owners.contains(owner)) {
            self.refused.insert_mut(ksuid.clone(), credential.hash.clone());
            self.inactive_credentials.insert_mut(ksuid, credential);
        } else {
            self.accepted.insert_mut(ksuid, credential);
        }
    }
}
