//! What a part on a CPU has of a selection: its points, and their displacements if they are asked for.

use rayon::prelude::*;

use crate::block::Block;
use crate::selection::Vector;
use crate::sweep::Precision;
use crate::window::Brick;
use craton_fd_kernels::Field;

/// Bricks of a block.
pub struct Share<T> {
    bricks: Vec<Brick>,
    /// Displacements, `[brick][component][k][j][i]`.
    sums: Option<Vec<T>>,
}

impl<T: Precision> Share<T> {
    /// At rest.
    pub fn new(bricks: Vec<Brick>, is_summed: bool) -> Self {
        let values = bricks.iter().map(|brick| 3 * brick.len()).sum();
        Self { bricks, sums: is_summed.then(|| vec![T::default(); values]) }
    }

    /// Adds what a step has moved.
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

    /// A field, `[brick][component][k][j][i]`.
    ///
    /// # Panics
    /// If displacement is read that nobody asked for.
    pub fn read(&self, block: &Block<T>, vector: Vector) -> Vec<T> {
        match vector {
            Vector::Velocity => {
                let rows = |brick| (0..3 * Brick::rows(brick)).flat_map(move |number| row(block, brick, number));
                self.bricks.iter().flat_map(rows).copied().collect()
            }
            Vector::Displacement => self.sums.clone().expect("displacement is read where it is summed"),
        }
    }

    /// Takes displacements back that were read.
    pub fn replace(&mut self, sums: &[T]) {
        self.sums = Some(sums.to_vec());
    }
}

/// A row of the velocities in a brick, component by component.
fn row<'a, T: Precision>(block: &'a Block<T>, brick: &Brick, number: usize) -> &'a [T] {
    let at = block.layout.at(brick.row(number % brick.rows()).map(|i| i as i64));
    &block.field(Field::Velocity(number / brick.rows()))[at..at + brick.size[0]]
}
