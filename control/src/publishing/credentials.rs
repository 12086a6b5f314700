//! Tunnel credentials as the edge knows them: those it accepts, and those whose owner is not active.

use crate::resources::Kept;
use postern_api::{
    OwnerId, published,
    resource::{BotUser, Credential},
    token::TokenHash,
};
use std::{
    collections::{HashMap, HashSet},
    sync::Arc,
};

/// All credentials by the KSUID of their id, and who may use none of theirs.
#[derive(Default)]
pub(super) struct Credentials {
    all: HashMap<String, (published::Credential, OwnerId)>,
    inactive: HashSet<OwnerId>,
    published: Option<Halves>,
}

/// Both halves, copied only if something has changed.
#[derive(Clone)]
pub(super) struct Halves {
    pub(super) accepted: Arc<HashMap<String, published::Credential>>,
    pub(super) inactive: Arc<HashMap<String, TokenHash>>,
}

impl Credentials {
    /// Takes a credential in, or notes that it is gone.
    pub(super) fn set(&mut self, ksuid: String, credential: Option<Kept<Credential>>) {
        self.published = None;
        match credential {
            Some(kept) => {
                let id = kept.id.to_string();
                let owner = kept.spec.owner_id.to_string();
                let credential = published::Credential { id, hash: kept.hidden, acl: kept.spec.acl, owner };
                self.all.insert(ksuid, (credential, kept.spec.owner_id));
            }
            None => drop(self.all.remove(&ksuid)),
        }
    }

    /// Takes a bot user in, or notes that it is gone; says whether that may change which credentials count.
    pub(super) fn bot(&mut self, id: &str, bot: Option<Kept<BotUser>>) -> bool {
        let Ok(owner) = OwnerId::parse(id) else { return false };
        let changed = match bot {
            Some(bot) if !bot.spec.active => self.inactive.insert(owner),
            _ => self.inactive.remove(&owner),
        };
        if changed {
            self.published = None;
        }
        changed
    }

    pub(super) fn publish(&mut self) -> Halves {
        if let Some(published) = &self.published {
            return published.clone();
        }
        let (mut accepted, mut inactive) = (HashMap::with_capacity(self.all.len()), HashMap::new());
        for (ksuid, (credential, owner)) in &self.all {
            if self.inactive.contains(owner) {
                inactive.insert(ksuid.clone(), credential.hash.clone());
            } else {
                accepted.insert(ksuid.clone(), credential.clone());
            }
        }
        let halves = Halves { accepted: Arc::new(accepted), inactive: Arc::new(inactive) };
        self.published.insert(halves).clone()
    }
}
