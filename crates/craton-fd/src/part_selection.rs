//! The points of a selection in a part on a CPU, and the running sums of their displacement.

use rayon::prelude::*;

use crate::block::Block;
use crate::selection::Vector;
use crate::sweep::Precision;
use crate::window::Brick;
use craton_fd_kernels::Field;

/// The points of a selection in a part on a CPU.
pub struct PartSelection<T> {
    bricks: Vec<Brick>,
    /// Displacements if requested, `[brick][component][k][j][i]`.
    sums: Option<Vec<T>>,
}

impl<T: Precision> PartSelection<T> {
    /// Selects bricks, with zero displacement.
    pub fn new(bricks: Vec<Brick>, is_summed: bool) -> Self {
        let values = bricks.iter().map(|brick| 3 * brick.len()).sum();
        Self { bricks, sums: is_summed.then(|| vec![T::default(); values]) }
    }

    /// Adds velocity times the time step to the displacements.
    pub fn add(&mut self, block: &Block<T>) {
        let Some(sums) = &mut self.sums else { return };
        let (mut rest, dt) = (&mut sums[..], T::from_f64(block.dt));
        for brick in &self.bricks {
            let (own, after) = rest.split_at_mut(3 * brick.len());
            rest = after;
            own.par_chunks_exact_mut(brick.size[0]).enumerate().for_each(|(number, sums)| {
                let velocities = row(block, brick, number);
                sums.iter_mut().zip(velocities).for_each(|(sum, &velocity)| *sum = *sum + dt * velocity);
            });
        }
    }

    /// Reads a field, `[brick][component][k][j][i]`.
    ///
    /// # Panics
    /// If the selection does not include displacement.
    pub fn read(&self, block: &Block<T>, vector: Vector) -> Vec<T> {
        match vector {
            Vector::Velocity => {
                let rows = |brick| (0..3 * Brick::rows(brick)).flat_map(move |number| row(block, brick, number));
                self.bricks.iter().flat_map(rows).copied().collect()
            }
            Vector::Displacement => self.sums.clone().expect("the selection includes displacement"),
        }
    }

    /// Restores displacements from a checkpoint.
    pub fn replace(&mut self, sums: &[T]) {
        self.sums = Some(sums.to_vec());
    }
}

/// Row `number` of the velocities in a brick; rows are numbered component by component.
fn row<'a, T: Precision>(block: &'a Block<T>, brick: &Brick, number: usize) -> &'a [T] {
    let at = block.layout.at(brick.row(number % brick.rows()).map(|i| i as i64));
    &block.field(Field::Velocity(number / brick.rows()))[at..at + brick.size[0]]
}
