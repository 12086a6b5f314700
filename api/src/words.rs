//! Pronounceable names: `quiet-otter-4821`.

use rand::{Rng, seq::IndexedRandom};

const FIRST: &[&str] = &[
    "amber", "ample", "azure", "bold", "brave", "brief", "bright", "brisk", "calm", "candid", "careful", "cheerful",
    "chief", "civic", "clear", "clever", "cobalt", "cool", "copper", "coral", "cosmic", "crisp", "curious", "daring",
    "deep", "dusty", "eager", "early", "easy", "fair", "famous", "fancy", "fast", "fern", "fine", "firm", "fleet",
    "fluent", "fond", "free", "fresh", "gentle", "glad", "golden", "grand", "green", "happy", "hardy", "hazel",
    "honest", "humble", "indigo", "ivory", "jade", "jolly", "keen", "kind", "large", "level", "light", "lively",
    "loyal", "lucid", "lucky", "lunar", "maple", "mellow", "merry", "mild", "misty", "modern", "modest", "neat",
    "nimble", "noble", "north", "novel", "olive", "open", "patient", "plain", "polite", "proud", "quick", "quiet",
    "rapid", "ready", "rosy", "royal", "rustic", "sandy", "scarlet", "secret", "sharp", "silent", "silver", "simple",
    "smart", "smooth", "snowy", "solar", "solid", "south", "stable", "steady", "still", "stout", "sunny", "super",
    "sweet", "swift", "tall", "tidy", "tiny", "topaz", "tranquil", "true", "upbeat", "urban", "vast", "velvet",
    "violet", "vivid", "warm", "wide", "wild", "wise", "witty", "young", "zesty",
];

const SECOND: &[&str] = &[
    "acorn", "alder", "anchor", "anvil", "apple", "arch", "atlas", "badger", "bamboo", "barley", "basin", "bay",
    "beacon", "beaver", "birch", "bison", "bloom", "bramble", "bridge", "brook", "canyon", "castle", "cedar", "cliff",
    "cloud", "clover", "comet", "condor", "cove", "crane", "creek", "crow", "delta", "dolphin", "dove", "dune",
    "eagle", "elm", "falcon", "field", "finch", "fjord", "forest", "fox", "garden", "gate", "geyser", "glade", "glen",
    "grove", "gull", "harbor", "hare", "harvest", "hawk", "heron", "hill", "hollow", "island", "ivy", "juniper",
    "kestrel", "kite", "lagoon", "lake", "lantern", "lark", "laurel", "lily", "linden", "lion", "lotus", "lynx",
    "magpie", "mango", "marten", "meadow", "mesa", "meteor", "mill", "moon", "moss", "moth", "oak", "oasis", "ocean",
    "orchard", "orchid", "osprey", "otter", "owl", "panda", "pebble", "pelican", "pepper", "pigeon", "pine", "planet",
    "plum", "pond", "poplar", "prairie", "puffin", "quail", "raven", "reef", "ridge", "river", "robin", "rook",
    "sable", "salmon", "seal", "shore", "sparrow", "spruce", "star", "stone", "stork", "summit", "swan", "thistle",
    "tiger", "trout", "tulip", "valley", "walnut", "willow", "wolf", "wren",
];

/// A label of two words and a number from 1000 to 9999.
pub fn label() -> String {
    let mut random = rand::rng();
    let first = FIRST.choose(&mut random).copied().unwrap_or("open");
    let second = SECOND.choose(&mut random).copied().unwrap_or("gate");
    format!("{first}-{second}-{}", random.random_range(1000..10_000))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn labels_have_their_form_and_seldom_repeat() {
        let labels: HashSet<String> = (0..1000).map(|_| label()).collect();
        assert!(labels.len() > 990);
        for label in labels {
            let parts: Vec<&str> = label.split('-').collect();
            assert!(parts.len() == 3 && parts[2].len() == 4 && crate::host::HostName::parse(&label).is_ok(), "{label}");
        }
    }

    #[test]
    fn no_word_stands_twice() {
        for list in [FIRST, SECOND] {
            assert_eq!(list.iter().collect::<HashSet<_>>().len(), list.len());
        }
    }
}
