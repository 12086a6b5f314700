//! Tunnel credentials as the edge knows them: those it accepts, and those whose owner is not active.

use crate::resources::Kept;
use postern_api::{
    OwnerId,
    published::{self, Map},
    resource::{BotUser, Credential},
    token::TokenHash,
};
use std::collections::{HashMap, HashSet};

/// All credentials by the KSUID of their id, and who may use none of theirs.
#[derive(Default)]
pub(super) struct Credentials {
    owners: HashMap<String, OwnerId>,
    inactive: HashSet<OwnerId>,
    /// Those that agents may use, and those that they may not at the moment.
    pub(super) accepted: Map<String, published::Credential>,
    resting: Map<String, published::Credential>,
    /// The hashes of the latter.
    pub(super) refused: Map<String, TokenHash>,
}

impl Credentials {
    /// Takes a credential in, or notes that it is gone.
    pub(super) fn set(&mut self, ksuid: String, credential: Option<Kept<Credential>>) {
        self.take(&ksuid);
        self.owners.remove(&ksuid);
        if let Some(kept) = credential {
            let (id, owner) = (kept.id.to_string(), kept.spec.owner_id.to_string());
            let credential = published::Credential { id, hash: kept.hidden, acl: kept.spec.acl, owner };
            self.owners.insert(ksuid.clone(), kept.spec.owner_id);
            self.place(ksuid, credential);
        }
    }

    /// Takes a bot user in, or notes that it is gone; says whether that may change which credentials count.
    pub(super) fn bot(&mut self, id: &str, bot: Option<Kept<BotUser>>) -> bool {
        let Ok(owner) = OwnerId::parse(id) else { return false };
        let changed = match bot {
            Some(bot) if !bot.spec.active => self.inactive.insert(owner.clone()),
            _ => self.inactive.remove(&owner),
        };
        if changed {
            let theirs = self.owners.iter().filter(|(_, of)| **of == owner).map(|(ksuid, _)| ksuid.clone());
            for ksuid in theirs.collect::<Vec<_>>() {
                if let Some(credential) = self.take(&ksuid) {
                    self.place(ksuid, credential);
                }
            }
        }
        changed
    }

    fn take(&mut self, ksuid: &str) -> Option<published::Credential> {
        let known = self.accepted.get(ksuid).or_else(|| self.resting.get(ksuid)).cloned()?;
        self.accepted.remove_mut(ksuid);
        if self.resting.remove_mut(ksuid) {
            self.refused.remove_mut(ksuid);
        }
        Some(known)
    }

    fn place(&mut self, ksuid: String, credential: published::Credential) {
        if self.owners.get(&ksuid).is_some_and(|owner| self.inactive.contains(owner)) {
            self.refused.insert_mut(ksuid.clone(), credential.hash.clone());
            self.resting.insert_mut(ksuid, credential);
        } else {
            self.accepted.insert_mut(ksuid, credential);
        }
    }
}
