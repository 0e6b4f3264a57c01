//! Patches whose elements share nodes in the same way, which have many of their arrays in common.

use std::collections::HashMap;
use std::hash::{BuildHasher, Hash, RandomState};

use rayon::prelude::*;

/// Groups of equal items.
pub struct Groups {
    /// The group of each item.
    pub of: Vec<u32>,
    /// The first item of each group; groups are in the order of their first items.
    pub first: Vec<usize>,
}

impl Groups {
    /// Finds equal items.
    pub fn new<K: Hash + Eq + Sync>(items: &[K]) -> Self {
        let state = RandomState::new();
        let hashes: Vec<u64> = items.par_iter().map(|item| state.hash_one(item)).collect();
        let mut with_hash: HashMap<u64, Vec<u32>> = HashMap::new();
        let mut groups = Self { of: Vec::with_capacity(items.len()), first: Vec::new() };
        for (number, (item, hash)) in items.iter().zip(hashes).enumerate() {
            let same = with_hash.entry(hash).or_default();
            let known = same.iter().copied().find(|&group| items[groups.first[group as usize]] == *item);
            let group = known.unwrap_or_else(|| {
                let group = groups.first.len() as u32;
                same.push(group);
                groups.first.push(number);
                group
            });
            groups.of.push(group);
        }
        groups
    }

    /// Computes what depends on a group alone, in the order of the groups.
    pub fn compute<R: Send>(&self, of_first: impl Fn(usize) -> R + Sync) -> Vec<R> {
        self.first.par_iter().map(|&first| of_first(first)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_items_have_one_group() {
        let groups = Groups::new(&["a", "b", "a", "c", "b"]);
        assert_eq!(groups.of, [0, 1, 0, 2, 1]);
        assert_eq!(groups.first, [0, 1, 3]);
        assert_eq!(groups.compute(|first| 10 * first), [0, 10, 30]);
    }
}
