//! Weighted backends: each visitor goes to one child, in proportion to the weights.

use postern_api::resource::WeightedBackend;
use rand::Rng;

/// Children and where each one's share ends.
#[derive(Debug, Default)]
pub(crate) struct Weights {
    ends: Vec<(u64, String)>,
    whole: u64,
}

impl Weights {
    pub(crate) fn of(backend: &WeightedBackend) -> Self {
        let mut shares = Weights::default();
        for (child, weight) in &backend.backends {
            // A child without weight gets no visitors.
            let Ok(weight @ 1..) = u64::try_from(*weight) else { continue };
            shares.whole += weight;
            shares.ends.push((shares.whole, child.clone()));
        }
        shares
    }

    /// The child for one visitor; `None` if all weights are zero.
    pub(crate) fn pick(&self, random: &mut impl Rng) -> Option<&str> {
        if self.whole == 0 {
            return None;
        }
        let point = random.random_range(0..self.whole);
        let index = self.ends.partition_point(|(end, _)| *end <= point);
        self.ends.get(index).map(|(_, child)| child.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::{SeedableRng, rngs::StdRng};
    use std::collections::{BTreeMap, HashMap};

    fn shares(weights: &[(&str, i64)]) -> Weights {
        let backends: BTreeMap<String, i64> = weights.iter().map(|(id, weight)| ((*id).to_owned(), *weight)).collect();
        Weights::of(&WeightedBackend { backends })
    }

    #[test]
    fn visitors_are_spread_in_proportion_to_the_weights() {
        let shares = shares(&[("one", 1), ("three", 3), ("none", 0)]);
        let mut random = StdRng::seed_from_u64(7);
        let mut counts: HashMap<&str, u32> = HashMap::new();
        for _ in 0..40_000 {
            *counts.entry(shares.pick(&mut random).expect("a child")).or_default() += 1;
        }
        assert_eq!(counts.len(), 2, "{counts:?}");
        // Three standard deviations around 10,000 are about 260.
        assert!(counts["one"].abs_diff(10_000) < 260, "{counts:?}");
    }

    #[test]
    fn without_any_weight_no_child_is_picked() {
        let mut random = StdRng::seed_from_u64(7);
        assert_eq!(shares(&[("one", 0)]).pick(&mut random), None);
        assert_eq!(shares(&[]).pick(&mut random), None);
        assert_eq!(shares(&[("one", 10_000)]).pick(&mut random), Some("one"));
    }
}
