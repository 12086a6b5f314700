//! Memory of maps that were large.

use std::{
    collections::HashMap,
    hash::{BuildHasher, Hash},
};

/// Maps with less room than this keep it.
const MIN_CAPACITY: usize = 64;

/// Returns most of the room of a map that holds little of what it once held. To be called after a removal.
pub(super) fn shrink<K: Eq + Hash, V, S: BuildHasher>(map: &mut HashMap<K, V, S>) {
    // Between two changes of its size, a map loses or gains many entries.
    if map.capacity() > MIN_CAPACITY && 8 * map.len() < map.capacity() {
        map.shrink_to(2 * map.len());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_room_of_a_map_follows_its_entries() {
        let mut map: HashMap<u32, u32> = (0..10_000).map(|number| (number, number)).collect();
        let mut changes = 0;
        for number in 0..10_000 {
            let before = map.capacity();
            map.remove(&number);
            shrink(&mut map);
            changes += usize::from(2 * map.capacity() < before);
            assert!(map.capacity() <= MIN_CAPACITY.max(8 * map.len()), "{} for {}", map.capacity(), map.len());
        }
        assert!((1..10).contains(&changes), "{changes}");
    }
}
