//! The transpose of [`crate::forward`] in the densities: what inversion asks for, without the matrix.

use craton_device::{AlignedVec, Isa, Kernel, Lanes, Scalar, Workers};
use rayon::prelude::*;

use crate::fields::Needs;
use crate::pair::Body;
use crate::tile::{TILE, Tile};
use crate::{Field, Fields, GRAVITATIONAL_CONSTANT, GravityError, Points, Prisms};

/// Prisms that one thread computes at a time.
const RUN: usize = 64;

/// For each prism the sum over points and fields of its field per unit of density times a weight.
///
/// With A the matrix of [`crate::forward`] from densities to fields this is Aᵀ times the weights. The densities of the prisms are not used. The result has the same
/// bits for any number of threads.
///
/// # Arguments
/// * `weights` – fields, each with a weight for every point
/// # Returns
/// A number per prism, in the unit of the weights times that of the field per kg/m³.
/// # Domain and errors
/// [`GravityError::Count`] for weights that are not as many as the points. Prisms with an edge or a corner at a point have NaN where `forward` has.
/// Verified by `laws::the_transpose_is_that_of_the_forward_product`.
/// # Panics
/// If this processor lacks `isa`.
pub fn transpose(
    prisms: &Prisms,
    points: &Points,
    weights: &[(Field, &[f64])],
    workers: &Workers,
    isa: Isa,
) -> Result<Vec<f64>, GravityError> {
    for (_, weights) in weights {
        GravityError::check_count("weights", weights.len(), "points", points.len())?;
    }
    let tiles: Vec<Weighted> = Tile::all(points).into_iter().map(|tile| Weighted::new(tile, weights)).collect();
    let needs = Needs::of(weights.iter().map(|&(field, _)| field).collect::<Fields>());
    let mut sums = vec![0.0; prisms.len()];
    workers.run(|| {
        sums.par_chunks_mut(RUN).enumerate().for_each(|(run, sums)| {
            let prisms = Run { prisms, first: run * RUN, tiles: &tiles, needs, sums };
            f64::dispatch(isa, prisms);
        });
    });
    Ok(sums)
}

/// A tile of points with the weights of each field there, zero beyond the last point.
struct Weighted {
    tile: Tile,
    weights: Vec<(Field, AlignedVec<f64>)>,
}

impl Weighted {
    fn new(tile: Tile, weights: &[(Field, &[f64])]) -> Self {
        let of = |&(field, weights): &(Field, &[f64])| {
            let mut here = AlignedVec::zeroed(TILE);
            here[..tile.range.len()].copy_from_slice(&weights[tile.range.clone()]);
            (field, here)
        };
        let weights = weights.iter().map(of).collect();
        Self { tile, weights }
    }
}

/// The kernel: a run of prisms at all points.
struct Run<'a> {
    prisms: &'a Prisms,
    first: usize,
    tiles: &'a [Weighted],
    needs: Needs,
    sums: &'a mut [f64],
}

impl Kernel<f64> for Run<'_> {
    type Output = ();

    #[inline(always)]
    fn run<V: Lanes<Scalar = f64>>(self) {
        for prism in 0..self.sums.len() {
            let body = Body::<V>::new(&self.prisms.bounds(self.first + prism));
            let mut total = V::constant(0.0);
            for Weighted { tile, weights } in self.tiles {
                let mut sum = V::constant(0.0);
                for lane in (0..tile.range.len()).step_by(V::COUNT) {
                    let values = body.at(&tile.points(lane), self.needs);
                    for (field, weights) in weights {
                        sum = values[*field as usize].mul_add(V::load(weights, lane), sum);
                    }
                }
                total = total + sum;
            }
            let mut lanes = [0.0; TILE];
            total.store(&mut lanes, 0);
            self.sums[prism] = GRAVITATIONAL_CONSTANT * lanes.iter().sum::<f64>();
        }
    }
}
