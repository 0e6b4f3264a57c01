//! Matrix-free transpose of [`super::magnetic_forward`] with respect to the magnetisation, as needed by inversion.

use craton_device::{AlignedVec, Isa, Kernel, Lanes, Scalar, Workers};
use rayon::prelude::*;

use super::forward::Pair;
use super::{FACTOR, MagneticField, MagneticFields};
use crate::tile::{TILE, Tile};
use crate::{GravityError, Points, Prisms};

/// Largest number of prisms, and of pairs of a prism and a point, per parallel task.
const RUN: usize = 64;
const PAIRS: usize = 1 << 21;

/// Computes, for each prism and each component of its magnetisation, the sum over points and fields of its field per A/m times a weight.
///
/// With A the matrix of [`super::magnetic_forward`] from magnetisations to fields, this is Aᵀ times the weights. For susceptibilities in a main field F, take
/// the scalar product of each result with F/μ₀. The result is bit-identical for any number of threads.
///
/// # Arguments
/// * `weights` – fields, each with one weight per point
/// # Returns
/// `[east, north, up][prism]`, in the unit of the weights times that of the field per A/m.
/// # Errors
/// [`GravityError::Count`] unless every field has one weight per point.
/// # Domain
/// NaN where `magnetic_forward` has NaN. Verified by `magnetics::the_transpose_is_the_adjoint`.
/// # Panics
/// If this processor lacks `isa`.
pub fn magnetic_transpose(
    prisms: &Prisms,
    points: &Points,
    weights: &[(MagneticField, &[f64])],
    workers: &Workers,
    isa: Isa,
) -> Result<[Vec<f64>; 3], GravityError> {
    let product = magnetic_transpose_while(prisms, points, weights, workers, isa, &|_| true)?;
    Ok(product.expect("never cancelled"))
}

/// Like [`magnetic_transpose`], but reports progress and can be cancelled: returns `None` if `progress` returns `false`.
///
/// # Arguments
/// * `progress` – called with the fraction of all prisms that a thread has completed since its last call; `false` cancels
/// # Errors
/// As [`magnetic_transpose`].
pub fn magnetic_transpose_while(
    prisms: &Prisms,
    points: &Points,
    weights: &[(MagneticField, &[f64])],
    workers: &Workers,
    isa: Isa,
    progress: &(dyn Fn(f64) -> bool + Sync),
) -> Result<Option<[Vec<f64>; 3]>, GravityError> {
    for (_, of) in weights {
        GravityError::check_count("weights", of.len(), "points", points.len())?;
    }
    let has_gradient = weights.iter().any(|(field, _)| field.is_gradient());
    let fields = if has_gradient { MagneticFields::WithGradient } else { MagneticFields::FluxDensity };
    let tiles: Vec<Weighted> = Tile::all(points).into_iter().map(|tile| Weighted::new(tile, weights)).collect();
    let run = (PAIRS / points.len().max(1)).clamp(1, RUN);
    let mut sums = vec![[0.0; 3]; prisms.len()];
    let is_done = workers.run(|| {
        sums.par_chunks_mut(run).enumerate().try_for_each(|(number, sums)| {
            let share = sums.len() as f64 / prisms.len() as f64;
            f64::dispatch(isa, Run { prisms, first: number * run, tiles: &tiles, fields, sums });
            progress(share).then_some(())
        })
    });
    Ok(is_done.map(|()| [0, 1, 2].map(|axis| sums.iter().map(|sum| sum[axis]).collect())))
}

/// A tile of points with the weights of each field, zero beyond the last point.
struct Weighted {
    tile: Tile,
    weights: Vec<(MagneticField, AlignedVec<f64>)>,
}

impl Weighted {
    fn new(tile: Tile, weights: &[(MagneticField, &[f64])]) -> Self {
        let of = |&(field, weights): &(MagneticField, &[f64])| {
            let mut here = AlignedVec::zeroed(TILE);
            here[..tile.range.len()].copy_from_slice(&weights[tile.range.clone()]);
            (field, here)
        };
        let weights = weights.iter().map(of).collect();
        Self { tile, weights }
    }
}

/// Kernel that evaluates a run of prisms at all points.
struct Run<'a> {
    prisms: &'a Prisms,
    first: usize,
    tiles: &'a [Weighted],
    fields: MagneticFields,
    sums: &'a mut [[f64; 3]],
}

impl Kernel<f64> for Run<'_> {
    type Output = ();
    const DOUBLE: Isa = Isa::Avx512;

    #[inline(always)]
    fn run<V: Lanes<Scalar = f64>>(self) {
        for prism in 0..self.sums.len() {
            let pair = Pair::<V>::new(&self.prisms.bounds(self.first + prism), self.fields);
            let mut totals = [V::constant(0.0); 3];
            for Weighted { tile, weights } in self.tiles {
                for lane in (0..tile.range.len()).step_by(V::COUNT) {
                    let values = pair.at(&tile.points(lane));
                    for (field, weights) in weights {
                        let weight = V::load(weights, lane);
                        for axis in 0..3 {
                            totals[axis] = values[axis][*field as usize].mul_add(weight, totals[axis]);
                        }
                    }
                }
            }
            for axis in 0..3 {
                let mut lanes = [0.0; TILE];
                totals[axis].store(&mut lanes, 0);
                self.sums[prism][axis] = FACTOR * lanes.iter().sum::<f64>();
            }
        }
    }
}
