//! Things that are published one beside the other, each made anew only if something in it has changed.

use postern_api::published::Listed;
use std::{
    collections::{BTreeSet, HashMap},
    sync::Arc,
};

/// What is known of each thing by its id, and what was made of it.
pub(super) struct Shelf<Known, Made> {
    known: HashMap<String, Known>,
    made: Listed<Made>,
    /// What must be made before it is shown.
    stale: BTreeSet<String>,
    /// What has changed or gone since that was asked last.
    touched: BTreeSet<String>,
    list: Option<Arc<Vec<Arc<Made>>>>,
}

impl<Known, Made> Default for Shelf<Known, Made> {
    fn default() -> Self {
        Shelf {
            known: HashMap::new(),
            made: Listed::default(),
            stale: BTreeSet::new(),
            touched: BTreeSet::new(),
            list: None,
        }
    }
}

impl<Known, Made> Shelf<Known, Made> {
    /// Takes in what is known now; `None` takes it out.
    pub(super) fn set(&mut self, id: &str, known: Option<Known>) {
        match known {
            Some(known) => self.known.insert(id.to_owned(), known),
            None => self.known.remove(id),
        };
        self.stale(id);
    }

    /// Something it is made of has changed.
    pub(super) fn stale(&mut self, id: &str) {
        self.list = None;
        let was = self.made.remove_mut(id);
        if self.known.contains_key(id) {
            self.stale.insert(id.to_owned());
        } else if !self.stale.remove(id) && !was {
            return;
        }
        self.touched.insert(id.to_owned());
    }

    pub(super) fn known(&self, id: &str) -> Option<&Known> {
        self.known.get(id)
    }

    /// The ids of what has changed or gone since this was asked last.
    pub(super) fn touched(&mut self) -> BTreeSet<String> {
        std::mem::take(&mut self.touched)
    }

    /// One thing, made if it is stale.
    pub(super) fn one(&mut self, id: &str, make: impl FnOnce(&str, &Known) -> Made) -> Option<Arc<Made>> {
        if let Some(made) = self.made.get(id) {
            return Some(made.clone());
        }
        let made = Arc::new(make(id, self.known.get(id)?));
        self.stale.remove(id);
        self.made.insert_mut(id.to_owned(), made.clone());
        Some(made)
    }

    /// All of them in the order of their ids.
    pub(super) fn all(&mut self, mut make: impl FnMut(&str, &Known) -> Made) -> Listed<Made> {
        while let Some(id) = self.stale.pop_first() {
            if let Some(known) = self.known.get(&id) {
                let made = Arc::new(make(&id, known));
                self.made.insert_mut(id, made);
            }
        }
        self.made.clone()
    }

    /// The same for those that are few.
    pub(super) fn list(&mut self, make: impl FnMut(&str, &Known) -> Made) -> Arc<Vec<Arc<Made>>> {
        if let Some(list) = &self.list {
            return list.clone();
        }
        let list = Arc::new(self.all(make).values().cloned().collect());
        self.list.insert(list).clone()
    }
}
