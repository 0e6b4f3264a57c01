//! What is sampled after every step, until an event takes it.

use craton_device::Scalar;

/// Samples of the last steps, taken at events; its memory is reserved once.
pub struct SampleRing<T> {
    channels: usize,
    capacity: usize,
    rows: Vec<T>,
}

/// Samples held at most.
const LARGEST_RING: usize = 1 << 22;
/// Steps held at most.
const MOST_STEPS: usize = 4096;

/// Steps that a ring of samples holds.
pub fn ring_rows(channels: usize) -> usize {
    (LARGEST_RING / channels.max(1)).clamp(1, MOST_STEPS)
}

impl<T: Scalar> SampleRing<T> {
    /// Room for at least one step of `channels` values.
    pub fn new(channels: usize) -> Self {
        let capacity = ring_rows(channels);
        Self { channels, capacity, rows: Vec::with_capacity(capacity * channels) }
    }

    /// Steps that fit.
    pub fn capacity(&self) -> usize {
        self.capacity
    }

    /// The row of a new step, to be filled.
    pub fn next_row(&mut self) -> &mut [T] {
        let start = self.rows.len();
        debug_assert!(start + self.channels <= self.rows.capacity(), "samples are taken before the ring is full");
        self.rows.resize(start + self.channels, T::default());
        &mut self.rows[start..]
    }

    /// All rows since the last call, `[step][channel]`.
    pub fn take(&mut self) -> Vec<T> {
        let taken = self.rows.clone();
        self.rows.clear();
        taken
    }
}
