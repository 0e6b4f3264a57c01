//! Matrix-free transpose of [`crate::forward`] with respect to the densities, as needed by inversion.

use craton_device::{AlignedVec, Isa, Kernel, Lanes, Scalar, Workers};
use rayon::prelude::*;

use crate::fields::Needs;
use crate::pair::Body;
use crate::tile::{TILE, Tile};
use crate::{Field, Fields, GRAVITATIONAL_CONSTANT, GravityError, Points, Prisms};

/// Largest number of prisms, and of pairs of a prism and a point, per parallel task: at most about a second of work.
const RUN: usize = 64;
const PAIRS: usize = 1 << 23;

/// Computes, for each prism, the sum over points and fields of its field per unit density times a weight.
///
/// With A the matrix of [`crate::forward`] from densities to fields, this is Aᵀ times the weights. The densities of the prisms are not used. The result is
/// bit-identical for any number of threads.
///
/// # Arguments
/// * `weights` – fields, each with one weight per point
/// # Returns
/// One value per prism, in the unit of the weights times that of the field per kg/m³.
/// # Domain and errors
/// [`GravityError::Count`] unless every field has one weight per point. The value of a prism is NaN where `forward` has NaN: if a point lies on one of its
/// edges or corners. Verified by `laws::transpose_is_the_adjoint_of_forward`.
/// # Panics
/// If this processor lacks `isa`.
/// # Example
/// Density inversion by conjugate gradients on the normal equations, without storing the matrix.
/// ```
/// use craton_device::{Isa, Workers};
/// use craton_gravity::{Field, Fields, Points, Prism, Prisms, forward, transpose};
/// let cell = |n: usize| {
///     let [west, south] = [n % 4, n / 4].map(|number| 100.0 * number as f64);
///     Prism { west, east: west + 100.0, south, north: south + 100.0, bottom: -150.0, top: -50.0, density: 0.0 }
/// };
/// let mut prisms = Prisms::new((0..16).map(cell))?;
/// let points = Points::new((0..64).map(|n| [60.0 * (n % 8) as f64, 60.0 * (n / 8) as f64, 1.0]))?;
/// let (workers, isa) = (Workers::new(None)?, Isa::detect());
/// let mut data = |density: &[f64]| -> Result<Vec<f64>, craton_gravity::GravityError> {
///     prisms.set_density(density)?;
///     let gravity = forward(&prisms, &points, Fields::from_iter([Field::Up]), &workers, isa);
///     Ok(gravity.get(Field::Up).expect("a requested field").to_vec())
/// };
/// let truth: Vec<f64> = (0..16).map(|n| if n == 5 { 300.0 } else { -20.0 * n as f64 }).collect();
/// let mut residual = data(&truth)?;
/// let cells = Prisms::new((0..16).map(cell))?;
/// let gradient = |residual: &[f64]| transpose(&cells, &points, &[(Field::Up, residual)], &workers, isa);
/// let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
/// let mut density = vec![0.0; 16];
/// let mut slope = gradient(&residual)?;
/// let mut direction = slope.clone();
/// for _ in 0..30 {
///     let change = data(&direction)?;
///     let (square, step) = (dot(&slope, &slope), dot(&slope, &slope) / dot(&change, &change));
///     density.iter_mut().zip(&direction).for_each(|(density, direction)| *density += step * direction);
///     residual.iter_mut().zip(&change).for_each(|(residual, change)| *residual -= step * change);
///     slope = gradient(&residual)?;
///     let turn = dot(&slope, &slope) / square;
///     direction.iter_mut().zip(&slope).for_each(|(direction, slope)| *direction = slope + turn * *direction);
/// }
/// assert!(density.iter().zip(&truth).all(|(density, truth)| (density - truth).abs() < 1e-3));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn transpose(
    prisms: &Prisms,
    points: &Points,
    weights: &[(Field, &[f64])],
    workers: &Workers,
    isa: Isa,
) -> Result<Vec<f64>, GravityError> {
    let product = transpose_while(prisms, points, weights, workers, isa, &|_| true)?;
    Ok(product.expect("never cancelled"))
}

/// Like [`transpose`], but reports progress and can be cancelled: returns `None` if `progress` returns `false`.
///
/// # Arguments
/// * `progress` – every thread calls it at least about once a second, with the fraction of all prisms that it has completed since its last call; `false`
///   cancels
pub fn transpose_while(
    prisms: &Prisms,
    points: &Points,
    weights: &[(Field, &[f64])],
    workers: &Workers,
    isa: Isa,
    progress: &(dyn Fn(f64) -> bool + Sync),
) -> Result<Option<Vec<f64>>, GravityError> {
    let fields = weights.iter().map(|&(field, _)| field).collect();
    transpose_fields_while(prisms, points, weights, fields, workers, isa, progress)
}

/// Like [`transpose_while`], for fields with [`Fields::leaving_out_edges`].
pub fn transpose_leaving_out_edges_while(
    prisms: &Prisms,
    points: &Points,
    weights: &[(Field, &[f64])],
    workers: &Workers,
    isa: Isa,
    progress: &(dyn Fn(f64) -> bool + Sync),
) -> Result<Option<Vec<f64>>, GravityError> {
    let fields: Fields = weights.iter().map(|&(field, _)| field).collect();
    transpose_fields_while(prisms, points, weights, fields.leaving_out_edges(), workers, isa, progress)
}

fn transpose_fields_while(
    prisms: &Prisms,
    points: &Points,
    weights: &[(Field, &[f64])],
    fields: Fields,
    workers: &Workers,
    isa: Isa,
    progress: &(dyn Fn(f64) -> bool + Sync),
) -> Result<Option<Vec<f64>>, GravityError> {
    GravityError::check_weights(weights, points)?;
    let tiles: Vec<Weighted> = Tile::all(points).into_iter().map(|tile| Weighted::new(tile, weights)).collect();
    let needs = Needs::of(fields);
    let run = (PAIRS / points.len().max(1)).clamp(1, RUN);
    let mut sums = vec![0.0; prisms.len()];
    let is_done = workers.run(|| {
        sums.par_chunks_mut(run).enumerate().try_for_each(|(number, sums)| {
            let share = sums.len() as f64 / prisms.len() as f64;
            f64::dispatch(isa, Run { prisms, first: number * run, tiles: &tiles, needs, sums });
            progress(share).then_some(())
        })
    });
    Ok(is_done.map(|()| sums))
}

/// A tile of points with the weights of each field, zero beyond the last point.
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

/// Kernel that evaluates a run of prisms at all points.
struct Run<'a> {
    prisms: &'a Prisms,
    first: usize,
    tiles: &'a [Weighted],
    needs: Needs,
    sums: &'a mut [f64],
}

impl Kernel<f64> for Run<'_> {
    type Output = ();
    const DOUBLE: Isa = Isa::Avx512;

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
