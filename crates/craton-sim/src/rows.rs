//! Gathers the samples of all parts in rows, one for each step.

use craton_comm::Ranks;
use craton_device::Scalar;

use crate::samples::ring_rows;
use crate::solver::Failure;

/// Assignment of the values of a row of samples to the parts of all ranks, and the steps taken so far.
#[derive(Debug, Clone)]
pub struct Rows {
    /// For each part, the indices of its values in a row.
    of_parts: Vec<Vec<u32>>,
    /// First step whose samples have not been taken.
    first: u64,
}

impl Rows {
    /// Creates the assignment.
    ///
    /// # Arguments
    /// * `of_parts` – for each part, the indices of its values in a row
    /// * `first` – first step whose samples are taken
    pub fn new(of_parts: Vec<Vec<u32>>, first: u64) -> Self {
        Self { of_parts, first }
    }

    /// Number of values of a row.
    pub fn width(&self) -> usize {
        self.of_parts.iter().map(Vec::len).sum()
    }

    /// Number of steps whose rows every part can hold; the same on every rank.
    pub fn longest(&self) -> u64 {
        ring_rows(self.width()) as u64
    }

    /// Restarts after `step` completed steps.
    pub fn restart(&mut self, step: u64) {
        self.first = step;
    }

    /// Gathers the rows since the last call on the first rank, `[step][value]`. Returns nothing on the other ranks.
    ///
    /// # Arguments
    /// * `step` – number of completed steps
    /// * `own` – values of the parts of this rank, `[part][step][value]`
    ///
    /// # Errors
    /// A rank that is lost.
    pub fn take<T: Scalar>(&mut self, ranks: &dyn Ranks, step: u64, own: Vec<T>) -> Result<Vec<T>, Failure> {
        let steps = (step - std::mem::replace(&mut self.first, step)) as usize;
        if self.of_parts.len() == 1 {
            return Ok(own);
        }
        let Some(all) = ranks.gather(bytemuck::cast_slice(&own))? else { return Ok(Vec::new()) };
        let mut found = all.iter().flat_map(|bytes| bytemuck::pod_collect_to_vec::<u8, T>(bytes));
        let width = self.width();
        let mut rows = vec![T::default(); steps * width];
        for places in &self.of_parts {
            for row in rows.chunks_exact_mut(width.max(1)) {
                for (&place, value) in places.iter().zip(found.by_ref().take(places.len())) {
                    row[place as usize] = value;
                }
            }
        }
        Ok(rows)
    }
}
