//! Things that are published as a list, each made anew only if something in it has changed.

use std::{
    collections::{BTreeMap, HashMap},
    sync::Arc,
};

/// What is known of each thing by its id, and what was made of it.
pub(super) struct Shelf<Known, Made> {
    known: BTreeMap<String, Known>,
    made: HashMap<String, Arc<Made>>,
    list: Option<Arc<Vec<Arc<Made>>>>,
}

impl<Known, Made> Default for Shelf<Known, Made> {
    fn default() -> Self {
        Shelf { known: BTreeMap::new(), made: HashMap::new(), list: None }
    }
}

impl<Known, Made> Shelf<Known, Made> {
    /// Takes in what is known now; `None` takes it out.
    pub(super) fn set(&mut self, id: &str, known: Option<Known>) {
        self.stale(id);
        match known {
            Some(known) => self.known.insert(id.to_owned(), known),
            None => self.known.remove(id),
        };
    }

    /// Something it is made of has changed.
    pub(super) fn stale(&mut self, id: &str) {
        self.made.remove(id);
        self.list = None;
    }

    pub(super) fn known(&self, id: &str) -> Option<&Known> {
        self.known.get(id)
    }

    /// One thing, made if it is stale.
    pub(super) fn one(&mut self, id: &str, make: impl FnOnce(&str, &Known) -> Made) -> Option<Arc<Made>> {
        if let Some(made) = self.made.get(id) {
            return Some(made.clone());
        }
        let made = Arc::new(make(id, self.known.get(id)?));
        self.made.insert(id.to_owned(), made.clone());
        Some(made)
    }

    /// All of them in the order of their ids, which is that of their age.
    pub(super) fn all(&mut self, mut make: impl FnMut(&str, &Known) -> Made) -> Arc<Vec<Arc<Made>>> {
        if let Some(list) = &self.list {
            return list.clone();
        }
        let made = &mut self.made;
        let one = |(id, known): (&String, &Known)| {
            made.entry(id.clone()).or_insert_with(|| Arc::new(make(id, known))).clone()
        };
        let list = Arc::new(self.known.iter().map(one).collect());
        self.list.insert(list).clone()
    }
}
