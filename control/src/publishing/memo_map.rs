//! Map of published values, each recomputed only if its inputs changed.

use postern_api::published::Listed;
use std::{
    collections::{BTreeSet, HashMap},
    sync::Arc,
};

/// Inputs by id, and the values computed from them.
pub(super) struct MemoMap<Input, Value> {
    inputs: HashMap<String, Input>,
    values: Listed<Value>,
    /// Ids whose values must be recomputed.
    stale: BTreeSet<String>,
    /// Ids that were changed or removed since the last [`MemoMap::take_changed`].
    changed: BTreeSet<String>,
    list: Option<Arc<Vec<Arc<Value>>>>,
}

impl<Input, Value> Default for MemoMap<Input, Value> {
    fn default() -> Self {
        MemoMap {
            inputs: HashMap::new(),
            values: Listed::default(),
            stale: BTreeSet::new(),
            changed: BTreeSet::new(),
            list: None,
        }
    }
}

impl<Input, Value> MemoMap<Input, Value> {
    /// Sets the input of an id; `None` removes it.
    pub(super) fn set(&mut self, id: &str, input: Option<Input>) {
        match input {
            Some(input) => self.inputs.insert(id.to_owned(), input),
            None => self.inputs.remove(id),
        };
        self.invalidate(id);
    }

    /// Marks a value as stale, because something else it depends on changed.
    pub(super) fn invalidate(&mut self, id: &str) {
        self.list = None;
        let existed = self.values.remove_mut(id);
        if self.inputs.contains_key(id) {
            self.stale.insert(id.to_owned());
        } else if !self.stale.remove(id) && !existed {
            return;
        }
        self.changed.insert(id.to_owned());
    }

    pub(super) fn input(&self, id: &str) -> Option<&Input> {
        self.inputs.get(id)
    }

    /// Ids that were changed or removed since the last call.
    pub(super) fn take_changed(&mut self) -> BTreeSet<String> {
        std::mem::take(&mut self.changed)
    }

    /// One value, computed if it is stale.
    pub(super) fn get(&mut self, id: &str, compute: impl FnOnce(&str, &Input) -> Value) -> Option<Arc<Value>> {
        if let Some(value) = self.values.get(id) {
            return Some(value.clone());
        }
        let value = Arc::new(compute(id, self.inputs.get(id)?));
        self.stale.remove(id);
        self.values.insert_mut(id.to_owned(), value.clone());
        Some(value)
    }

    /// All values by id; computes the stale ones.
    pub(super) fn all(&mut self, mut compute: impl FnMut(&str, &Input) -> Value) -> Listed<Value> {
        while let Some(id) = self.stale.pop_first() {
            if let Some(input) = self.inputs.get(&id) {
                let value = Arc::new(compute(&id, input));
                self.values.insert_mut(id, value);
            }
        }
        self.values.clone()
    }

    /// All values in the order of their ids, as one shared list; for small maps.
    pub(super) fn list(&mut self, compute: impl FnMut(&str, &Input) -> Value) -> Arc<Vec<Arc<Value>>> {
        if let Some(list) = &self.list {
            return list.clone();
        }
        let list = Arc::new(self.all(compute).values().cloned().collect());
        self.list.insert(list).clone()
    }
}
