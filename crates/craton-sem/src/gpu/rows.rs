//! Values of many items, of each item as many as there are, and their concatenation on all threads.

use rayon::prelude::*;

/// Number of items that a thread handles at a time: a multiple of the chunks of `number_runs`.
pub const BLOCK: usize = 8192;

/// Values of items, one item after the other.
pub struct Rows {
    /// The place of the first value of each item, and the number of all values at the end.
    pub offsets: Vec<u32>,
    /// The values.
    pub values: Vec<u32>,
}

impl Rows {
    /// Collects the values of `count` items, which `add` appends to a vector.
    pub fn new(count: usize, add: impl Fn(usize, &mut Vec<u32>) + Sync) -> Self {
        let block = |first: usize| {
            let (mut ends, mut values) = (Vec::with_capacity(BLOCK), Vec::new());
            for item in first..count.min(first + BLOCK) {
                add(item, &mut values);
                ends.push(values.len() as u32);
            }
            (ends, values)
        };
        let firsts: Vec<usize> = (0..count).step_by(BLOCK).collect();
        let (mut ends, values): (Vec<Vec<u32>>, Vec<Vec<u32>>) = firsts.into_par_iter().map(block).unzip();
        let mut before = 0;
        for (ends, values) in ends.iter_mut().zip(&values) {
            ends.iter_mut().for_each(|end| *end += before);
            before += values.len() as u32;
        }
        ends.insert(0, vec![0]);
        Self { offsets: joined(&ends), values: joined(&values) }
    }

    /// The values of an item.
    pub fn of(&self, item: usize) -> &[u32] {
        &self.values[self.offsets[item] as usize..self.offsets[item + 1] as usize]
    }
}

/// One vector after the other, copied by all threads.
pub fn joined<T: Copy + Default + Send + Sync>(parts: &[Vec<T>]) -> Vec<T> {
    let mut all = vec![T::default(); parts.iter().map(Vec::len).sum()];
    let mut rest = &mut all[..];
    let mut copies = Vec::with_capacity(parts.len());
    for part in parts {
        let (own, after) = rest.split_at_mut(part.len());
        copies.push((own, part));
        rest = after;
    }
    copies.into_par_iter().for_each(|(own, part)| own.copy_from_slice(part));
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_of_several_blocks_follow_each_other() {
        let count = 2 * BLOCK + 5;
        let rows = Rows::new(count, |item, values| values.extend(0..(item % 3) as u32));
        assert_eq!(rows.offsets.len(), count + 1);
        assert!((0..count).all(|item| rows.of(item).iter().copied().eq(0..(item % 3) as u32)));
        assert!(Rows::new(0, |_, _| ()).values.is_empty());
    }
}
