//! A small generator of random numbers (SplitMix64), so that a seed gives the same inputs on every machine.

/// The state of a generator.
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    /// A generator; each text starts another sequence with the same seed.
    pub fn new(seed: u64, text: &str) -> Self {
        Self(seed ^ xxhash_rust::xxh3::xxh3_64(text.as_bytes()))
    }

    /// The next 64 bits.
    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number below `end`; 0 if `end` is 0.
    pub fn below(&mut self, end: usize) -> usize {
        if end == 0 { 0 } else { (self.bits() % end as u64) as usize }
    }

    /// True once in `times`, on average.
    pub fn once_in(&mut self, times: usize) -> bool {
        self.below(times) == 0
    }

    /// One of the items, which must not be empty.
    pub fn one_of<'a, T>(&mut self, items: &'a [T]) -> &'a T {
        &items[self.below(items.len())]
    }

    /// A length from 1 to `most`; short ones are more likely.
    pub fn length(&mut self, most: usize) -> usize {
        let reach = 1 + self.below(most.max(1));
        1 + self.below(reach)
    }
}
