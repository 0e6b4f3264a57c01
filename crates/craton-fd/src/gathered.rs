//! Values of the state on their way from the parts to the first rank.

use std::ops::Range;

use craton_device::Scalar;

/// Values of some blocks and their indices in an array of the state, as runs of evenly spaced indices.
#[derive(Debug, Clone, Default)]
pub struct Gathered<T> {
    /// First index, spacing, count.
    runs: Vec<[u64; 3]>,
    values: Vec<T>,
}

impl<T: Scalar> Gathered<T> {
    /// Adds a row of values from `start` on.
    pub fn push(&mut self, start: usize, values: &[T]) {
        self.values.extend_from_slice(values);
        let (start, count) = (start as u64, values.len() as u64);
        if let (Some([first, step, len]), 1) = (self.runs.last_mut(), count) {
            if *len == 1 && start > *first {
                *step = start - *first;
            }
            if start == *first + *step * *len {
                *len += 1;
                return;
            }
        }
        self.runs.push([start, 1, count]);
    }

    /// Writes the values to their indices in a window.
    pub fn place(&self, window: &Range<usize>, all: &mut [T]) {
        let mut values = self.values.iter();
        for &[first, step, len] in &self.runs {
            for number in 0..len {
                let value = values.next().expect("one value per index");
                all[(first + step * number) as usize - window.start] = *value;
            }
        }
    }

    /// Encodes the values as bytes for another rank.
    pub fn to_bytes(&self) -> Vec<u8> {
        let runs = self.runs.len() as u64;
        [bytemuck::bytes_of(&runs), bytemuck::cast_slice(&self.runs), bytemuck::cast_slice(&self.values)].concat()
    }

    /// Decodes the bytes of [`Self::to_bytes`].
    pub fn from_bytes(bytes: &[u8]) -> Self {
        let (count, rest) = bytes.split_at(8);
        let count = bytemuck::pod_read_unaligned::<u64>(count) as usize;
        let (runs, values) = rest.split_at(24 * count);
        Self { runs: bytemuck::pod_collect_to_vec(runs), values: bytemuck::pod_collect_to_vec(values) }
    }
}
