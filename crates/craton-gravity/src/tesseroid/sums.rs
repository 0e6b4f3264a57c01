//! Sums over tesseroids at stations, and their transpose.

use craton_device::{Isa, Kernel, Lanes, Scalar, Workers};
use rayon::prelude::*;

use super::{Cell, Stations, Tesseroid, Tesseroids};
use crate::forward::Sums;
use crate::tile::{TILE, Tile};
use crate::{Field, Fields, GoOn, Gravity, GravityError, Limits, Tolerance, Tree};

/// Tesseroids per parallel task of the transposed product.
const RUN: usize = 16;

impl Tesseroids {
    /// Gravity of tesseroids at stations, along their local axes.
    ///
    /// Distant groups of tesseroids are replaced by multipole expansions in a [`Tree`]. The result is bit-identical for any number of threads.
    ///
    /// # Arguments
    /// * `fields` – fields to compute, all in one pass
    /// * `accuracy` – largest error of the expansions, as a fraction of the largest potential, attraction and tensor over all stations; 0 evaluates every
    ///   tesseroid at every station
    /// * `isa` – instruction set; results of different ones may differ by round-off
    /// # Domain and errors
    /// A single tesseroid has a relative error of 1e-6 in the attraction and 1e-5 in the tensor. On its surface the tensor is the limit from outside, with
    /// an error of 1e-4 of 4πGρ. Verified
    /// by `tesseroids::a_shell_has_its_closed_form` and `tesseroids::the_error_is_below_the_accuracy`.
    /// # Panics
    /// If this processor lacks `isa`.
    pub fn forward(&self, stations: &Stations, fields: Fields, accuracy: f64, workers: &Workers, isa: Isa) -> Gravity {
        self.forward_while(stations, fields, accuracy, workers, isa, &|| true).expect("never cancelled")
    }

    /// Like [`Tesseroids::forward`], but can be cancelled: returns `None` if `go_on` returns `false`.
    ///
    /// # Arguments
    /// * `go_on` – cancellation callback; every thread calls it many times a second
    pub fn forward_while(
        &self,
        stations: &Stations,
        fields: Fields,
        accuracy: f64,
        workers: &Workers,
        isa: Isa,
        go_on: GoOn,
    ) -> Option<Gravity> {
        let tree = Tree::of_tesseroids(self, workers, isa, go_on)?;
        let order = workers.run(|| stations.points().runs());
        let points = stations.points().select(&order);
        let all = Stations::required(fields);
        let tolerance = match accuracy > 0.0 {
            true => tree.peaks_while(&points, &Limits::default(), all, workers, isa, go_on)?.tolerance(accuracy),
            false => Tolerance::new(0.0, 0.0, 0.0),
        };
        let sums = tree.forward_while(&points, all, &tolerance, workers, isa, go_on)?;
        Some(stations.local(&sums.unsorted(&order), fields))
    }

    /// For each tesseroid, the sum over stations and local fields of its field per unit density times a weight.
    ///
    /// With A the matrix of [`Tesseroids::forward`] with accuracy 0 from densities to fields, this is Aᵀ times the weights. Gradients of the density count as
    /// zero. Every tesseroid is evaluated at every station; the result is bit-identical for any number of threads.
    ///
    /// # Arguments
    /// * `weights` – fields, each with one weight per station
    /// # Domain and errors
    /// [`GravityError::Count`] unless every field has one weight per station. Verified by `tesseroids::transpose_is_the_adjoint_of_forward`.
    /// # Panics
    /// If this processor lacks `isa`.
    pub fn transpose(
        &self,
        stations: &Stations,
        weights: &[(Field, &[f64])],
        workers: &Workers,
        isa: Isa,
    ) -> Result<Vec<f64>, GravityError> {
        Ok(self.transpose_while(stations, weights, workers, isa, &|| true)?.expect("never cancelled"))
    }

    /// Like [`Tesseroids::transpose`], but can be cancelled: returns `None` if `go_on` returns `false`.
    ///
    /// # Arguments
    /// * `go_on` – cancellation callback, called by every thread after some tesseroids
    /// # Errors
    /// As [`Tesseroids::transpose`].
    pub fn transpose_while(
        &self,
        stations: &Stations,
        weights: &[(Field, &[f64])],
        workers: &Workers,
        isa: Isa,
        go_on: GoOn,
    ) -> Result<Option<Vec<f64>>, GravityError> {
        let weights = stations.cartesian_weights(weights)?;
        let tiles = Tile::all(stations.points());
        let mut sums = vec![0.0; self.len()];
        let is_done = workers.run(|| {
            sums.par_chunks_mut(RUN).enumerate().try_for_each(|(run, sums)| {
                for (at, sum) in sums.iter_mut().enumerate() {
                    let tesseroid = Tesseroid { density: 1.0, gradient: 0.0, ..self.get(RUN * run + at) };
                    *sum = f64::dispatch(isa, Weighted { tesseroid, tiles: &tiles, weights: &weights });
                }
                go_on().then_some(())
            })
        });
        Ok(is_done.map(|()| sums))
    }
}

/// Kernel that sums the weighted fields of a tesseroid over all points.
struct Weighted<'a> {
    tesseroid: Tesseroid,
    tiles: &'a [Tile],
    weights: &'a [(Field, Vec<f64>)],
}

impl Kernel<f64> for Weighted<'_> {
    type Output = f64;
    const DOUBLE: Isa = Isa::Avx512;

    #[inline(always)]
    fn run<V: Lanes<Scalar = f64>>(self) -> f64 {
        let cell = Cell::new(&self.tesseroid);
        let mut total = 0.0;
        for tile in self.tiles {
            let mut sums: Sums = [[0.0; TILE]; Field::ALL.len()];
            for lane in (0..tile.range.len()).step_by(V::COUNT) {
                cell.add(&tile.points::<V>(lane), lane, &mut sums);
            }
            for (field, weights) in self.weights {
                let of_tile = sums[*field as usize].iter().zip(&weights[tile.range.clone()]);
                total += of_tile.map(|(value, weight)| value * weight).sum::<f64>();
            }
        }
        total
    }
}
